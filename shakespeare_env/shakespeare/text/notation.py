"""Positions as JSON objects, read back without loss by `notation_reader.py`.

Text omits the random state (future chance) and who remembers which piled objective.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS

NAME = "shakespeare"
NEUTRAL = "neutral"
FACES = ("character", "extra")
KINDS = ("costumes", "sets")
_SORTED_DECK = sorted(range(t.N_DECK), key=lambda deck: t.DECK_IDS[deck])


def phase_of(game: Record) -> str:
    """The phase's name."""
    return s.PHASE_NAMES[game["phase"]]


def to_dict(game: Record) -> dict[str, Any]:
    """A record as the notation's JSON object, of plain Python values."""
    players = int(game["players"])
    over = game["phase"] == s.OVER
    return {
        "game": NAME,
        "players": players,
        "strategic_rest": bool(game["strategic_rest"]),
        "day": int(game["day"]),
        "phase": phase_of(game),
        "to_move": None if over else int(game["to_move"]),
        "order": game["order"][:players].tolist(),
        "initiative": game["initiative"][: game["initiative_len"]].tolist(),
        "piles": {name: _piles_of(game, act) for act, name in enumerate(ACTS)},
        "display": {"characters": _cards_of(game["shown"]), **_elements_of(game["display"])},
        "bags": _elements_of(game["bag"]),
        "discarded": _elements_of(game["discarded"]),
        "deck": _cards_of(game["deck"]),
        "discarded_characters": _cards_of(game["discarded_cards"]),
        "objective_deck": _named(
            t.OBJECTIVE_IDS, game["objective_deck"][: game["objective_deck_len"]]
        ),
        "supply_tokens": int(game["supply_tokens"]),
        "pending": _pending_of(game),
        "queue": game["queue"][: game["queue_len"]].tolist(),
        "winners": np.flatnonzero(game["winners"]).tolist() if over else None,
        "seats": [_seat_of(game, seat, over) for seat in range(players)],
    }


def _named(names: tuple[str, ...], indices: Iterable[Any]) -> list[str]:
    return [names[index] for index in indices]


def _cards_of(counts: Any) -> list[str]:
    return [t.DECK_IDS[deck] for deck in _SORTED_DECK for _ in range(counts[deck])]


def _elements_of(counts: Any) -> dict[str, dict[str, int]]:
    return {
        kind: dict(zip(COLOURS, row, strict=True))
        for kind, row in zip(KINDS, counts.tolist(), strict=True)
    }


def _piles_of(game: Record, act: int) -> dict[str, list[int | str]]:
    """Discs of each occupied space, bottom first."""
    spaces, heights = game["disc_space"][act].tolist(), game["disc_height"][act].tolist()
    discs = sorted((space, heights[disc], disc) for disc, space in enumerate(spaces) if space > 0)
    piles: dict[str, list[int | str]] = {}
    for space, _, disc in discs:
        piles.setdefault(str(space), []).append(NEUTRAL if disc == t.NEUTRAL else disc)
    return piles


def _pending_of(game: Record) -> dict[str, Any] | None:
    phase = game["phase"]
    if phase == s.CRAFT:
        return _craft_of(game)
    if phase == s.QUILL:
        then = _craft_of(game) if game["craft_value"] > 0 else s.PART_NAMES[game["part"]]
        return {"quills": int(game["quills"]), "then": then}
    if phase == s.OBJECTIVE:
        return {"drawn": _named(t.OBJECTIVE_IDS, game["drawn"][: game["drawn_len"]])}
    return None


def _craft_of(game: Record) -> dict[str, Any]:
    colours = int(game["craft_colours"])
    return {
        "value": int(game["craft_value"]),
        "costumes": bool(game["craft_costumes"]),
        "sets": bool(game["craft_sets"]),
        "colours": [name for colour, name in enumerate(COLOURS) if colours >> colour & 1],
        "optional": bool(game["craft_optional"]),
    }


def _seat_of(game: Record, seat: int, over: bool) -> dict[str, Any]:
    wager, kept = int(game["wager"][seat]), int(game["kept"][seat])
    entry: dict[str, Any] = {
        "prestige": int(game["prestige"][seat]),
        "pounds": int(game["pounds"][seat]),
        "tokens": int(game["tokens"][seat]),
        "mood": int(game["mood"][seat]),
        "wager": wager or None,
        "cylinders": int(game["cylinders"][seat]),
        "recruited": bool(game["recruited"][seat]),
        "passed": bool(game["passed"][seat]),
        "kept": None if kept == s.NOBODY else t.CARD_IDS[kept],
        "objectives": _named(
            t.OBJECTIVE_IDS, game["objectives"][seat, : game["objectives_len"][seat]]
        ),
        "stage": {
            t.SPACE_IDS[space]: COLOURS[colour]
            for space, colour in enumerate(game["stage"][seat].tolist())
            if colour != s.NOBODY
        },
        "troupe": [_member_of(game, seat, member) for member in range(game["troupe_len"][seat])],
    }
    if over:
        entry["unpaid"] = int(game["unpaid"][seat])
    return entry


def _member_of(game: Record, seat: int, member: int) -> dict[str, Any]:
    elements = game["costume_len"][seat, member]
    return {
        "card": t.CARD_IDS[game["card"][seat, member]],
        "face": FACES[game["extra"][seat, member]],
        "costume": _named(COLOURS, game["costume"][seat, member, :elements]),
        "cylinder": bool(game["cylinder"][seat, member]),
        "rest": bool(game["rest"][seat, member]),
    }
