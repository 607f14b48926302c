"""A position must leave its seat something to decide; how the day came about is not asked."""

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.contract.playing import play
from tests.shakespeare.positions import BOARD, seat, turn_position
from tests.shakespeare.situations import changed, crafting


def mandatory_element_without_a_place():
    """A yellow element must be taken (T16) and none is on display."""
    return changed(crafting(), {"pending.optional": False, "pending.colours": ["yellow"]})


def recruiting_from_an_empty_row():
    """The seat has only to recruit, and no card is shown."""
    return turn_position(shown=[], seats={0: seat(cylinders=0, used=["queen"])})


@pytest.mark.parametrize("make", [mandatory_element_without_a_place, recruiting_from_an_empty_row])
def test_a_position_without_a_legal_move_is_refused(make):
    with pytest.raises(PositionError, match="no legal move"):
        Position.from_dict(make())


def test_a_decision_with_one_legal_move_can_be_read_and_played():
    d = turn_position(seats={0: seat(recruited=True, resting=list(BOARD))})
    assert Position.from_dict(d).moves() == ["pass"]
    assert play(d, "pass")["to_move"] == 1
