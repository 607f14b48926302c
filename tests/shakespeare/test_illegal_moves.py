"""An illegal move is refused with all one needs to know, and changes nothing."""

import pytest

from shakespeare_env import IllegalMove, Position
from tests.contract.playing import play
from tests.shakespeare.positions import everyone_on, last_turn, seat, turn_position, wager_position

CRAFT = ("activate:set_dresser_8",)


def dressing():
    """Seat 0 has a set dresser, and seat 1 follows."""
    return turn_position(
        sets={"pink": 1, "blue": 1}, seats={0: seat(["set_dresser_8"], stage={"a1": "pink"})}
    )


CASES = [
    (wager_position, (), "wager:6", 0, "wager"),
    (wager_position, ("wager:2",), "pass", 1, "wager"),
    (turn_position, (), "pass", 0, "turn"),
    (turn_position, (), "activate:viola", 0, "turn"),
    (turn_position, (), "activate:author+3", 0, "turn"),
    (turn_position, (), "draft:assistant", 0, "turn"),
    (turn_position, ("activate:falstaff",), "quill:I", 1, "turn"),
    (dressing, CRAFT, "set:blue>a5", 0, "craft"),
    (dressing, CRAFT, "set:pink>b1", 0, "craft"),
    (dressing, CRAFT, "activate:falstaff", 0, "craft"),
    (turn_position, ("activate:author",), "done", 0, "quill"),
    (turn_position, ("activate:queen",), "queen:chess", 0, "queen"),
    (turn_position, (), "", 0, "turn"),
    (turn_position, (), "castle", 0, "turn"),
    (turn_position, (), "RECRUIT:assistant", 0, "turn"),
]


@pytest.mark.parametrize(("make", "before", "move", "index", "phase"), CASES)
def test_the_error_says_who_what_where_and_what_would_have_been_legal(
    make, before, move, index, phase
):
    game = Position.from_dict(make())
    for earlier in before:
        game.push(earlier)
    with pytest.raises(IllegalMove) as caught:
        game.push(move)
    error = caught.value
    assert (error.move, error.seat, error.phase) == (move, index, phase)
    assert error.legal == game.moves()
    assert error.game_index is None
    assert repr(move) in str(error)


@pytest.mark.parametrize(("make", "before", "move", "index", "phase"), CASES)
def test_the_position_is_unchanged(make, before, move, index, phase):
    game = Position.from_dict(make())
    for earlier in before:
        game.push(earlier)
    true, copy = game.to_dict(), game.copy()
    with pytest.raises(IllegalMove):
        game.push(move)
    assert game.to_dict() == true
    assert game == copy
    assert (game.to_move, true["phase"]) == (index, phase)


def test_an_illegal_move_does_not_disturb_what_is_drawn_later():
    game = Position.from_dict(last_turn(), seed=9)
    with pytest.raises(IllegalMove):
        game.push("keep:queen")
    game.push("pass")
    assert game.to_dict() == play(last_turn(), "pass", seed=9)


def test_no_move_is_legal_when_the_game_is_over():
    game = Position.from_dict(last_turn(day=6, acts=everyone_on(4)))
    game.push("pass")
    with pytest.raises(IllegalMove) as caught:
        game.push("pass")
    error = caught.value
    assert (error.move, error.seat, error.phase, error.legal) == ("pass", None, "over", [])


def test_an_illegal_move_is_a_value_error():
    with pytest.raises(ValueError, match="castle"):
        Position.from_dict(turn_position()).push("castle")


def test_legal_moves_are_listed_in_the_order_of_their_ids():
    game = Position.from_dict(dressing())
    for move in (None, *CRAFT):
        if move:
            game.push(move)
        ids = [game.action_id(text) for text in game.moves()]
        assert ids == sorted(ids)
        assert [game.move_text(number) for number in ids] == game.moves()
        assert game.action_mask().nonzero()[0].tolist() == ids
