"""Positions for tests: written out by hand, and those of random games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shakespeare_env import Position
from tests.contract.random_games import TABLES, Table, game_from
from tests.figaro import positions as complete

OURS = [table for table in TABLES if table.game == "figaro"]

Dict = dict[str, Any]
Hand = Mapping[str, int]


def position(
    hands: Sequence[Hand],
    front: Sequence[Sequence[str]] = (),
    *,
    number: int = 2,
    takers: Sequence[int] = (0,),
    **fields: Any,
) -> Dict:
    """A position in some round; cards neither held nor face up were taken by these seats in turn.

    `fields` are those of `tests/figaro/positions.py`.
    """
    return complete.position(
        players=len(hands),
        in_round=number,
        hands={seat: " ".join(Counter(hand).elements()) for seat, hand in enumerate(hands)},
        front={seat: " ".join(pile) for seat, pile in enumerate(front)},
        heap=takers,
        **fields,
    )


def turn() -> Dict:
    """Four seats in the second round, seat 2 to move; piles of two colours and of a jester."""
    hands = [
        {"red-1": 1, "red-2": 2, "ring": 1},
        {"blue-2": 2, "jester-1": 1, "purple-3": 1},
        {"green-1": 1, "green-2": 1, "jester-2": 1, "ring": 1},
        {"orange-2": 3},
    ]
    front = [[], ["jester-1"], ["ring", "blue-2", "blue-1"], ["green-3", "jester-1"]]
    roads, pieces = [[15], [14], [13], []], [[], [12, 11, 10], [9, 8, 7]]
    fields: Dict = {"to_move": 2, "king": 1, "roads": roads, "pieces": pieces}
    return position(hands, front, takers=(0, 2, 3), **fields)


def trio() -> Dict:
    """Three seats in the third round, an empty table."""
    hands = [{"red-1": 2}, {"blue-2": 1, "ring": 1}, {"jester-2": 1}]
    roads = [[15, 14], [12, 11], []]
    return position(hands, to_move=1, king=2, number=3, takers=(0, 1, 2), roads=roads)


def opening() -> Dict:
    """Six seats, nothing played yet."""
    return complete.position(players=6, to_move=4, king=4)


def over() -> Dict:
    """Five seats at the end; seat 3, nearer clockwise to the King than seat 0, has won the tie."""
    d = position([{}] * 5, number=3, takers=(0, 1, 2, 3, 4))
    d |= {"to_move": None, "king": 2, "winners": [3], "pieces": [[], [], []]}
    d["roads"] = [[5, 4], [15, 14, 1], [13, 12], [6, 3], [11, 10, 9]]
    return d


SAMPLES = (turn, trio, opening, over)


def positions(table: Table, seed: int, every: int = 1) -> Iterator[Position]:
    """Every so-manieth position of a random game; the same object at each of them."""
    for number, reached in enumerate(game_from(table.position(seed), salt=seed)):
        if number % every == 0 or reached.to_move is None:
            yield reached
