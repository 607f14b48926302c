"""`Position.from_dict` refuses impossible positions with the place to correct."""

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from shakespeare_env.shakespeare.record import checks
from shakespeare_env.shakespeare.state import RANGES
from tests.contract.playing import GONE, changed, play
from tests.shakespeare import positions as p


def afternoon():
    """Return a turn of seat 0 with a bit of everything on the table."""
    me = p.seat(
        ["lear", "extra:viola", "assistant"],
        used=["falstaff"],
        costumes={"author": ["pink", "blue"]},
        stage={"a1": "pink", "a2": "black", "a5": "pink", "b1": "green"},
        objectives=["jewels"],
        tokens=1,
    )
    return p.turn_position(sets={"pink": 2, "black": 1}, costumes={"green": 1}, seats={0: me})


def crafting():
    """Return a position in which seat 0 spends the value of a handyman."""
    return play(p.turn_position(sets={"pink": 3}), "activate:handyman_board")


def writing():
    """Return a position in which seat 0 has two white quills."""
    return play(p.turn_position(), "activate:author")


def lear_writing():
    """Return a position in which seat 0 has a white quill, then a blue stage set to take."""
    d = p.turn_position(sets={"blue": 1}, seats={0: p.seat(["lear"])})
    return play(d, "activate:lear")


def choosing():
    """Return a position in which seat 0 has drawn three objectives."""
    return play(p.turn_position(), "activate:queen", "queen:objectives")


def stepping_back():
    """Return a position in which seat 0 chooses where to move back, and seats 1 to 3 follow."""
    acts = {"I": {2: [0]}, "II": {3: [0]}}
    return play(p.last_turn(acts=acts, seats={0: p.ready_to_pass(mood=-1)}), "pass")


def rehearsing():
    """Return a position in which seat 1 has a white quill in the rehearsal, and seat 0 follows."""
    worn = {"author": ["black"] * 3}
    seats = {0: p.ready_to_pass(), 1: p.finished(used=["falstaff"], costumes=worn)}
    return play(p.last_turn(players=2, day=4, seats=seats), "pass")


def resting():
    """Return a position in which seat 0 has chosen, seat 1 chooses, and seat 2 follows."""
    used = ["author", "queen"]
    seats = {i: p.finished(used=used) for i in (1, 2)} | {0: p.ready_to_pass(used=used)}
    return play(p.last_turn(players=3, seats=seats), "pass", "keep:queen")


def over():
    """Return the end of a game that seat 0 wins."""
    return play(p.last_turn(players=2, day=6, acts={"II": {4: [0]}}), "pass")


def alone():
    """Return a turn in solo."""
    return p.turn_position(players=1)


@pytest.mark.parametrize("make", [afternoon, crafting, over])
def test_every_key_is_needed_and_others_are_refused(make):
    d = make()
    for key in d:
        with pytest.raises(PositionError, match=key):
            Position.from_dict(changed(d, {key: GONE}))
    for place in ("", "display.", "bags.", "piles.", "seats.0.", "seats.0.troupe.3."):
        with pytest.raises(PositionError, match="hat"):
            Position.from_dict(changed(d, {f"{place}hat": {}}))


AT_THE_END = {act: {at: [0, 1, 2, 3]} for act, at in {"I": "9", "II": "10", "III": "10"}.items()}
NAMED = r"seats\[2\]\."

