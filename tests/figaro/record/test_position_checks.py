"""`Position.from_dict` takes every position that can be and refuses others, naming the fault."""

import copy
from typing import Any

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.contract.playing import GONE, changed
from tests.figaro.samples import SAMPLES, opening, over, position, trio, turn

KEYS = (
    *("game", "players", "round", "to_move", "king", "hands", "front", "taken", "pieces"),
    *("roads", "winners"),
)


def no_cards():
    return position([{"red-1": 1}, {}, {"ring": 1}], to_move=1)


@pytest.mark.parametrize("make", SAMPLES)
def test_a_position_that_can_be_is_taken_and_given_back_as_it_was(make):
    d = make()
    before = copy.deepcopy(d)
    assert Position.from_dict(d).to_dict() == before
    assert d == before


def test_every_key_is_needed_and_no_other_known():
    for key in KEYS[1:]:
        for make in (turn, over):
            with pytest.raises(PositionError, match=f"^position: the key '{key}' is missing; add"):
                Position.from_dict(changed(make(), {key: GONE}))
    with pytest.raises(PositionError, match="unknown key 'phase'; the keys are game, players"):
        Position.from_dict(turn() | {"phase": "turn"})
    others: list[Any] = [None, [], "position", {}, turn() | {"game": 3}]
    for value in others:
        with pytest.raises(PositionError, match="position: no game named"):
            Position.from_dict(value)


