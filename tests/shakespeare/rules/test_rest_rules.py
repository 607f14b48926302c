"""Phase 6, rest: rules P1 to P4."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import BOARD, each, finished, last_turn, ready_to_pass, seat_of

COPIES = ["set_dresser_6", "set_dresser_6"]


def resting(d, index):
    """Return the characters of a seat with a rest token, in order of arrival."""
    return [card["card"] for card in seat_of(d, index)["troupe"] if card["rest"]]


def evening(cards=(), **fields):
    """Return the last turn of two seats; seat 1 has activated one character."""
    return last_turn(players=2, seats={0: ready_to_pass(cards, **fields)})


def three_seats(**fields):
    """Return a last turn with Order 0, 1, 2 and Initiative 2, 0, 1.

    Seats 0 and 2 have used two characters, seat 1 one.
    """
    seats = {0: ready_to_pass(used=["author", "queen"]), 2: finished(used=["falstaff", "queen"])}
    return last_turn(players=3, initiative=[2, 0], seats=seats, **fields)


def test_p1_rest_tokens_of_the_day_before_come_off():
    d = evening(["viola"], resting=["falstaff", "handyman_board"], used=["author", "queen"])
    waiting = play(d, "pass")
    assert (waiting["phase"], resting(waiting, 0)) == ("rest", [])
    assert resting(play(waiting, "keep:author"), 0) == ["queen"]
    # Those of a seat that gets no new ones come off, too.
    d = last_turn(players=2, seats={1: finished(resting=["author", "falstaff"])})
    after = play(d, "pass")
    assert (after["phase"], resting(after, 1)) == ("wager", [])


@pytest.mark.parametrize("used", [BOARD[:1], BOARD[:2], (*BOARD[1:], "viola")])
def test_p2_all_activated_characters_but_one_rest_and_unused_cylinders_bring_none(used):
    d = evening(["viola", "iago"], used=used, cylinders=5 - len(used))
    after = play(d, "pass")
    if len(used) > 1:
        assert legal(after) == {f"keep:{card}" for card in used}
        after = play(after, f"keep:{used[1]}")
    free = used[1] if len(used) > 1 else used[0]
    assert (after["phase"], resting(after, 0)) == ("wager", [c for c in used if c != free])


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


@pytest.mark.parametrize(
    ("today", "chooses", "keep", "rests"),
    [
        # Of two activated copies the first stays free; Handyman, Queen and the two copies.
        ({"used": [*COPIES, "queen"]}, True, "set_dresser_6", [False, True, False, True]),
        # The free copy is one that was activated: the first rested today.
        (
            {"resting": COPIES[:1], "used": [*COPIES[:1], "queen"]},
            True,
            "queen",
            [False, False, False, True],
        ),
        # Copies that are alike leave nothing to choose.
        ({"used": COPIES}, False, "", [False, False, False, True]),
    ],
)
def test_p2_of_copies_the_first_that_was_activated_stays_free(today, chooses, keep, rests):
    after = play(evening(COPIES, **today), "pass")
    assert (after["phase"] == "rest") is chooses
    if chooses:
        assert legal(after) == {"keep:set_dresser_6", "keep:queen"}
        after = play(after, f"keep:{keep}")
    assert [card["rest"] for card in seat_of(after, 0)["troupe"][2:]] == rests


@pytest.mark.parametrize("day", range(1, 7))
def test_p2_there_is_a_rest_on_every_day_but_the_last(day):
    d = last_turn(players=2, day=day, seats={0: ready_to_pass(used=["author", "queen"])})
    waiting = play(d, "pass")
    assert (waiting["phase"], waiting["day"]) == (("rest", day + 1) if day < 6 else ("over", 6))


def test_p3_cylinders_come_back_and_the_next_day_begins_with_the_first_in_order():
    d = evening(["viola"], used=["author", "queen"], cylinders=2, tokens=1, pounds=3)
    d["order"] = [1, 0]
    d["initiative"] = [0]
    after = play(d, "pass", "keep:queen")
    assert (after["phase"], after["day"], after["to_move"]) == ("wager", 4, 1)
    fields = {"cylinders": 0, "wager": None, "recruited": False, "passed": False}
    for field, value in fields.items():
        assert each(after, field) == [value, value], field
    assert not any(card["cylinder"] for one in after["seats"] for card in one["troupe"])
    assert (seat_of(after, 0)["tokens"], seat_of(after, 0)["pounds"]) == (1, 3)


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
