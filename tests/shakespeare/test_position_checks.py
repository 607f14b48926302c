"""`Position.from_dict` takes every position that can be, and refuses the others, naming the fault."""

import copy

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.shakespeare.positions import (
    finished,
    last_turn,
    play,
    position,
    ready_to_pass,
    seat,
    turn_position,
    wager_position,
)

GONE = object()


def afternoon():
    """A turn of seat 0 with a bit of everything on the table."""
    me = seat(
        ["lear", "extra:viola", "assistant"],
        used=["falstaff"],
        costumes={"author": ["pink", "blue"]},
        stage={"a1": "pink", "a2": "black", "a5": "pink", "b1": "green"},
        objectives=["jewels"],
        tokens=1,
    )
    return turn_position(sets={"pink": 2, "black": 1}, costumes={"green": 1}, seats={0: me})


def drafting():
    """The second seat of the draft is to choose."""
    return Position.new("shakespeare", players=2, seed=3).to_dict()


def crafting():
    """Seat 0 is spending the value of a handyman."""
    return play(turn_position(sets={"pink": 3}), "activate:handyman_board")


def writing():
    """Seat 0 has two white quills."""
    return play(turn_position(), "activate:author")


def lear_writing():
    """Seat 0 has a white quill, then a blue stage set to take."""
    d = turn_position(sets={"blue": 1}, seats={0: seat(["lear"])})
    return play(d, "activate:lear")


def choosing():
    """Seat 0 has drawn three objectives."""
    return play(turn_position(), "activate:queen", "queen:objectives")


def stepping_back():
    """Seat 0 chooses where to move back, seats 1 to 3 follow."""
    acts = {"I": {2: [0]}, "II": {3: [0]}}
    return play(last_turn(acts=acts, seats={0: ready_to_pass(mood=-1)}), "pass")


def rehearsing():
    """Seat 1 has a white quill in the rehearsal, seat 0 follows."""
    worn = {"author": ["black"] * 3}
    seats = {0: ready_to_pass(), 1: finished(used=["falstaff"], costumes=worn)}
    return play(last_turn(players=2, day=4, seats=seats), "pass")


def resting():
    """Seat 0 has chosen, seat 1 chooses, seat 2 follows."""
    used = ["author", "queen"]
    seats = {i: finished(used=used) for i in (1, 2)} | {0: ready_to_pass(used=used)}
    return play(last_turn(players=3, seats=seats), "pass", "keep:queen")


def over():
    """The end of a game that seat 0 wins."""
    return play(last_turn(players=2, day=6, acts={"II": {4: [0]}}), "pass")


def alone():
    """A turn in solo."""
    return turn_position(players=1)


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
    (
        writing,
        {
            "piles": {
                a: {n: [0, 1, 2, 3]}
                for a, n in zip(("I", "II", "III"), ("9", "10", "10"), strict=True)
            }
        },
        "quills",
    ),
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
    (afternoon, {"seats.2.wager": 3}, r"seats\[2\]\.(wager|cylinders)"),
    (afternoon, {"seats.2.cylinders": 6}, r"seats\[2\]\.cylinders"),
    (afternoon, {"seats.2.cylinders": -1}, r"seats\[2\]\.cylinders"),
    (alone, {"seats.0.wager": 5}, r"seats\[0\]\.wager"),
    (alone, {"seats.0.cylinders": 4}, r"seats\[0\]\.cylinders"),
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
    (afternoon, {"seats.0.troupe.1.rest": True}, r"seats\[0\]\.troupe\[1\]"),
    (afternoon, {"seats.0.troupe.5.cylinder": True}, r"seats\[0\]\.troupe\[5\]"),
    (afternoon, {"seats.0.troupe.5.rest": True}, r"seats\[0\]\.troupe\[5\]"),
    (afternoon, {"seats.0.troupe.6.cylinder": True}, r"seats\[0\]\.troupe\[6\]"),
    (afternoon, {"seats.0.troupe.0.costume": ["pink"] * 4}, r"troupe\[0\]\.costume"),
    (afternoon, {"seats.0.troupe.0.costume": ["blue", "pink"]}, r"troupe\[0\]\.costume"),
    (afternoon, {"seats.0.troupe.0.costume": ["mauve"]}, "mauve"),
    (afternoon, {"seats.0.troupe.3.costume": ["pink"], "bags.costumes.pink": 7}, "queen"),
    (afternoon, {"seats.0.troupe.6.costume": ["pink"], "bags.costumes.pink": 7}, "assistant"),
]


def changed(d, changes):
    """A copy with values at dotted paths replaced, or taken out."""
    d = copy.deepcopy(d)
    for path, value in changes.items():
        *way, last = path.split(".")
        place = d
        for step in way:
            place = place[int(step) if isinstance(place, list) else step]
        key = int(last) if isinstance(place, list) else last
        if value is GONE:
            del place[key]
        else:
            place[key] = value
    return d


@pytest.mark.parametrize(("make", "changes", "named"), FAULTS)
def test_a_position_that_cannot_be_is_refused(make, changes, named):
    with pytest.raises(PositionError, match=named):
        Position.from_dict(changed(make(), changes))


@pytest.mark.parametrize("value", [None, [], "position", 5])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(PositionError):
        Position.from_dict(value)


def test_a_thirty_first_card_is_refused():
    d = afternoon()
    with pytest.raises(PositionError, match="2 copies of 'othello'"):
        Position.from_dict(d | {"deck": sorted([*d["deck"], "othello"])})


def test_a_card_that_is_missing_is_refused():
    d = afternoon()
    with pytest.raises(PositionError, match=f"copies of '{d['deck'][-1]}'"):
        Position.from_dict(d | {"deck": d["deck"][:-1]})


def test_a_position_error_is_a_value_error():
    with pytest.raises(ValueError, match="day"):
        Position.from_dict(position("turn") | {"day": 9})
