"""The three acts: rules T6 to T8."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import (
    each,
    finished,
    last_turn,
    ready_to_pass,
    seat,
    seat_of,
    spaces,
    turn_position,
)

LAST = {"I": 9, "II": 10, "III": 10}


def at(one, two, three, disc=0):
    """Discs of the other seats on space 1, this one on the three spaces given."""
    return {"I": {one: [disc]}, "II": {two: [disc]}, "III": {three: [disc]}}


def with_actor(card, acts=None, **fields):
    """Seat 0 holds this actor and is to move."""
    return turn_position(seats={0: seat([card], **fields)}, acts=acts or {})


@pytest.mark.parametrize(
    ("actor", "after"),
    [("iago", (3, 1, 2)), ("viola", (1, 2, 2)), ("lady_macbeth", (2, 2, 2)), ("puck", (1, 2, 1))],
)
def test_t6_red_gold_and_blue_quills_advance_on_acts_one_two_and_three(actor, after):
    assert spaces(play(with_actor(actor), f"activate:{actor}"), 0) == after


@pytest.mark.parametrize(
    ("actor", "before_the_white_quill"),
    [
        ("romeo", (3, 1, 1)),
        ("juliet", (1, 1, 3)),
        ("beatrice", (1, 3, 1)),
        ("titania", (1, 2, 1)),
        ("hamlet", (1, 1, 2)),
        ("lear", (1, 1, 1)),
        ("portia", (1, 1, 1)),
    ],
)
def test_t6_one_white_quill_after_the_coloured_ones(actor, before_the_white_quill):
    d = play(with_actor(actor), f"activate:{actor}")
    assert spaces(d, 0) == before_the_white_quill
    assert (d["phase"], d["to_move"], d["pending"]["quills"]) == ("quill", 0, 1)
    assert play(d, "quill:II")["to_move"] == 1


@pytest.mark.parametrize(("actor", "quills"), [("author", 2), ("othello", 3)])
def test_t6_each_white_quill_is_chosen_on_its_own(actor, quills):
    d = play(turn_position(seats={0: seat(["othello"])}), f"activate:{actor}")
    assert d["pending"] == {"quills": quills, "then": "turn"}
    d = play(d, "quill:III", "quill:I")
    expected = (2, 1, 2) if quills == 2 else (2, 2, 2)
    d = d if quills == 2 else play(d, "quill:II")
    assert spaces(d, 0) == expected
    assert (d["phase"], d["to_move"]) == ("turn", 1)


def test_t6_white_quills_may_all_go_to_one_act():
    d = play(with_actor("othello"), "activate:othello", "quill:II", "quill:II", "quill:II")
    assert spaces(d, 0) == (1, 4, 1)


def test_t6_a_white_quill_may_go_to_any_act_not_at_its_end():
    d = with_actor("romeo", at(1, 9, 10))
    assert legal(d, "activate:romeo") == {"quill:I", "quill:II"}


def test_t6_with_one_act_left_the_white_quill_goes_there_unasked():
    d = with_actor("hamlet", at(9, 10, 8))
    assert spaces(play(d, "activate:hamlet"), 0) == (9, 10, 10)


def test_t6_white_quills_with_nowhere_to_go_are_lost():
    d = with_actor("othello", at(8, 10, 10))
    after = play(d, "activate:othello")
    assert spaces(after, 0) == (9, 10, 10)
    assert (after["phase"], after["to_move"]) == ("turn", 1)


@pytest.mark.parametrize(("actor", "act"), [("iago", "I"), ("viola", "II"), ("viola", "III")])
def test_t6_the_last_space_is_the_end_and_a_coloured_quill_there_is_lost(actor, act):
    where = {act: {LAST[act] - 1: [0, 1]}}
    once = play(with_actor(actor, where), f"activate:{actor}")
    assert once["piles"][act][str(LAST[act])] == [0]
    where = {act: {LAST[act]: [0, 1]}}
    again = play(with_actor(actor, where), f"activate:{actor}")
    # Nothing arrives, so the disc stays at the bottom of the pile (T7).
    assert again["piles"][act][str(LAST[act])] == [0, 1]


def test_t6_the_second_of_two_red_quills_is_lost_at_the_end():
    d = with_actor("iago", {"I": {8: [0], 9: [1]}, "III": {3: [0]}})
    after = play(d, "activate:iago")
    assert after["piles"]["I"]["9"] == [1, 0]
    assert spaces(after, 0) == (9, 1, 4)


def test_t7_a_disc_that_arrives_goes_on_top():
    d = with_actor("viola", {"II": {2: [3, 1], 1: [0, 2]}})
    after = play(d, "activate:viola")
    assert after["piles"]["II"] == {"1": [2], "2": [3, 1, 0]}


def test_t7_the_discs_left_behind_keep_their_places():
    d = with_actor("viola", {"II": {4: [3, 0, 1, 2]}})
    assert play(d, "activate:viola")["piles"]["II"] == {"4": [3, 1, 2], "5": [0]}


def test_t7_a_disc_that_moves_on_does_not_touch_the_piles_it_passes():
    d = with_actor("iago", {"I": {2: [0, 1], 3: [2], 4: [3]}})
    assert play(d, "activate:iago")["piles"]["I"] == {"2": [1], "3": [2], "4": [3, 0]}


def test_t7_a_disc_goes_on_top_of_a_pile_that_another_has_left():
    d = turn_position(
        order=[1, 0, 2, 3],
        to_move=1,
        seats={0: seat(["puck"]), 1: seat(["viola"])},
        acts={"II": {1: [0, 3], 2: [1, 2]}},
    )
    after = play(d, "activate:viola", "activate:puck")
    assert after["piles"]["II"] == {"1": [3], "2": [2, 0], "3": [1]}


def test_t7_a_disc_that_moves_back_goes_on_top_too():
    seats = {0: ready_to_pass(mood=-1)}
    d = last_turn(seats=seats, acts={"III": {3: [2, 3], 4: [0, 1]}})
    # Only on Act III is the disc past space 1, so it moves there unasked.
    assert play(d, "pass")["piles"]["III"] == {"3": [2, 3, 0], "4": [1]}


def test_t7_of_two_discs_moving_back_the_first_to_arrive_lies_lower():
    seats = {0: ready_to_pass(mood=-1), 1: finished(mood=-1)}
    d = last_turn(seats=seats, acts={"I": {2: [2], 3: [0, 1]}})
    # In Order: seat 0 comes first, so it lies below seat 1.
    assert play(d, "pass")["piles"]["I"] == {"1": [3], "2": [2, 0, 1]}


def test_t8_coloured_quills_come_before_the_white_ones():
    d = with_actor("romeo", at(7, 4, 4))
    # Romeo's red quills take the disc to the end of Act I: white can no longer go there.
    assert legal(d, "activate:romeo") == {"quill:II", "quill:III"}


def test_t8_other_gains_of_a_power_come_before_the_white_quills():
    d = play(with_actor("titania"), "activate:titania")
    assert (d["phase"], seat_of(d, 0)["mood"]) == ("quill", 1)


def test_t8_the_mood_of_the_others_falls_before_the_white_quills():
    d = play(with_actor("hamlet"), "activate:hamlet")
    assert d["phase"] == "quill"
    assert each(d, "mood") == [0, -1, -1, -1]


@pytest.mark.parametrize(("actor", "mood"), [("falstaff", 2), ("puck", 1)])
def test_t8_a_power_moves_the_mood_of_its_own_seat(actor, mood):
    after = play(with_actor("puck"), f"activate:{actor}")
    assert each(after, "mood") == [mood, 0, 0, 0]


def test_t6_a_power_moves_the_disc_of_its_own_seat_only():
    d = turn_position(order=[2, 0, 1, 3], to_move=2, seats={2: seat(["lady_macbeth"])})
    after = play(d, "activate:lady_macbeth")
    assert [spaces(after, disc) for disc in range(4)] == [
        (1, 1, 1),
        (1, 1, 1),
        (2, 2, 2),
        (1, 1, 1),
    ]
