"""A position as a Python object: copied, sent to another process, compared."""

import copy
import pickle

import pytest

from shakespeare_env import Position

TRAVELS = {
    "copy": Position.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda position: pickle.loads(pickle.dumps(position)),
}


def middle_of_a_game():
    position = Position.new(players=3, seed=5)
    for step in range(60):
        legal = position.moves()
        position.push(legal[step * 7 % len(legal)])
    return position


@pytest.mark.parametrize("travel", TRAVELS.values(), ids=TRAVELS.keys())
def test_a_copy_is_equal_independent_and_goes_on_alike(travel):
    position = middle_of_a_game()
    before = position.to_dict()
    twin = travel(position)
    assert twin == position
    assert twin.moves() == position.moves()
    while twin.to_move is not None:
        twin.push(twin.moves()[-1])
    assert position.to_dict() == before
    while position.to_move is not None:
        position.push(position.moves()[-1])
    assert twin == position


def test_positions_are_compared_by_what_they_say():
    position = middle_of_a_game()
    reseeded = position.copy()
    reseeded.reseed(99)
    assert reseeded == position
    moved = position.copy()
    moved.push(moved.moves()[0])
    assert moved != position
    assert position != "a position"


def test_a_position_cannot_be_hashed():
    with pytest.raises(TypeError):
        hash(middle_of_a_game())


def test_an_unknown_move_or_action_is_refused_with_a_remedy():
    position = middle_of_a_game()
    with pytest.raises(ValueError, match="shakespeare actions"):
        position.action_id("castle:king")
    with pytest.raises(ValueError, match="out of range"):
        position.move_text(position.game.actions.size)
    assert position.move_text(position.action_id("wager:3")) == "wager:3"
