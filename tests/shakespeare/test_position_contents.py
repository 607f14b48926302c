"""What a position holds must add up and fit its phase, or `Position.from_dict` refuses it."""

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.shakespeare.positions import wager_position
from tests.shakespeare.situations import (
    GONE,
    afternoon,
    alone,
    changed,
    choosing,
    crafting,
    lear_writing,
    over,
    resting,
    stepping_back,
    writing,
)

AT_THE_END = {act: {at: [0, 1, 2, 3]} for act, at in {"I": "9", "II": "10", "III": "10"}.items()}

# What is changed -> the place or the thing that the error names.
FAULTS = [
    # elements
    (afternoon, {"display.sets.pink": 3}, "pink sets"),
    (afternoon, {"bags.costumes.green": 0}, "green costumes"),
    (afternoon, {"discarded.sets.yellow": 0}, "yellow sets"),
    (afternoon, {"display.sets.pink": -1}, r"display\.sets\.pink"),
    (afternoon, {"display.sets.pink": 2.0}, r"display\.sets\.pink"),
    (afternoon, {"display.sets.black": True}, r"display\.sets\.black"),
    (afternoon, {"bags.sets.red": 0}, "red"),
    (afternoon, {"bags.sets.black": GONE}, "black"),
    (afternoon, {"bags.hats": {}}, "hats"),
    (afternoon, {"display": []}, "display"),
    # cards
    (afternoon, {"display.characters": ["puck", "romulus"]}, "romulus"),
    (afternoon, {"display.characters": ["queen"]}, "queen"),
    (afternoon, {"discarded_characters": ["othello"]}, "othello"),
    (afternoon, {"deck": []}, "copies"),
    (afternoon, {"deck": None}, "deck"),
    # objectives and tokens
    (afternoon, {"objective_deck": ["wardrobe"]}, "objective"),
    (afternoon, {"seats.1.objectives": ["jewels"]}, "jewels"),
    (afternoon, {"seats.1.objectives": ["world_peace"]}, "world_peace"),
    (choosing, {"pending.drawn": []}, "drawn|objective"),
    (choosing, {"pending.drawn": ["jewels", "jewels"]}, "objective"),
    (afternoon, {"supply_tokens": 8}, "supply_tokens"),
    (afternoon, {"supply_tokens": -1}, "supply_tokens"),
    # the decision under way
    (afternoon, {"pending": {"quills": 1, "then": "turn"}}, "pending"),
    (crafting, {"pending": None}, "pending"),
    (crafting, {"pending": {"quills": 1, "then": "turn"}}, "pending"),
    (crafting, {"pending.value": 0}, "value"),
    (crafting, {"pending.value": True}, "value"),
    (crafting, {"pending.colours": []}, "colours"),
    (crafting, {"pending.colours": ["mauve"]}, "mauve"),
    (crafting, {"pending.optional": GONE}, "optional"),
    (crafting, {"pending.sets": 1}, "sets"),
    (writing, {"pending.quills": 0}, "quills"),
    (writing, {"pending.then": "lunch"}, "lunch"),
    (writing, {"pending.then": "mood"}, "initiative"),
    (lear_writing, {"pending.then.value": GONE}, "value"),
    (writing, {"piles": AT_THE_END}, "quills"),
    (stepping_back, {"pending": {"quills": 1, "then": "mood"}}, "pending"),
    (afternoon, {"winners": [0]}, "winners"),
    (over, {"winners": None}, "winners"),
    (over, {"winners": [1]}, "winners"),
    (over, {"winners": [0, 1]}, "winners"),
    # seats
    (afternoon, {"seats": []}, "seats"),
    (afternoon, {"seats.3": GONE}, "seats"),
    (afternoon, {"seats.2": None}, r"seats\[2\]"),
    (afternoon, {"seats.2.mood": GONE}, r"seats\[2\].*mood"),
    (afternoon, {"seats.2.hat": 1}, r"seats\[2\].*hat"),
    (afternoon, {"seats.2.unpaid": 0}, "unpaid"),
    (over, {"seats.1.unpaid": GONE}, "unpaid"),
    (afternoon, {"seats.2.prestige": 5.5}, r"seats\[2\]\.prestige"),
    (afternoon, {"seats.2.prestige": True}, r"seats\[2\]\.prestige"),
    (afternoon, {"seats.2.pounds": -1}, r"seats\[2\]\.pounds"),
    (afternoon, {"seats.2.tokens": -1}, r"seats\[2\]\.tokens"),
    (afternoon, {"seats.2.mood": 4}, r"seats\[2\]\.mood"),
    (afternoon, {"seats.2.mood": -3}, r"seats\[2\]\.mood"),
    (afternoon, {"seats.2.recruited": 0}, r"seats\[2\]\.recruited"),
    (afternoon, {"seats.2.passed": "no"}, r"seats\[2\]\.passed"),
    (afternoon, {"seats.2.wager": 0}, r"seats\[2\]\.wager"),
    (afternoon, {"seats.2.wager": 6}, r"seats\[2\]\.wager"),
    (afternoon, {"seats.2.wager": None}, r"seats\[2\]\.wager"),
    (afternoon, {"seats.2.cylinders": 6}, r"seats\[2\]\.cylinders"),
    (afternoon, {"seats.2.cylinders": -1}, r"seats\[2\]\.cylinders"),
    (alone, {"seats.0.wager": 5}, r"seats\[0\]\.wager"),
    (wager_position, {"seats.0.cylinders": 2}, r"seats\[0\]\.cylinders"),
    (wager_position, {"seats.0.wager": 2}, r"seats\[0\]\.wager"),
    (afternoon, {"seats.2.kept": "author"}, r"seats\[2\]\.kept"),
    (resting, {"seats.0.kept": None}, r"seats\[0\]\.kept"),
    (resting, {"seats.0.kept": "falstaff"}, r"seats\[0\]\.kept"),
    (resting, {"seats.1.kept": "queen"}, r"seats\[1\]\.kept"),
    # stages
    (afternoon, {"seats.0.stage": None}, r"seats\[0\]\.stage"),
    (afternoon, {"seats.0.stage.d1": "pink"}, "d1"),
    (afternoon, {"seats.0.stage.a4": "red"}, "red"),
    (afternoon, {"seats.0.stage.a2": GONE}, r"seats\[0\]\.stage\.b1"),
    (afternoon, {"seats.0.stage.a5": "black"}, r"seats\[0\]\.stage\.a[15]"),
    # troupes
    (afternoon, {"seats.1.troupe.0": GONE}, r"seats\[1\]\.troupe"),
    (afternoon, {"seats.1.troupe.0.card": "queen"}, r"seats\[1\]\.troupe"),
    (afternoon, {"seats.0.troupe.4.card": "iago"}, "iago|lear"),
    (afternoon, {"seats.0.troupe.4.card": "pantalone"}, "pantalone"),
    (afternoon, {"seats.0.troupe.4.card": "queen"}, "queen"),
    (afternoon, {"seats.0.troupe.4.face": "profile"}, "profile"),
    (afternoon, {"seats.0.troupe.4.hat": 1}, "hat"),
    (afternoon, {"seats.0.troupe.4.rest": 1}, r"troupe\[4\]\.rest"),
    (afternoon, {"seats.0.troupe.4.cylinder": None}, r"troupe\[4\]\.cylinder"),
    (afternoon, {"seats.0.troupe.5.cylinder": True}, r"seats\[0\]\.troupe\[5\]"),
    (afternoon, {"seats.0.troupe.5.rest": True}, r"seats\[0\]\.troupe\[5\]"),
    (afternoon, {"seats.0.troupe.6.cylinder": True}, r"seats\[0\]\.troupe\[6\]"),
    (afternoon, {"seats.0.troupe.0.costume": ["pink"] * 4}, r"troupe\[0\]\.costume"),
    (afternoon, {"seats.0.troupe.0.costume": ["blue", "pink"]}, r"troupe\[0\]\.costume"),
    (afternoon, {"seats.0.troupe.0.costume": ["mauve"]}, "mauve"),
    (afternoon, {"seats.0.troupe.3.costume": ["pink"], "bags.costumes.pink": 7}, "queen"),
    (afternoon, {"seats.0.troupe.6.costume": ["pink"], "bags.costumes.pink": 7}, "assistant"),
]


@pytest.mark.parametrize(("make", "changes", "named"), FAULTS)
def test_a_position_that_cannot_be_is_refused(make, changes, named):
    with pytest.raises(PositionError, match=named):
        Position.from_dict(changed(make(), changes))


def test_a_thirty_first_card_is_refused():
    d = afternoon()
    with pytest.raises(PositionError, match="2 copies of 'othello'"):
        Position.from_dict(d | {"deck": sorted([*d["deck"], "othello"])})


def test_a_card_that_is_missing_is_refused():
    d = afternoon()
    with pytest.raises(PositionError, match=f"copies of '{d['deck'][-1]}'"):
        Position.from_dict(d | {"deck": d["deck"][:-1]})
