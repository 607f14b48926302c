"""Phase 3, mood: rules M1 to M3."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare import positions as p


def evening(*moods, sets=None, **fields):
    """Return the last turn of a day, with the moods of all seats."""
    makers = [p.ready_to_pass] + [p.finished] * (len(moods) - 1)
    seats = {i: make(mood=mood) for i, (make, mood) in enumerate(zip(makers, moods, strict=True))}
    return p.last_turn(players=len(moods), seats=seats, sets=sets, **fields)


def changes(d, after):
    """Return the prestige and pounds gained, seat by seat."""
    return [p.gained(d, after, i) for i in range(d["players"])]


@pytest.mark.parametrize(
    ("moods", "sets", "gains"),
    [
        # +3, +1 and +2 become +1, -1 and 0: a pound, nothing to move back on, nothing.
        ((3, 1, 2), {"purple": 2, "pink": 1}, [(0, 1), (0, 0), (0, 0)]),
        ((1, 3, 2), {"purple": 3}, [(-1, 0), (0, 0), (0, 0)]),
        ((3, -2, 1), {"purple": 7}, [(-1, 0)] * 3),
        ((1, 1, 1), {"black": 2, "pink": 2, "blue": 2, "green": 2, "yellow": 2}, [(0, 1)] * 3),
    ],
)
def test_m1_each_purple_stage_set_left_lowers_every_mood_down_to_minus_2(moods, sets, gains):
    d = evening(*moods, sets=sets, costumes={"purple": 4})
    assert changes(d, play(d, "pass")) == gains


def test_m1_all_moods_fall_before_the_first_seat_is_served():
    d = evening(0, 0, sets={"purple": 1}, acts=p.everyone_on(3, 2))
    after = play(d, "pass")
    assert (after["phase"], after["to_move"], p.each(after, "mood")) == ("back", 0, [0, -1])


@pytest.mark.parametrize(("mood", "change"), [(-2, (-1, 0)), (0, (0, 0)), (1, (0, 1)), (3, (1, 0))])
def test_m2_what_a_mood_brings(mood, change):
    d = evening(mood, 0, acts=p.everyone_on(4, 2))
    after = play(d, "pass")
    assert changes(d, after) == [change, (0, 0)]
    assert p.spaces(after, 0) == (4, 4, 4)


@pytest.mark.parametrize(
    ("mood", "moves", "after"), [(-1, "back", (4, 3, 4)), (2, "quill", (4, 5, 4))]
)
def test_m2_minus_1_moves_back_and_plus_2_ahead_on_an_act_of_choice(mood, moves, after):
    waiting = play(evening(mood, 0, acts=p.everyone_on(4, 2)), "pass")
    assert (waiting["phase"], waiting["to_move"]) == (moves, 0)
    assert legal(waiting) == {f"{moves}:{act}" for act in ("I", "II", "III")}
    done = play(waiting, f"{moves}:II")
    assert (p.spaces(done, 0), p.spaces(done, 1)) == (after, (4, 4, 4))
    assert (done["phase"], done["day"]) == ("wager", 4)


@pytest.mark.parametrize(
    ("mood", "spaces_of_0", "choice"),
    [
        (-1, (2, 1, 5), {"back:I", "back:III"}),
        (-1, (1, 2, 1), (1, 1, 1)),  # the one act left is no choice (D1)
        (-1, (1, 1, 1), (1, 1, 1)),
        (2, (9, 9, 9), {"quill:II", "quill:III"}),
        (2, (9, 10, 10), (9, 10, 10)),
    ],
)
def test_m2_a_disc_moves_only_where_it_can(mood, spaces_of_0, choice):
    one, two, three = spaces_of_0
    d = evening(mood, 0, acts={"I": {one: [0]}, "II": {two: [0]}, "III": {three: [0]}})
    after = play(d, "pass")
    if isinstance(choice, set):
        assert legal(after) == choice
    else:
        assert (p.spaces(after, 0), p.spaces(after, 1)) == (choice, (1, 1, 1))
        assert after["phase"] == "wager"


def test_m2_a_step_back_that_is_not_possible_is_not_left_to_the_next_seat():
    after = play(evening(-1, 0, acts={"I": {4: [1]}, "II": {4: [1]}}), "pass")
    assert (p.spaces(after, 1), after["phase"]) == ((4, 4, 1), "wager")


def test_m2_seats_are_served_in_order():
    # Neither in seat order nor by the Initiative track, where seat 1 alone has a place.
    seats = {0: p.ready_to_pass(mood=2), 1: p.finished(mood=2, used=["falstaff"])}
    d = p.last_turn(
        order=[2, 0, 3, 1], seats=seats | {2: p.finished(mood=2), 3: p.finished(mood=0)}
    )
    decisions = [play(d, "pass", *["quill:I"] * n) for n in range(4)]
    assert [one["to_move"] for one in decisions[:3]] == [2, 0, 1]
    assert [one["queue"] for one in decisions[:3]] == [[0, 3, 1], [3, 1], []]
    assert decisions[3]["piles"]["I"] == {"1": [3], "2": [2, 0, 1]}


def test_m3_each_mood_returns_to_0_as_its_seat_is_served():
    d = evening(1, 2, 3)
    waiting = play(d, "pass")
    # Seat 1 decides (its mood is spent): seat 0 has been served, seat 2 has not.
    assert (waiting["to_move"], p.each(waiting, "mood")) == (1, [0, 0, 3])
    assert changes(d, waiting) == [(0, 1), (0, 0), (0, 0)]
    after = play(waiting, "quill:I")
    assert (changes(d, after), p.each(after, "mood")) == ([(0, 1), (0, 0), (1, 0)], [0, 0, 0])


def test_m3_mood_returns_to_0_only_after_phase_2():
    d = p.last_turn(players=2, seats={0: p.ready_to_pass(mood=3), 1: p.ready_to_pass(mood=3)})
    assert p.each(play(d, "pass"), "mood") == [3, 3]
    assert p.each(play(evening(3, -2), "pass"), "mood") == [0, 0]