# What is changed -> the place, the value and the remedy that the error names.
FAULTS = [
    # numbers and lists of another kind or out of range
    (turn, {"game": "chess"}, "game: there is no game 'chess'; there are: .*figaro"),
    *[
        (turn, {"players": value}, f"players: {value!r} is out of place; .* from 3 to 6")
        for value in (2, 7, "4", 4.0, None, 10**30)
    ],
    (turn, {"round": True}, "round: True is out of place; .* from 1 to 3"),
    (turn, {"king": 4}, "king: 4 is out of place; .* from 0 to 3"),
    (turn, {"to_move": -1}, "to_move: -1 is out of place; .* from 0 to 3"),
    (turn, {"hands": {}}, "hands: {} is not a list; write a list"),
    (turn, {"hands.1": ["ring"]}, r"hands\[1\]: \['ring'\] is not an object; write card -> count"),
    (turn, {"front.1": {"ring": 1}}, r"front\[1\]: .* is not a list; write a list"),
    (turn, {"players": 3}, "hands: 4 entries; at most 3 can stand here"),
    (turn, {"players": 5}, "hands: 4 seats; describe all 5"),
    (turn, {"pieces.0": GONE}, "pieces: 2 rounds; describe all 3"),
    # cards
    (turn, {"hands.1.blue-4": 1}, r"hands\[1\]: 'blue-4' is not known here; use one of red-1, "),
    (turn, {"hands.1.?": 4}, r"hands\[1\]: '\?' is not known here; use one of red-1, "),
    (turn, {"front.1.0": ["ring"]}, r"front\[1\]\[0\]: .* is not known here; use one of"),
    *[
        (turn, {"hands.1.blue-2": value}, rf"hands\[1\].blue-2: {value!r} is .* from 1 to 6")
        for value in (0, 7, "2", True)
    ],
    (turn, {"hands.3.orange-2": 2}, "position: 5 copies of 'orange-2' .*; there are 6 with 4"),
    (turn, {"taken.1": ["ring"]}, "position: 6 copies of 'ring' .*; there are 5 with 4 seats"),
    (trio, {"hands.0.purple-2": 1}, r"hands\[0\]: 'purple-2' is not dealt to 3 seats; leave"),
    (trio, {"front.1": ["purple-1"]}, "position: 1 copies of 'purple-1' .*; there are 0 with 3"),
    (opening, {"hands.0.jester-2": 2}, r"hands\[0\]: 1[1-9] cards; at most 10 are dealt"),
    (turn, {"front.1": ["ring"] * 60}, r"front\[1\]: 60 entries; at most 10 can stand here"),
    (turn, {"front.3": ["green-3", "green-3"]}, r"front\[3\]: a total of 6; at 6 the seat takes"),
    (turn, {"front.2": ["blue-1", "red-1"]}, r"front\[2\]: .* has several colours; leave one"),
    (turn, {"front.3": ["blue-1"]}, r"front: blue before the seats \[2, 3\]; leave it before one"),
    (no_cards, {}, "to_move: seat 1 has no cards; .*give it cards or"),
    # pieces and roads
    (turn, {"pieces.0": [1]}, r"pieces\[0\]: 1 pieces, .*; empty the list, the round is scored"),
    (turn, {"pieces.2": [9, 8, 7, 3]}, r"pieces\[2\]: 4 pieces, .*; list 3 pieces"),
    (turn, {"pieces.2": [7, 8, 9]}, r"pieces\[2\]: \[7, 8, 9\] is out of order; .*long to short"),
    (turn, {"pieces.2": [16, 8, 7]}, r"pieces\[2\]\[0\]: 16 is out of place; .* from 1 to 15"),
    (turn, {"pieces.2": [10, 8, 7]}, "position: the road piece 10 twice; put it in one place"),
    (turn, {"roads.0": [14]}, "position: the road piece 14 twice; put it in one place"),
    (turn, {"roads.0": [15, 3]}, r"roads\[0\]: 2 pieces after 1 rounds; one a round at most"),
    (turn, {"roads.3": [3]}, "roads: 4 pieces after 1 rounds; give out 3 at most"),
    (trio, {"roads.0": [13, 15]}, r"roads\[0\]: \[13, 15\] is out of order; .*long to short"),
    # the end
    (turn, {"to_move": None}, "pieces.1.: 3 pieces, .*; empty the list"),
    (turn, {"winners": [2]}, r"winners: \[2\] before the end; write null"),
    (over, {"winners": None}, "winners: None is not a list; write a list"),
    (over, {"winners": [0]}, r"winners: \[0\]; seat 3 has the shortest road; write \[3\]"),
    (over, {"winners": [3, 3]}, r"winners: \[3, 3\] names a seat twice; name every seat once"),
    (over, {"king": 0}, r"winners: \[3\]; seat 0 has the shortest road; write \[0\]"),
    (over, {"round": 2}, "to_move: null in round 2; name the seat to move"),
    (over, {"to_move": 3}, r"pieces\[2\]: 0 pieces, .*; list 4 pieces"),
    (over, {"hands.1": {"ring": 1}, "taken.0": []}, "hands: cards in hand at the end; empty all"),
    (over, {"front.1": ["ring"], "taken": [[]] * 5}, "front: cards face up at the end; empty all"),
]


@pytest.mark.parametrize(
    ("make", "changes", "named"), FAULTS, ids=[f"{f[0].__name__}-{f[1]}"[:60] for f in FAULTS]
)
def test_a_position_that_cannot_be_is_refused(make, changes, named):
    with pytest.raises(PositionError, match=f"^{named}"):
        Position.from_dict(changed(make(), changes))


def test_taken_cards_are_read_in_any_order_and_written_sorted():
    d = turn()
    shuffled = changed(d, {"taken.0": d["taken"][0][::-1], "hands.2": {}})
    shuffled["hands"][2] = dict(reversed(d["hands"][2].items()))
    assert Position.from_dict(shuffled).to_dict() == d
    assert list(Position.from_dict(shuffled).to_dict()["hands"][2]) == list(d["hands"][2])


def test_a_decision_with_one_legal_move_can_be_read_and_played():
    """As in every game: how the position came about is not asked (Rules D1)."""
    read = Position.from_dict(position([{"ring": 1}, {"red-1": 2}, {"red-2": 1}], to_move=0))
    assert read.moves() == ["ring"]
    read.push("ring")
    assert read.to_move == 1
