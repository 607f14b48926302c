"""A position of every phase, for the tests of `Position.from_dict`."""

from shakespeare_env import Position
from tests.contract.playing import play
from tests.shakespeare.positions import finished, last_turn, ready_to_pass, seat, turn_position


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
