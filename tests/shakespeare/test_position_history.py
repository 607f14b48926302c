"""What a position tells of the day so far must agree with itself, and leave something to decide."""

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.shakespeare.positions import BOARD, play, seat, turn_position, wager_position
from tests.shakespeare.situations import (
    afternoon,
    alone,
    changed,
    crafting,
    drafting,
    rehearsing,
    resting,
    stepping_back,
)

# What is changed -> the place that the error names.
FAULTS = [
    # A wager is spent on cylinders, used or left; in solo there are five (W4, V1).
    (afternoon, {"seats.2.wager": 3}, r"seats\[2\]\.(wager|cylinders)"),
    (afternoon, {"seats.2.cylinders": 1}, r"seats\[2\]\.(wager|cylinders)"),
    (afternoon, {"seats.2.troupe.3.cylinder": True}, r"seats\[2\]\.(wager|cylinders)"),
    (alone, {"seats.0.cylinders": 4}, r"seats\[0\]\.cylinders"),
    # Who rests cannot have been activated (P2), and nobody rests on day 1.
    (afternoon, {"seats.0.troupe.1.rest": True}, r"seats\[0\]\.troupe\[1\]"),
    (afternoon, {"seats.0.troupe.0.rest": True, "day": 1}, r"rest|day"),
    # Rest tokens are off while the new ones are being chosen in secret (P1, P2).
    (resting, {"seats.0.troupe.1.rest": True}, r"seats\[0\]\.troupe\[1\]"),
    # The Initiative track holds those who have activated an actor (T5).
    (afternoon, {"initiative": [0, 1]}, "initiative"),
    (afternoon, {"initiative": []}, "initiative"),
    # Mood is 0 from when a seat is served until the next turns (M3).
    (wager_position, {"seats.1.mood": 2}, r"seats\[1\]\.mood"),
    (drafting, {"seats.1.mood": 1}, r"seats\[1\]\.mood"),
    (resting, {"seats.1.mood": 2}, r"seats\[1\]\.mood"),
    (rehearsing, {"seats.1.mood": -1}, r"seats\[1\]\.mood"),
    (stepping_back, {"seats.0.mood": -1}, r"seats\[0\]\.mood"),
    # Recruiting is mandatory, and passing comes after it (T2, T4); both are of this day.
    (afternoon, {"seats.1.passed": True}, r"seats\[1\]\.(passed|recruited)"),
    (wager_position, {"seats.1.recruited": True}, r"seats\[1\]\.recruited"),
    (wager_position, {"seats.1.passed": True}, r"seats\[1\]\.passed"),
    (resting, {"seats.1.recruited": False}, r"seats\[1\]\.recruited"),
    (stepping_back, {"seats.1.recruited": False}, r"seats\[1\]\.recruited"),
    (rehearsing, {"seats.1.recruited": False}, r"seats\[1\]\.recruited"),
]


@pytest.mark.parametrize(("make", "changes", "named"), FAULTS)
def test_a_day_that_cannot_have_been_is_refused(make, changes, named):
    with pytest.raises(PositionError, match=named):
        Position.from_dict(changed(make(), changes))


def mandatory_element_without_a_place():
    """A yellow element must be taken (T16) and none is on display."""
    return changed(crafting(), {"pending.optional": False, "pending.colours": ["yellow"]})


def recruiting_from_an_empty_row():
    """The seat has only to recruit, and no card is shown."""
    return turn_position(shown=[], seats={0: seat(cylinders=0, used=["queen"])})


@pytest.mark.parametrize("make", [mandatory_element_without_a_place, recruiting_from_an_empty_row])
def test_a_position_without_a_legal_move_is_refused(make):
    with pytest.raises(PositionError):
        Position.from_dict(make())


def test_a_decision_with_one_legal_move_can_be_read_and_played():
    d = turn_position(seats={0: seat(recruited=True, resting=list(BOARD))})
    assert Position.from_dict(d).moves() == ["pass"]
    assert play(d, "pass")["to_move"] == 1
