"""`Position.from_dict` takes every position that can be and refuses others, naming the fault."""

import copy

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.shakespeare.positions import position, wager_position
from tests.shakespeare.situations import (
    GONE,
    afternoon,
    alone,
    changed,
    choosing,
    crafting,
    drafting,
    lear_writing,
    over,
    rehearsing,
    resting,
    stepping_back,
    writing,
)

KINDS = (
    afternoon, alone, choosing, crafting, drafting, lear_writing, over, rehearsing, resting,
    stepping_back, wager_position, writing,
)  # fmt: skip


@pytest.mark.parametrize("make", KINDS)
def test_a_position_that_can_be_is_taken_and_given_back_as_it_was(make):
    d = make()
    assert Position.from_dict(copy.deepcopy(d)).to_dict() == d


@pytest.mark.parametrize("make", KINDS)
def test_reading_does_not_change_what_it_reads(make):
    d = make()
    before = copy.deepcopy(d)
    Position.from_dict(d)
    assert d == before


# What is changed -> the place or the thing that the error names.
FAULTS = [
    # the whole
    (afternoon, {"game": "chess"}, "game"),
    (afternoon, {"game": GONE}, "game"),
    (afternoon, {"players": 5}, "players"),
    (afternoon, {"players": 0}, "players"),
    (afternoon, {"players": 3}, "order"),
    (afternoon, {"players": "4"}, "players"),
    (afternoon, {"players": True}, "players"),
    (afternoon, {"players": 4.0}, "players"),
    (afternoon, {"strategic_rest": 1}, "strategic_rest"),
    (afternoon, {"strategic_rest": None}, "strategic_rest"),
    (alone, {"strategic_rest": True}, "strategic_rest"),
    (afternoon, {"day": 0}, "day"),
    (afternoon, {"day": 7}, "day"),
    (afternoon, {"day": True}, "day"),
    (afternoon, {"day": 3.0}, "day"),
    (afternoon, {"weather": "fine"}, "weather"),
    *[
        (afternoon, {key: GONE}, key)
        for key in (
            *("players", "strategic_rest", "day", "phase", "to_move", "order", "initiative"),
            *("piles", "display", "bags", "discarded", "deck", "discarded_characters"),
            *("objective_deck", "supply_tokens", "pending", "queue", "winners", "seats"),
        )
    ],
    # phase and who is to move
    (afternoon, {"phase": "lunch"}, "lunch"),
    (afternoon, {"phase": None}, "phase"),
    (afternoon, {"phase": "quill"}, "pending"),
    (afternoon, {"phase": "craft"}, "pending"),
    (afternoon, {"phase": "objective"}, "pending"),
    (afternoon, {"phase": "draft"}, "wager"),
    (afternoon, {"phase": "wager"}, "wager"),
    (afternoon, {"phase": "rest"}, "initiative"),
    (afternoon, {"phase": "over"}, "to_move"),
    (afternoon, {"to_move": 4}, "to_move"),
    (afternoon, {"to_move": -1}, "to_move"),
    (afternoon, {"to_move": None}, "to_move"),
    (afternoon, {"to_move": "0"}, "to_move"),
    (afternoon, {"to_move": False}, "to_move"),
    (afternoon, {"seats.0.passed": True, "seats.0.recruited": True}, "to_move"),
    (afternoon, {"seats.0.cylinders": 0, "seats.0.wager": 1, "seats.0.recruited": True}, "to_move"),
    (wager_position, {"to_move": 2}, "wager"),
    (resting, {"to_move": 0}, "queue"),
    (resting, {"to_move": 2}, "queue"),
    (rehearsing, {"to_move": 0}, "queue"),
    (rehearsing, {"day": 5}, "day"),
    (over, {"to_move": 0}, "to_move"),
    (over, {"day": 5}, "day"),
    # the tracks
    (afternoon, {"order": [0, 1, 2, 2]}, "order"),
    (afternoon, {"order": [0, 1, 2]}, "order"),
    (afternoon, {"order": [0, 1, 2, 4]}, "order"),
    (afternoon, {"order": [0, True, 2, 3]}, "order"),
    (afternoon, {"order": "0123"}, "order"),
    (afternoon, {"initiative": [0, 0]}, "initiative"),
    (afternoon, {"initiative": [7]}, "initiative"),
    (afternoon, {"initiative": None}, "initiative"),
    (wager_position, {"initiative": [0, 1, 2]}, "initiative"),
    (stepping_back, {"initiative": []}, "initiative"),
    (afternoon, {"queue": [1]}, "queue"),
    (stepping_back, {"queue": [2, 1, 3]}, "queue"),
    (stepping_back, {"queue": []}, "queue"),
    (stepping_back, {"queue": [1, 2, 2]}, "queue"),
    (stepping_back, {"queue": [0, 1, 2, 3]}, "queue"),
    (resting, {"queue": [2, 0]}, "queue"),
    (resting, {"queue": [9]}, "queue"),
    # discs
    (afternoon, {"piles.I": {"1": [0, 1, 2]}}, r"piles\.I.*3"),
    (afternoon, {"piles.II": {"1": [0, 1, 2, 3], "4": [2]}}, r"piles\.II"),
    (afternoon, {"piles.II": {"1": [0, 1, 2, 3, 3]}}, r"piles\.II"),
    (afternoon, {"piles.I": {"10": [0, 1, 2, 3]}}, r"piles\.I"),
    (afternoon, {"piles.III": {"0": [0, 1, 2, 3]}}, r"piles\.III"),
    (afternoon, {"piles.III": {"1": [0, 1, 2, 3, "neutral"]}}, "neutral|entries"),
    (afternoon, {"piles.III": {"1": [0, 1, 2, "3"]}}, r"piles\.III"),
    (afternoon, {"piles.III": {"1": [0, True, 2, 3]}}, r"piles\.III"),
    (afternoon, {"piles.III": [0, 1, 2, 3]}, r"piles\.III"),
    (afternoon, {"piles.IV": {}}, "IV"),
    (afternoon, {"piles.II": GONE}, "II"),
    (alone, {"piles.II": {"1": [0]}}, "neutral"),
]


@pytest.mark.parametrize(("make", "changes", "named"), FAULTS)
def test_a_position_that_cannot_be_is_refused(make, changes, named):
    with pytest.raises(PositionError, match=named):
        Position.from_dict(changed(make(), changes))


@pytest.mark.parametrize("value", [None, [], "position", 5])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(PositionError):
        Position.from_dict(value)


def test_a_position_error_is_a_value_error():
    with pytest.raises(ValueError, match="day"):
        Position.from_dict(position("turn") | {"day": 9})
