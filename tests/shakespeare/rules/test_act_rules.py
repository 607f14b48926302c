"""The three acts: rules T6 to T8."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare import positions as p


def at(one, two, three):
    """Put the disc of seat 0 on the three spaces given, those of the others on space 1."""
    return {"I": {one: [0]}, "II": {two: [0]}, "III": {three: [0]}}


def with_actor(card, acts=None):
    """Return a turn of seat 0, which holds this actor."""
    return p.turn_position(seats={0: p.seat([card])}, acts=acts or {})


@pytest.mark.parametrize(
    ("actor", "after", "white"),
    [
        ("iago", (3, 1, 2), 0),
        ("viola", (1, 2, 2), 0),
        ("lady_macbeth", (2, 2, 2), 0),
        ("puck", (1, 2, 1), 0),
        ("romeo", (3, 1, 1), 1),
        ("juliet", (1, 1, 3), 1),
        ("beatrice", (1, 3, 1), 1),
        ("titania", (1, 2, 1), 1),
        ("hamlet", (1, 1, 2), 1),
        ("lear", (1, 1, 1), 1),
        ("portia", (1, 1, 1), 1),
        ("othello", (1, 1, 1), 3),
        ("author", (1, 1, 1), 2),
        ("falstaff", (1, 1, 1), 0),
    ],
)
def test_t6_coloured_quills_advance_on_their_acts_and_white_ones_are_chosen_after(
    actor, after, white
):
    """Red, gold and blue are Acts I, II and III; the discs of the others stay."""
    on_board = actor in ("author", "falstaff")
    d = play(p.turn_position() if on_board else with_actor(actor), f"activate:{actor}")
    assert [p.spaces(d, disc) for disc in range(4)] == [after] + [(1, 1, 1)] * 3
    if white:
        assert (d["phase"], d["to_move"], d["pending"]["quills"]) == ("quill", 0, white)
        assert legal(d) == {"quill:I", "quill:II", "quill:III"}
        d = play(d, *["quill:II"] * white)
        assert p.spaces(d, 0) == (after[0], after[1] + white, after[2])
    assert (d["phase"], d["to_move"]) == ("turn", 1)


def test_t6_a_white_quill_may_go_to_any_act_not_at_its_end():
    assert legal(with_actor("romeo", at(1, 9, 10)), "activate:romeo") == {"quill:I", "quill:II"}
    after = play(with_actor("hamlet", at(9, 10, 8)), "activate:hamlet")
    assert p.spaces(after, 0) == (9, 10, 10)  # the one act left is no choice (D1)
    after = play(with_actor("othello", at(8, 10, 10)), "activate:othello")
    assert (p.spaces(after, 0), after["to_move"]) == ((9, 10, 10), 1)  # the others are lost


@pytest.mark.parametrize(
    ("actor", "act", "last"), [("iago", "I", 9), ("viola", "II", 10), ("viola", "III", 10)]
)
def test_t6_the_last_space_is_the_end_and_a_coloured_quill_there_is_lost(actor, act, last):
    once = play(with_actor(actor, {act: {last - 1: [0, 1]}}), f"activate:{actor}")
    assert once["piles"][act][str(last)] == [0]
    again = play(with_actor(actor, {act: {last: [0, 1]}}), f"activate:{actor}")
    # Nothing arrives, so the disc stays at the bottom of the pile (T7).
    assert again["piles"][act][str(last)] == [0, 1]


@pytest.mark.parametrize(
    ("actor", "act", "before", "after"),
    [
        ("viola", "II", {2: [3, 1], 1: [0, 2]}, {"1": [2], "2": [3, 1, 0]}),
        ("viola", "II", {4: [3, 0, 1, 2]}, {"4": [3, 1, 2], "5": [0]}),
        ("iago", "I", {2: [0, 1], 3: [2], 4: [3]}, {"2": [1], "3": [2], "4": [3, 0]}),
    ],
)
def test_t7_a_disc_that_arrives_goes_on_top_and_touches_no_other_pile(actor, act, before, after):
    assert play(with_actor(actor, {act: before}), f"activate:{actor}")["piles"][act] == after


def test_t7_discs_that_move_back_go_on_top_in_the_order_of_arrival():
    # Discs are past space 1 on Act I only, so they move there without a choice, seat 0 first.
    seats = {0: p.ready_to_pass(mood=-1), 1: p.finished(mood=-1)}
    d = p.last_turn(seats=seats, acts={"I": {2: [2], 3: [0, 1]}})
    assert play(d, "pass")["piles"]["I"] == {"1": [3], "2": [2, 0, 1]}


def test_t8_coloured_quills_and_gains_come_before_the_white_quills():
    # Romeo's red quills take the disc to the end of Act I: white can no longer go there.
    assert legal(with_actor("romeo", at(7, 4, 4)), "activate:romeo") == {"quill:II", "quill:III"}
    d = play(with_actor("titania"), "activate:titania")
    assert (d["phase"], p.seat_of(d, 0)["mood"]) == ("quill", 1)
    d = play(with_actor("hamlet"), "activate:hamlet")
    assert (d["phase"], p.each(d, "mood")) == ("quill", [0, -1, -1, -1])
