"""`Position.from_dict` refuses impossible positions with the place to correct."""

import re
from typing import Any

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.contract.playing import GONE, changed
from tests.figaro.positions import opening, over, sample, trio, turn

KEYS = (
    "game",
    "players",
    "round",
    "to_move",
    "king",
    "hands",
    "front",
    "taken",
    "pieces",
    "roads",
    "winners",
)


def no_cards():
    return sample([{"red-1": 1}, {}, {"ring": 1}], to_move=1)


def test_every_key_is_needed_and_others_are_refused():
    for key in KEYS[1:]:
        with pytest.raises(PositionError, match=key):
            Position.from_dict(changed(turn(), {key: GONE}))
    others: list[Any] = [None, [], "position", {}, turn() | {"game": 3}, turn() | {"phase": 1}]
    for value in others:
        with pytest.raises(PositionError, match=r"^position"):
            Position.from_dict(value)


# A position, what is changed in it, and the place that the error names.
FAULTS = [
    (turn, {"game": "chess"}, "game"),
    (turn, {"players": 2}, "players"),
    (turn, {"players": 7}, "players"),
    (turn, {"players": "4"}, "players"),
    (turn, {"players": 10**30}, "players"),
    (turn, {"round": True}, "round"),
    (turn, {"king": 4}, "king"),
    (turn, {"to_move": -1}, "to_move"),
    (turn, {"hands.1": ["ring"]}, "hands[1]"),
    (turn, {"players": 5}, "hands"),
    (turn, {"pieces.0": GONE}, "pieces"),
    (turn, {"hands.1.blue-4": 1}, "hands[1]"),
    (turn, {"front.1.0": ["ring"]}, "front[1][0]"),
    (turn, {"hands.1.blue-2": 0}, "hands[1].blue-2"),
    (turn, {"hands.1.blue-2": 7}, "hands[1].blue-2"),
    (turn, {"hands.1.blue-2": True}, "hands[1].blue-2"),
    (turn, {"hands.3.orange-2": 2}, "hands"),
    (turn, {"taken.1": ["ring"] * 9}, "taken[1]"),
    (opening, {"hands.0.jester-2": 2}, "hands"),
    (turn, {"front.1": ["ring"] * 60}, "front[1]"),
    (turn, {"front.3": ["green-3", "green-3"]}, "total"),
    (turn, {"front.2": ["blue-1", "red-1"]}, "colour"),
    (turn, {"front.3": ["blue-1"]}, "front"),
    (no_cards, {}, "to_move"),
    (turn, {"pieces.2": [7, 8, 9]}, "pieces"),
    (turn, {"pieces.2": [10, 8, 7]}, "roads"),
    (turn, {"roads.0": [14]}, "roads"),
    (turn, {"roads.0": [15, 3]}, "roads"),
    (trio, {"roads.0": [14, 15]}, "roads"),
    (turn, {"to_move": None}, "winners"),
    (turn, {"winners": [2]}, "winners"),
    (over, {"winners": None}, "winners"),
    (over, {"winners": [0]}, "winners"),
    (over, {"round": 2}, "to_move"),
    (over, {"hands.1": {"ring": 1}, "taken.0": []}, "to_move"),
    (over, {"front.1": ["ring"], "taken": [[]] * 5}, "to_move"),
]


@pytest.mark.parametrize(
    ("make", "changes", "named"), FAULTS, ids=[f"{f[0].__name__}-{f[1]}"[:60] for f in FAULTS]
)
def test_an_impossible_position_is_refused(make, changes, named):
    with pytest.raises(PositionError, match=f"^{re.escape(named)}: "):
        Position.from_dict(changed(make(), changes))


def test_taken_cards_are_read_in_any_order_and_written_sorted():
    d = turn()
    shuffled = changed(d, {"taken.0": d["taken"][0][::-1]})
    assert Position.from_dict(shuffled).to_dict() == d
