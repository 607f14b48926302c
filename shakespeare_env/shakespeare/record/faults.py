"""Faults of a record: numbers from compiled checks, whose words are in `words.toml`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shakespeare_env.core.game import Record
from shakespeare_env.derived.fault_words import Fact, explaining
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import COLOURS

# fmt: off
_NAMES = (
    "at_odds", "board_first", "board_card", "costumed", "idle", "extras", "room", "unsupported",
    "asymmetric", "cards", "elements", "objectives", "tokens", "wager", "no_wager", "out_early",
    "cylinders", "initiative", "solo_rest", "solo_wager", "queue", "kept", "not_kept", "kept_idle",
    "draft_day", "rehearsal_day", "rest_day", "last_day", "rest_mover", "acted_already", "no_quill",
    "no_back", "no_drawn", "shown", "winners",
)
(
    AT_ODDS, BOARD_FIRST, BOARD_CARD, COSTUMED, IDLE, EXTRAS, ROOM, UNSUPPORTED,
    ASYMMETRIC, CARDS, ELEMENTS, OBJECTIVES, TOKENS, WAGER, NO_WAGER, OUT_EARLY,
    CYLINDERS, INITIATIVE, SOLO_REST, SOLO_WAGER, QUEUE, KEPT, NOT_KEPT, KEPT_IDLE,
    DRAFT_DAY, REHEARSAL_DAY, REST_DAY, LAST_DAY, REST_MOVER, ACTED_ALREADY, NO_QUILL,
    NO_BACK, NO_DRAWN, SHOWN, WINNERS,
) = range(1, len(_NAMES) + 1)
# fmt: on


def _elements(game: Record, kind: int, colour: int) -> int:
    found = sum(int(game[place][kind, colour]) for place in ("bag", "display", "discarded"))
    return found + int((game["stage" if kind == t.SET else "costume"] == colour).sum())


def _copies(game: Record, deck: int, _: int) -> int:
    found = sum(int(game[place][deck]) for place in ("shown", "deck", "discarded_cards"))
    return found + int((game["card"] == t.N_BOARD + deck).sum())


def _places(game: Record, objective: int, _: int) -> int:
    places = ("objective_deck", "drawn", "objectives")
    return sum(int((game[place] == objective).sum()) for place in places)


def _kept(game: Record, seat: int, _: int) -> str | None:
    kept = int(game["kept"][seat])
    return None if kept == s.NOBODY else t.CARD_IDS[kept]


def _best(game: Record, _: int, __: int) -> list[int]:
    results = list(zip(game["prestige"].tolist(), game["pounds"].tolist(), strict=True))
    results = results[: game["players"]]
    return [seat for seat, result in enumerate(results) if result == max(results)]


_FACTS: dict[str, Fact] = {
    "board": lambda game, a, b: ", ".join(t.CARD_IDS[: t.N_BOARD]),
    "member_card": lambda game, a, b: t.CARD_IDS[game["card"][a, b]],
    "extras": lambda game, a, b: game["extra"][a].sum(),
    "hired": lambda game, a, b: game["troupe_len"][a] - t.N_BOARD,
    "space": lambda game, a, b: t.SPACE_IDS[b],
    "mirror": lambda game, a, b: t.SPACE_IDS[t.MIRROR[b]],
    "own": lambda game, a, b: COLOURS[game["stage"][a, b]],
    "opposite": lambda game, a, b: COLOURS[game["stage"][a, t.MIRROR[b]]],
    "copies": _copies,
    "deck_card": lambda game, a, b: t.DECK_IDS[a],
    "copies_printed": lambda game, a, b: t.COPIES[a],
    "elements": _elements,
    "colour": lambda game, a, b: COLOURS[b],
    "kind": lambda game, a, b: ("costumes", "sets")[a],
    "elements_printed": lambda game, a, b: t.BAG[game["players"], a, b],
    "objective": lambda game, a, b: t.OBJECTIVE_IDS[a],
    "places": _places,
    "all_tokens": lambda game, a, b: int(game["supply_tokens"]) + int(game["tokens"].sum()),
    "tokens_printed": lambda game, a, b: t.N_TOKENS,
    "wagered": lambda game, a, b: int(game["wager"][a]) or None,
    "cylinders_each": lambda game, a, b: t.N_CYLINDERS,
    "left": lambda game, a, b: game["cylinders"][a],
    "queued": lambda game, a, b: game["queue"][: game["queue_len"]].tolist(),
    "to_serve": lambda game, a, b: game["initiative" if a else "order"][
        b : game["players"]
    ].tolist(),
    "kept_card": _kept,
    "part_name": lambda game, a, b: s.PART_NAMES[game["part"]],
    "first_rehearsal": lambda game, a, b: t.FIRST_REHEARSAL,
    "last_day": lambda game, a, b: t.N_DAYS,
    "all_shown": lambda game, a, b: game["shown"].sum(),
    "named": lambda game, a, b: np.flatnonzero(game["winners"]).tolist(),
    "best": _best,
}
explain = explaining(Path(__file__).parents[1] / "words.toml", _NAMES, s.FIELDS, _FACTS)
