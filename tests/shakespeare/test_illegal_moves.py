"""An illegal move is refused with all one needs to know, and changes nothing."""

import pytest

from shakespeare_env import IllegalMove, Position
from tests.contract.playing import play
from tests.shakespeare.positions import everyone_on, last_turn, seat, turn_position, wager_position

CRAFT = ("activate:set_dresser_8",)


def dressing():
    """Seat 0 has a set dresser, and seat 1 follows."""
    me = seat(["set_dresser_8"], stage={"a1": "pink"})
    return turn_position(sets={"pink": 1, "blue": 1}, seats={0: me})


@pytest.mark.parametrize(
    ("make", "before", "move", "index", "phase"),
    [
        (wager_position, (), "wager:6", 0, "wager"),
        (turn_position, (), "activate:author+3", 0, "turn"),
        (turn_position, ("activate:falstaff",), "quill:I", 1, "turn"),
        (dressing, CRAFT, "set:blue>a5", 0, "craft"),
        (dressing, CRAFT, "activate:falstaff", 0, "craft"),
        (turn_position, ("activate:author",), "done", 0, "quill"),
        (turn_position, ("activate:queen",), "queen:chess", 0, "queen"),
        (turn_position, (), "RECRUIT:assistant", 0, "turn"),
    ],
)
def test_the_error_says_who_what_where_and_what_would_have_been_legal(
    make, before, move, index, phase
):
    game = Position.from_dict(make())
    for earlier in before:
        game.push(earlier)
    copy = game.copy()
    with pytest.raises(IllegalMove, match=move.replace("+", r"\+")) as caught:
        game.push(move)
    error = caught.value
    assert (error.move, error.seat, error.phase) == (move, index, phase)
    assert (error.legal, error.game_index) == (game.moves(), None)
    assert game == copy


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
