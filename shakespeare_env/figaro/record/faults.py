"""Faults of a record: numbers from compiled checks, whose words are in `words.toml`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shakespeare_env.core.game import Record
from shakespeare_env.derived.fault_words import Fact, explaining
from shakespeare_env.figaro import state as s
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.facts import COLOURS

# fmt: off
_NAMES = (
    "at_odds", "same_colour", "cards", "no_cards", "same_piece", "no_piece", "road", "roads",
    "held", "face_up", "winners",
)
(
    AT_ODDS, SAME_COLOUR, CARDS, NO_CARDS, SAME_PIECE, NO_PIECE, ROAD, ROADS,
    HELD, FACE_UP, WINNERS,
) = range(1, len(_NAMES) + 1)
# fmt: on


def _copies(game: Record, kind: int, _: int) -> int:
    found = int(game["hand"][:, kind].sum()) + int(game["taken"][:, kind].sum())
    return found + int((game["front"] == kind).sum())


_FACTS: dict[str, Fact] = {
    "colour_before": lambda game, a, b: COLOURS[game["colour"][a]],
    "copies": _copies,
    "card": lambda game, a, b: t.KIND_IDS[a],
    "copies_printed": lambda game, a, b: t.COPIES[game["players"], a],
    "own_pieces": lambda game, a, b: (game["road"][a] > 0).sum(),
    "all_pieces": lambda game, a, b: (game["road"] > 0).sum(),
    "named": lambda game, a, b: np.flatnonzero(game["winners"]).tolist(),
}
explain = explaining(Path(__file__).parents[1] / "words.toml", _NAMES, s.FIELDS, _FACTS)
