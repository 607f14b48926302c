"""Phase 3, mood: rules M1 to M3."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import (
    each,
    everyone_on,
    finished,
    gained,
    last_turn,
    ready_to_pass,
    spaces,
)


def evening(*moods, sets=None, **fields):
    """Seat 0 has only to pass, all others are finished; the moods of all seats."""
    makers = [ready_to_pass] + [finished] * (len(moods) - 1)
    seats = {i: make(mood=mood) for i, (make, mood) in enumerate(zip(makers, moods, strict=True))}
    return last_turn(players=len(moods), seats=seats, sets=sets, **fields)


def changes(d, after):
    """Prestige and pounds gained, seat by seat."""
    return [gained(d, after, i) for i in range(d["players"])]


def test_m1_each_purple_stage_set_left_lowers_every_mood_by_one():
    # +3, +1 and +2 become +1, -1 and 0: a pound, nothing to move back on, nothing.
    d = evening(3, 1, 2, sets={"purple": 2, "pink": 1})
    after = play(d, "pass")
    assert changes(d, after) == [(0, 1), (0, 0), (0, 0)]


def test_m1_every_purple_one_counts():
    d = evening(1, 3, sets={"purple": 3})
    assert changes(d, play(d, "pass")) == [(-1, 0), (0, 0)]


def test_m1_moods_stop_at_minus_2():
    d = evening(3, -2, sets={"purple": 7}, acts=everyone_on(4, 2))
    assert changes(d, play(d, "pass")) == [(-1, 0), (-1, 0)]


def test_m1_purple_costumes_and_other_colours_do_not_count():
    sets = {"black": 2, "pink": 2, "blue": 2, "green": 2, "yellow": 2}
    d = evening(1, 1, sets=sets, costumes={"purple": 4})
    assert changes(d, play(d, "pass")) == [(0, 1), (0, 1)]


def test_m1_all_moods_fall_before_the_first_is_looked_at():
    d = evening(0, 0, sets={"purple": 1}, acts={"I": {3: [0, 1]}, "II": {3: [0, 1]}})
    after = play(d, "pass")
    assert (after["phase"], after["to_move"]) == ("back", 0)
    assert each(after, "mood") == [0, -1]


@pytest.mark.parametrize(("mood", "change"), [(-2, (-1, 0)), (0, (0, 0)), (1, (0, 1)), (3, (1, 0))])
def test_m2_what_a_mood_brings(mood, change):
    d = evening(mood, 0, acts=everyone_on(4, 2))
    after = play(d, "pass")
    assert changes(d, after) == [change, (0, 0)]
    assert spaces(after, 0) == (4, 4, 4)


def test_m2_minus_1_moves_back_one_space_on_an_act_of_choice():
    d = evening(-1, 0, acts=everyone_on(4, 2))
    waiting = play(d, "pass")
    assert (waiting["phase"], waiting["to_move"]) == ("back", 0)
    assert legal(waiting) == {"back:I", "back:II", "back:III"}
    after = play(waiting, "back:II")
    assert (spaces(after, 0), spaces(after, 1)) == ((4, 3, 4), (4, 4, 4))
    assert (after["phase"], after["day"]) == ("wager", 4)


def test_m2_minus_1_only_where_the_disc_is_past_space_1():
    d = evening(-1, 0, acts={"I": {2: [0]}, "II": {1: [0, 1]}, "III": {5: [0]}})
    assert legal(d, "pass") == {"back:I", "back:III"}


def test_m2_minus_1_with_one_act_to_move_on_is_not_asked():
    d = evening(-1, 0, acts={"II": {2: [0]}})
    after = play(d, "pass")
    assert (spaces(after, 0), after["phase"]) == ((1, 1, 1), "wager")


def test_m2_minus_1_on_space_1_everywhere_does_nothing():
    d = evening(-1, 0)
    after = play(d, "pass")
    assert (spaces(after, 0), after["phase"]) == ((1, 1, 1), "wager")
    assert changes(d, after) == [(0, 0), (0, 0)]


def test_m2_a_step_back_that_is_not_possible_is_not_left_to_the_next_seat():
    d = evening(-1, 0, acts={"I": {4: [1]}, "II": {4: [1]}})
    after = play(d, "pass")
    assert (spaces(after, 1), after["phase"]) == ((4, 4, 1), "wager")


def test_m2_plus_2_advances_one_space_on_an_act_of_choice():
    d = evening(2, 0)
    waiting = play(d, "pass")
    assert waiting["pending"] == {"quills": 1, "then": "mood"}
    assert legal(waiting) == {"quill:I", "quill:II", "quill:III"}
    after = play(waiting, "quill:III")
    assert (spaces(after, 0), after["phase"]) == ((1, 1, 2), "wager")


def test_m2_plus_2_where_the_act_is_not_at_its_end():
    d = evening(2, 0, acts={"I": {9: [0]}, "II": {9: [0]}, "III": {9: [0]}})
    assert legal(d, "pass") == {"quill:II", "quill:III"}


def test_m2_plus_2_at_the_end_of_every_act_does_nothing():
    d = evening(2, 0, acts={"I": {9: [0]}, "II": {10: [0]}, "III": {10: [0]}})
    after = play(d, "pass")
    assert (spaces(after, 0), after["phase"]) == ((9, 10, 10), "wager")


def test_m2_seats_are_served_in_order():
    # Neither in seat order nor by the Initiative track, where seat 1 alone has a place.
    d = last_turn(
        order=[2, 0, 3, 1],
        seats={
            0: ready_to_pass(mood=2),
            1: finished(mood=2, used=["falstaff"]),
            2: finished(mood=2),
            3: finished(mood=0),
        },
    )
    first = play(d, "pass")
    second = play(first, "quill:I")
    third = play(second, "quill:I")
    assert [first["to_move"], second["to_move"], third["to_move"]] == [2, 0, 1]
    assert [first["queue"], second["queue"], third["queue"]] == [[0, 3, 1], [3, 1], []]
    after = play(third, "quill:I")
    assert after["piles"]["I"] == {"1": [3], "2": [2, 0, 1]}


def test_m2_gains_of_seats_that_decide_nothing_come_in_order_too():
    d = evening(1, 2, 3)
    waiting = play(d, "pass")
    # Seat 1 decides: seat 0 has been served, seat 2 has not.
    assert waiting["to_move"] == 1
    assert changes(d, waiting) == [(0, 1), (0, 0), (0, 0)]
    assert changes(d, play(waiting, "quill:I")) == [(0, 1), (0, 0), (1, 0)]


@pytest.mark.parametrize("moods", [(3, -2), (1, 0), (-1, 3)])
def test_m3_mood_returns_to_0(moods):
    assert each(play(evening(*moods), "pass"), "mood") == [0, 0]


def test_m3_each_mood_returns_to_0_as_its_seat_is_served():
    waiting = play(evening(3, 2, -1), "pass")
    # Seat 0 is done, seat 1 decides (its mood is spent), seat 2 is still to come.
    assert waiting["to_move"] == 1
    assert each(waiting, "mood") == [0, 0, -1]


def test_m2_a_mood_is_looked_at_only_after_phase_2():
    d = last_turn(players=2, seats={0: ready_to_pass(mood=3), 1: ready_to_pass(mood=3)}, to_move=0)
    after = play(d, "pass")
    assert (after["to_move"], each(after, "mood")) == (1, [3, 3])