# A position, what is changed in it, and what the error names.
FAULTS = [
    # numbers, lists and truths of another kind or out of range
    (afternoon, {"players": 3}, "order"),
    (afternoon, {"strategic_rest": 1}, "strategic_rest"),
    (alone, {"strategic_rest": True}, "strategic_rest"),
    (afternoon, {"day": True}, "day"),
    # phase and who is to move
    (afternoon, {"phase": "lunch"}, "lunch"),
    (afternoon, {"phase": "quill"}, "pending"),
    (afternoon, {"phase": "draft"}, "part|wager"),
    (afternoon, {"phase": "rest"}, "initiative"),
    (afternoon, {"to_move": 4}, "to_move"),
    (afternoon, {"seats.0.passed": True, "seats.0.recruited": True}, "to_move"),
    (afternoon, {"seats.0.cylinders": 0, "seats.0.wager": 1, "seats.0.recruited": True}, "to_move"),
    (p.wager_position, {"to_move": 2}, "wager"),
    (rehearsing, {"to_move": 0}, "queue"),
    (rehearsing, {"day": 5}, "day"),
    (over, {"to_move": 0}, "to_move"),
    # the tracks
    (afternoon, {"initiative": [0, 0]}, "initiative"),
    (stepping_back, {"initiative": []}, "initiative"),
    (afternoon, {"queue": [1]}, "queue"),
    (stepping_back, {"queue": [2, 1, 3]}, "queue"),
    # discs
    (afternoon, {"piles.I": {"1": [0, 1, 2]}}, r"piles\.I.*3"),
    (afternoon, {"piles.II": {"1": [0, 1, 2, 3], "4": [2]}}, r"piles\.II"),
    (afternoon, {"piles.I": {"10": [0, 1, 2, 3]}}, r"piles\.I"),
    (afternoon, {"piles.III": {"1": [0, 1, 2, 3, "neutral"]}}, "neutral|entries"),
    (alone, {"piles.II": {"1": [0]}}, "neutral"),
    # elements, cards, objectives and tokens
    (afternoon, {"display.sets.pink": 3}, "bag"),
    (afternoon, {"bags.sets.black": GONE}, "black"),
    (afternoon, {"display.characters": ["puck", "romulus"]}, "romulus"),
    (afternoon, {"discarded_characters": ["othello"]}, "deck"),
    (afternoon, {"deck": []}, "deck"),
    (afternoon, {"seats.1.objectives": ["jewels"]}, "objective_deck"),
    (choosing, {"pending.drawn": []}, "drawn|objective"),
    (afternoon, {"supply_tokens": 8}, "supply_tokens"),
    # the decision under way
    (afternoon, {"pending": {"quills": 1, "then": "turn"}}, "pending"),
    (crafting, {"pending.value": 0}, "value"),
    (crafting, {"pending.colours": []}, "colours|craft_value"),
    (writing, {"pending.then": "lunch"}, "lunch"),
    (writing, {"pending.then": "mood"}, "initiative"),
    (lear_writing, {"pending.then.value": GONE}, "value"),
    (writing, {"piles": AT_THE_END}, "no legal move"),
    (afternoon, {"winners": [0]}, "winners"),
    (over, {"winners": [0, 1]}, "winners"),
    # a yellow element must be taken (T16) and none is on display
    (crafting, {"pending.optional": False, "pending.colours": ["yellow"]}, "no legal move"),
    # every seat that is still to recruit has a card to take
    (lambda: p.turn_position(shown=[]), {}, "shown"),
    # seats
    (afternoon, {"seats.3": GONE}, "seats"),
    (afternoon, {"seats.2.unpaid": 0}, "unpaid"),
    (over, {"seats.1.unpaid": GONE}, "unpaid"),
    (afternoon, {"seats.2.pounds": -1}, NAMED + "pounds"),
    (afternoon, {"seats.2.wager": None}, "wager"),
    (alone, {"seats.0.wager": 5}, "wager"),
    (p.wager_position, {"seats.0.cylinders": 2}, "cylinders"),
    (p.wager_position, {"seats.0.wager": 2}, "wager"),
    (afternoon, {"seats.2.kept": "author"}, "kept"),
    (resting, {"seats.0.kept": "falstaff"}, "kept"),
    # stages
    (afternoon, {"seats.0.stage.d1": "pink"}, "d1"),
    (afternoon, {"seats.0.stage.a2": GONE}, "stage"),
    (afternoon, {"seats.0.stage.a5": "black"}, "stage"),
    # troupes: 4 is Lear, 5 an extra, 6 an assistant
    (afternoon, {"seats.1.troupe.0": GONE}, "card"),
    (afternoon, {"seats.0.troupe.4.card": "iago"}, "deck"),
    (afternoon, {"seats.0.troupe.4.card": "queen"}, "card"),
    (afternoon, {"seats.0.troupe.4.rest": 1}, r"troupe\[4\]\.rest"),
    (afternoon, {"seats.0.troupe.5.cylinder": True}, "cylinder"),
    (afternoon, {"seats.0.troupe.6.rest": True}, "cylinder"),
    (afternoon, {"seats.0.troupe.0.costume": ["pink"] * 4}, r"troupe\[0\]\.costume"),
    (afternoon, {"seats.0.troupe.3.costume": ["pink"], "bags.costumes.pink": 7}, "costume"),
    (afternoon, {"seats.0.troupe.6.costume": ["pink"], "bags.costumes.pink": 7}, "costume"),
]


@pytest.mark.parametrize(("make", "changes", "named"), FAULTS)
def test_an_impossible_position_is_refused(make, changes, named):
    with pytest.raises(PositionError, match=named):
        Position.from_dict(changed(make(), changes))


def test_every_fault_names_a_field_of_the_record_and_says_what_holds():
    assert set(checks.FAULTS) == set(checks.FaultCode)
    for field, says in checks.FAULTS.values():
        assert field in RANGES
        assert says


def test_the_error_says_what_holds_and_shows_what_was_given():
    wager_before_its_turn = changed(p.wager_position(), {"seats.0.wager": 2})
    with pytest.raises(PositionError) as caught:
        Position.from_dict(wager_before_its_turn)
    assert "[2, 0, 0, 0]" in str(caught.value)
    assert "W1" in str(caught.value)


def test_a_decision_with_one_legal_move_can_be_read_and_played():
    d = p.turn_position(seats={0: p.seat(recruited=True, resting=list(p.BOARD))})
    assert Position.from_dict(d).moves() == ["pass"]
    assert play(d, "pass")["to_move"] == 1
