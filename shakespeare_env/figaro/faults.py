"""Faults of a record: numbers from compiled checks, put into words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakespeare_env.compiled import rule
from shakespeare_env.figaro import state as s
from shakespeare_env.figaro import tables as t
from shakespeare_env.figaro.box import COLOURS
from shakespeare_env.game import Record

Words = tuple[str, str, str]
"""Place, fault and remedy."""
_BYTE = 0xFF

# fmt: off
(
    AT_ODDS, SAME_COLOUR, CARDS, NO_CARDS, SAME_PIECE, NO_PIECE, ROAD, ROADS, HELD, FACE_UP,
    WINNERS,
) = range(1, 12)
# fmt: on


@rule
def tell(fault: int, a: int, b: int) -> int:
    """A fault and where it is, as one number."""
    return fault | (a << 8) | (b << 16)


def explain(game: Record, fault: int) -> Words:
    """What `tell` wrote, in words."""
    words = _WORDS[fault & _BYTE]
    return words(game, fault >> 8 & _BYTE, fault >> 16 & _BYTE)


def _at_odds(game: Record, a: int, b: int) -> Words:
    name = s.FIELDS[a].name
    held = np.asarray(game[name]).tolist()
    return name, f"{held} is at odds with other fields", "use records that `save` or `record` gave"


def _same_colour(game: Record, a: int, b: int) -> Words:
    fault = f"{COLOURS[game['colour'][a]]} before the seats {[a, b]}"
    return "front", fault, "leave it before one seat"


def _cards(game: Record, a: int, b: int) -> Words:
    found = int(game["hand"][:, a].sum()) + int(game["taken"][:, a].sum())
    found += int((game["front"] == a).sum())
    players = int(game["players"])
    fault = f"{found} copies of {t.KIND_IDS[a]!r} in hands, face up and taken"
    return "position", fault, f"there are {t.COPIES[players, a]} with {players} seats"


def _no_cards(game: Record, a: int, b: int) -> Words:
    remedy = "the round ends as such a seat begins its turn; give it cards or name another seat"
    return "to_move", f"seat {game['to_move']} has no cards", remedy


def _same_piece(game: Record, a: int, b: int) -> Words:
    return "position", f"the road piece {a} twice", "put it in one place"


def _no_piece(game: Record, a: int, b: int) -> Words:
    return "position", f"no road piece of length {a}", "use those of the box"


def _road(game: Record, a: int, b: int) -> Words:
    pieces = int((game["road"][a] > 0).sum())
    return f"roads[{a}]", f"{pieces} pieces after {b} rounds", "one a round at most"


def _roads(game: Record, a: int, b: int) -> Words:
    given = int((game["road"] > 0).sum())
    return "roads", f"{given} pieces after {b} rounds", f"give out {a} at most"


def _held(game: Record, a: int, b: int) -> Words:
    return "hands", "cards in hand at the end", "empty all hands"


def _face_up(game: Record, a: int, b: int) -> Words:
    return "front", "cards face up at the end", "empty all fronts"


def _winners(game: Record, a: int, b: int) -> Words:
    found = np.flatnonzero(game["winners"]).tolist()
    return "winners", f"{found}", f"seat {a} has the shortest road; write [{a}]"


_WORDS: dict[int, Callable[[Record, int, int], Words]] = {
    AT_ODDS: _at_odds,
    SAME_COLOUR: _same_colour,
    CARDS: _cards,
    NO_CARDS: _no_cards,
    SAME_PIECE: _same_piece,
    NO_PIECE: _no_piece,
    ROAD: _road,
    ROADS: _roads,
    HELD: _held,
    FACE_UP: _face_up,
    WINNERS: _winners,
}
