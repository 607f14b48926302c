"""Positions of Figaro to draw: two of a recorded game, and full tables of every size."""

import copy
import itertools
from typing import Any

from tests.figaro import positions
from tests.figaro.cards import deck

CARDS = [*deck(4).elements()]
"""All cards of the box, kind by kind."""
LONG_PILE = ["ring", "red-1", "ring", "ring", "jester-1", "red-1", "ring", "red-1", "jester-1",
             "ring", "ring"]  # fmt: skip

MIDDLE: dict[str, Any] = {
    "game": "figaro", "players": 4, "round": 3, "to_move": 0, "king": 1,
    "roads": [[10, 9], [11, 5], [6], []], "winners": None, "pieces": [[], [], [8, 7, 1]],
    "hands": [
        {"green-2": 2, "purple-1": 1, "purple-2": 1, "red-1": 1, "red-2": 3, "red-3": 1},
        {"green-2": 3, "orange-1": 1, "orange-2": 1, "red-2": 2, "ring": 1},
        {"blue-1": 1, "blue-2": 2, "green-1": 1, "green-3": 1, "jester-1": 1, "purple-2": 2},
        {"blue-1": 1, "green-1": 1, "orange-2": 2, "orange-3": 1, "purple-1": 2, "purple-2": 1},
    ],
    "front": [
        ["orange-2", "jester-1", "orange-1", "ring"], ["blue-2", "blue-1"], [], ["ring", "red-1"],
    ],
    "taken": [
        [],
        ["blue-2", "blue-2", "blue-2", "blue-3", "green-1", "green-2", "jester-1", "jester-2",
         "jester-2", "orange-1", "orange-2", "orange-2", "purple-2", "red-1", "ring", "ring"],
        [],
        [],
    ],
}  # fmt: skip
END: dict[str, Any] = {
    "game": "figaro", "players": 4, "round": 3, "to_move": None, "king": 3,
    "roads": [[9, 1], [11, 8, 5], [7, 6], [12, 10]], "winners": [0], "pieces": [[], [], []],
    "hands": [{}, {}, {}, {}], "front": [[], [], [], []],
    "taken": [["orange-3"], ["blue-1", "jester-2", "ring"], [], ["green-2", "green-3", "red-1"]],
}  # fmt: skip


def counted(cards):
    """Cards as the notation lists a hand."""
    return {card: cards.count(card) for card in sorted(set(cards))}


def table(players, **fields):
    """A first turn with full hands that hold a bit of everything, all pieces to come."""
    return copy.deepcopy(positions.position(players=players, to_move=players - 1) | fields)


def crowded(players):
    """As much in every place as there can be, though not at once."""
    return table(
        players,
        round=2,
        front=[LONG_PILE] * players,
        taken=[CARDS] * players,
        roads=[[15, 14, 13]] * players,
        pieces=[[], [15, 14, 13, 12, 11][: players - 1], [10, 9, 8, 7, 1][: players - 1]],
    )


def changes(position):
    """Every position that differs in one entry: its key, and the position.

    A finished game has no cards in play and no pieces to be won.
    """
    over = position["to_move"] is None
    other = 1 - (position["to_move"] or 0)
    for key, value in {"round": 2, "to_move": other, "king": 2}.items():
        yield key, position | {key: value}
    new = {"pieces": [] if over else [*range(3)], "roads": [*range(position["players"])]}
    for key, places in new.items():
        for place in set(places):
            lists = copy.deepcopy(position[key])
            lists[place] = [*lists[place], 2]
            yield f"{key}[{place}]", position | {key: lists}
    for key, seat in itertools.product(
        ("taken",) if over else ("front", "taken"), range(position["players"])
    ):
        for cards in (["red-2"], ["red-3"], ["green-2"], ["jester-2"], ["ring"]):
            lists = copy.deepcopy(position[key])
            lists[seat] = [*lists[seat], *cards]
            yield f"{key}[{seat}] + {cards}", position | {key: lists}
    holders = range(0 if over else position["players"])
    for seat, card in itertools.product(holders, ("red-1", "jester-1", "ring")):
        hands = copy.deepcopy(position["hands"])
        hands[seat][card] = hands[seat].get(card, 0) + 1
        yield f"hands[{seat}] + {card}", position | {"hands": hands}
