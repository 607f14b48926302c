"""Phase 2, recruitment and activation: rules T1 to T5."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare import positions as p

SHOWN = ["iago", "lear", "puck", "viola"]


def test_t1_seats_act_in_order_one_thing_each():
    d = p.turn_position(order=[2, 0, 3, 1], to_move=2, shown=[*SHOWN, "romeo"])
    moves = ["activate:falstaff", "recruit:iago", "extra:puck", "activate:falstaff"]
    assert [play(d, *moves[:n])["to_move"] for n in range(5)] == [2, 0, 3, 1, 2]
    assert p.each(play(d, *moves), "cylinders") == [2, 1, 1, 2]


def test_t1_finished_seats_are_skipped():
    seats = {1: p.finished(), 2: p.seat(passed=True, recruited=True, cylinders=3)}
    assert play(p.turn_position(seats=seats), "activate:falstaff")["to_move"] == 3
    alone = p.turn_position(seats={0: p.seat(recruited=True, cylinders=3)}, others=p.finished)
    assert play(alone, "activate:falstaff")["to_move"] == 0


@pytest.mark.parametrize("card", p.COPIES)
@pytest.mark.parametrize(("move", "face"), [("recruit", ""), ("extra", "extra:")])
def test_t2_any_card_can_be_recruited_face_up_or_face_down_for_nothing(card, move, face):
    others = [other for other in ("assistant", *SHOWN) if other != card]
    d = p.turn_position(shown=[card, *others], seats={0: p.seat(pounds=7)})
    assert {f"recruit:{card}", f"extra:{card}"} < legal(d)
    after = play(d, f"{move}:{card}")
    assert p.seat_of(after, 0)["troupe"][4:] == p.seat([face + card])["troupe"][4:]
    assert (p.seat_of(after, 0)["pounds"], p.seat_of(after, 0)["cylinders"]) == (7, 2)
    assert after["display"]["characters"] == sorted(others)


def test_t2_only_one_of_two_shown_copies_is_taken():
    d = p.turn_position(shown=["assistant", "assistant", "lear", "puck"])
    assert play(d, "recruit:assistant")["display"]["characters"] == ["assistant", "lear", "puck"]


def test_t2_a_seat_recruits_once_a_day_even_without_cylinders():
    me = p.seat(cylinders=0, used=["queen"])
    d = p.turn_position(seats={0: me}, others=p.finished, shown=["lear", "viola"])
    assert legal(d) == {"recruit:lear", "extra:lear", "recruit:viola", "extra:viola"}
    d = p.turn_position(seats={0: p.seat(recruited=True)})
    assert p.starting(legal(d), "recruit:", "extra:") == set()


def test_t2_a_recruit_can_be_activated_the_same_day():
    d = p.turn_position(players=2, shown=SHOWN)
    assert "activate:viola" in legal(d, "recruit:viola", "activate:falstaff")


@pytest.mark.parametrize(
    ("mine", "cannot"),
    [
        (p.seat(["viola"], used=["falstaff", "viola"]), {"falstaff"}),
        (p.seat(["viola"], resting=["author", "viola"]), {"author"}),
        (p.seat(["extra:viola", "assistant", "extra:jeweler"]), set()),
        (p.seat(cylinders=0, used=["queen"]), {"author", "falstaff", "handyman_board", "queen"}),
    ],
)
def test_t3_characters_that_are_free_can_be_activated_no_extras_and_no_assistants(mine, cannot):
    d = p.turn_position(seats={0: mine, 1: p.seat(["iago"])})
    free = {"author", "falstaff", "handyman_board", "queen"} - cannot
    assert p.starting(legal(d), "activate:") == {f"activate:{card}" for card in free}


def test_t3_a_second_copy_can_be_activated_while_the_first_rests_or_is_used():
    copies = ["set_dresser_6"] * 3
    me = p.seat(copies, used=["set_dresser_6"], resting=["set_dresser_6"])
    after = play(p.turn_position(players=2, seats={0: me}), "activate:set_dresser_6")
    # The builder lays the rest token on the first copy and the cylinder on the second.
    assert [card["rest"] for card in p.seat_of(after, 0)["troupe"][4:]] == [True, False, False]
    assert [card["cylinder"] for card in p.seat_of(after, 0)["troupe"][4:]] == [False, True, True]


@pytest.mark.parametrize("players", [1, 2])
def test_t4_pass_only_after_having_recruited(players):
    assert "pass" not in legal(p.turn_position(players=players))
    d = p.turn_position(players=players, seats={0: p.seat(recruited=True)})
    assert "pass" in legal(d)


def test_t4_pass_ends_the_phase_for_that_seat_with_its_cylinders_unused():
    d = p.turn_position(players=2, seats={0: p.seat(recruited=True, cylinders=4)})
    after = play(d, "pass", "activate:falstaff")
    assert after["to_move"] == 1
    assert (p.seat_of(after, 0)["passed"], p.seat_of(after, 0)["cylinders"]) == (True, 4)


@pytest.mark.parametrize(
    ("me", "last"),
    [
        (p.seat(cylinders=1, recruited=True), "activate:falstaff"),
        (p.seat(cylinders=0, used=["queen"]), "recruit:lear"),
    ],
)
def test_t4_a_seat_that_has_recruited_and_has_no_cylinder_is_finished(me, last):
    d = p.turn_position(players=2, seats={0: me}, shown=["lear", "puck"])
    after = play(d, last, "activate:falstaff")
    assert (after["to_move"], p.seat_of(after, 0)["passed"]) == (1, False)


@pytest.mark.parametrize(
    ("move", "places"),
    [
        ("activate:author", [2, 0]),
        ("activate:falstaff", [2, 0]),
        ("activate:viola", [2, 0]),
        ("activate:queen", [2]),
        ("activate:jeweler", [2]),
        ("activate:handyman_board", [2]),
        ("recruit:iago", [2]),
    ],
)
def test_t5_the_first_actor_of_the_day_takes_the_first_free_place_of_the_track(move, places):
    seats = {0: p.seat(["viola", "jeweler"]), 2: p.seat(used=["falstaff"])}
    d = p.turn_position(seats=seats, shown=["iago", "lear", "puck", "romeo"])
    assert play(d, move)["initiative"] == places


def test_t5_a_second_actor_changes_nothing():
    seats = {0: p.seat(["viola"], used=["falstaff"]), 1: p.seat(used=["falstaff"])}
    after = play(p.turn_position(seats=seats, initiative=[1, 0]), "activate:viola")
    assert after["initiative"] == [1, 0]


def test_t5_seats_without_an_actor_follow_in_order_after_the_phase():
    seats = {0: p.ready_to_pass(), 1: p.finished(used=["author"]), 3: p.finished(used=["falstaff"])}
    d = p.last_turn(order=[2, 3, 0, 1], seats=seats, initiative=[1, 3])
    assert play(d, "pass")["initiative"] == [1, 3, 2, 0]
