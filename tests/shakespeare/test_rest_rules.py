"""Phase 6, rest: rules P1 to P4."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import character, each, finished, last_turn, ready_to_pass, seat_of


def resting(d, index):
    """The characters of a seat with a rest token, in order of arrival."""
    return [card["card"] for card in seat_of(d, index)["troupe"] if card["rest"]]


def evening(cards=(), **fields):
    """Two seats; seat 0 has only to pass, seat 1 activated one character."""
    return last_turn(players=2, seats={0: ready_to_pass(cards, **fields)})


def three_seats(**fields):
    """Order 0, 1, 2, initiative 2, 0, 1; seats 0 and 2 have used two characters, seat 1 one."""
    seats = {0: ready_to_pass(used=["author", "queen"]), 2: finished(used=["falstaff", "queen"])}
    return last_turn(players=3, initiative=[2, 0], seats=seats, **fields)


def test_p1_rest_tokens_of_the_day_before_come_off():
    d = evening(["viola"], resting=["falstaff", "handyman_board"], used=["author", "queen"])
    waiting = play(d, "pass")
    assert (waiting["phase"], resting(waiting, 0)) == ("rest", [])
    assert resting(play(waiting, "keep:author"), 0) == ["queen"]


def test_p1_rest_tokens_come_off_of_seats_that_get_none_too():
    d = last_turn(players=2, seats={1: finished(resting=["author", "falstaff"])})
    after = play(d, "pass")
    assert (after["phase"], resting(after, 1)) == ("wager", [])


def test_p2_all_activated_characters_but_one_rest():
    d = evening(["viola", "iago"], used=["author", "queen", "viola"])
    waiting = play(d, "pass")
    assert legal(waiting) == {"keep:author", "keep:queen", "keep:viola"}
    assert resting(play(waiting, "keep:viola"), 0) == ["author", "queen"]


def test_p2_five_cylinders_bring_four_rest_tokens():
    used = ["author", "falstaff", "handyman_board", "queen"]
    d = last_turn(
        players=2, seats={0: ready_to_pass(), 1: finished(["viola"], used=[*used, "viola"])}
    )
    assert resting(play(d, "pass", "keep:falstaff"), 1) == [
        "author",
        "handyman_board",
        "queen",
        "viola",
    ]


def test_p2_unused_cylinders_bring_none():
    d = evening(used=["author", "queen"], cylinders=3)
    assert resting(play(d, "pass", "keep:queen"), 0) == ["author"]


@pytest.mark.parametrize("used", [[], ["author"]])
def test_p2_with_less_than_two_cylinders_used_nobody_rests(used):
    after = play(evening(used=used), "pass")
    assert (after["phase"], resting(after, 0)) == ("wager", [])


def test_p2_choices_are_secret_until_all_are_in():
    waiting = play(three_seats(), "pass")
    assert (waiting["to_move"], waiting["queue"]) == (0, [1, 2])
    one_in = play(waiting, "keep:queen")
    assert (one_in["to_move"], one_in["queue"]) == (2, [])
    assert each(one_in, "kept") == ["queen", None, None]
    assert [resting(one_in, i) for i in range(3)] == [[], [], []]
    after = play(one_in, "keep:falstaff")
    assert [resting(after, i) for i in range(3)] == [["author"], [], ["queen"]]
    assert each(after, "kept") == [None, None, None]


def test_p2_resting_characters_cannot_be_activated_the_next_day():
    d = evening(used=["author", "queen", "falstaff"])
    after = play(d, "pass", "keep:queen", "wager:1", "wager:2")
    assert (after["phase"], after["to_move"], after["day"]) == ("turn", 0, 4)
    active = {move for move in legal(after) if move.startswith("activate:")}
    assert active == {"activate:handyman_board", "activate:queen"}


def test_p2_of_two_activated_copies_the_first_stays_free():
    cards = ["set_dresser_6", "set_dresser_6"]
    waiting = play(evening(cards, used=[*cards, "queen"]), "pass")
    assert legal(waiting) == {"keep:set_dresser_6", "keep:queen"}
    after = play(waiting, "keep:set_dresser_6")
    rest = [card["rest"] for card in seat_of(after, 0)["troupe"][2:]]
    # Handyman, Queen and the two copies.
    assert rest == [False, True, False, True]


def test_p2_the_free_copy_is_one_that_was_activated():
    cards = ["set_dresser_6", "set_dresser_6"]
    d = evening(cards, resting=["set_dresser_6"], used=["set_dresser_6", "queen"])
    after = play(d, "pass", "keep:queen")
    rest = [card["rest"] for card in seat_of(after, 0)["troupe"][2:]]
    # The first copy rested today; the second was activated and rests tomorrow.
    assert rest == [False, False, False, True]


def test_p2_copies_that_are_alike_leave_nothing_to_choose():
    cards = ["set_dresser_6", "set_dresser_6"]
    after = play(evening(cards, used=cards), "pass")
    assert after["phase"] == "wager"
    assert [card["rest"] for card in seat_of(after, 0)["troupe"][4:]] == [False, True]


@pytest.mark.parametrize("day", [1, 2, 3, 4, 5])
def test_p2_there_is_a_rest_on_every_day_but_the_last(day):
    d = last_turn(players=2, day=day, seats={0: ready_to_pass(used=["author", "queen"])})
    waiting = play(d, "pass")
    assert (waiting["phase"], waiting["day"]) == ("rest", day + 1)


def test_p2_there_is_no_rest_on_day_6():
    d = last_turn(players=2, day=6, seats={0: ready_to_pass(used=["author", "queen"])})
    after = play(d, "pass")
    assert (after["phase"], resting(after, 0)) == ("over", [])


def test_p3_cylinders_come_back_and_the_next_day_begins():
    d = evening(["viola"], used=["author", "queen"], cylinders=2, tokens=1, pounds=3)
    after = play(d, "pass", "keep:queen")
    assert (after["phase"], after["day"]) == ("wager", 4)
    for field, value in (("cylinders", 0), ("wager", None), ("recruited", False)):
        assert each(after, field) == [value, value], field
    assert each(after, "passed") == [False, False]
    assert not any(card["cylinder"] for one in after["seats"] for card in one["troupe"])
    me = seat_of(after, 0)
    assert (me["tokens"], me["pounds"]) == (1, 3)
    assert character(after, 0, "viola")["rest"] is False


def test_p3_the_first_in_order_wagers_first():
    d = last_turn(players=3, order=[2, 0, 1], initiative=[])
    after = play(d, "pass")
    assert (after["phase"], after["to_move"], after["order"]) == ("wager", 2, [2, 0, 1])


def test_p4_strategic_rest_is_chosen_openly_in_initiative_order():
    waiting = play(three_seats(strategic_rest=True), "pass")
    assert (waiting["phase"], waiting["to_move"], waiting["queue"]) == ("rest", 2, [0, 1])
    one_in = play(waiting, "keep:queen")
    assert (one_in["to_move"], one_in["queue"]) == (0, [1])
    assert [resting(one_in, i) for i in range(3)] == [[], [], ["falstaff"]]
    assert each(one_in, "kept") == [None, None, None]
    after = play(one_in, "keep:author")
    assert [resting(after, i) for i in range(3)] == [["queen"], [], ["falstaff"]]
    assert after["phase"] == "wager"
