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


def test_a_position_without_a_legal_move_is_refused():
    with pytest.raises(PositionError, match="no legal move"):
        Position.from_dict(mandatory_element_without_a_place())


@pytest.mark.parametrize("shown", [[], ["lear"], ["iago", "lear", "puck"]])
def test_every_seat_that_still_recruits_has_a_card_to_take(shown):
    with pytest.raises(PositionError, match=f"display.characters: {len(shown)} characters for 4"):
        Position.from_dict(turn_position(shown=shown))


def test_a_decision_with_one_legal_move_can_be_read_and_played():
    d = turn_position(seats={0: seat(recruited=True, resting=list(BOARD))})
    assert Position.from_dict(d).moves() == ["pass"]
    assert play(d, "pass")["to_move"] == 1
