"""Phase 2, recruitment and activation: rules T1 to T5."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import (
    COPIES,
    character,
    each,
    finished,
    last_turn,
    ready_to_pass,
    seat,
    seat_of,
    starting,
    turn_position,
)


def test_t1_seats_act_in_order_one_thing_each():
    d = turn_position(
        order=[2, 0, 3, 1], to_move=2, shown=["iago", "puck", "viola", "romeo", "lear"]
    )
    moves = ["activate:falstaff", "recruit:iago", "extra:puck", "activate:falstaff"]
    asked = [play(d, *moves[:n])["to_move"] for n in range(5)]
    assert asked == [2, 0, 3, 1, 2]


def test_t1_finished_seats_are_skipped():
    seats = {1: finished(), 2: seat(passed=True, recruited=True, cylinders=3)}
    assert play(turn_position(seats=seats), "activate:falstaff")["to_move"] == 3


def test_t1_a_seat_with_more_cylinders_goes_on_alone():
    d = turn_position(seats={0: seat(recruited=True, cylinders=3)}, others=finished)
    after = play(d, "activate:falstaff")
    assert (after["phase"], after["to_move"]) == ("turn", 0)
    assert seat_of(after, 0)["cylinders"] == 2


def test_t1_the_phase_lasts_until_all_are_finished():
    d = turn_position(seats={0: ready_to_pass(), 1: ready_to_pass()}, others=finished)
    after = play(d, "pass")
    assert (after["phase"], after["day"], after["to_move"]) == ("turn", 3, 1)
    assert play(after, "pass")["day"] == 4


def test_t2_a_card_recruited_face_up_joins_as_that_character():
    after = play(turn_position(shown=["iago", "lear", "puck", "viola"]), "recruit:lear")
    lear = character(after, 0, "lear")
    assert lear == {
        "card": "lear",
        "face": "character",
        "costume": [],
        "cylinder": False,
        "rest": False,
    }
    assert seat_of(after, 0)["troupe"][-1] == lear
    assert after["display"]["characters"] == ["iago", "puck", "viola"]


def test_t2_a_card_recruited_face_down_joins_as_an_extra():
    after = play(turn_position(shown=["iago", "lear", "puck", "viola"]), "extra:lear")
    joined = seat_of(after, 0)["troupe"][-1]
    assert (joined["card"], joined["face"]) == ("lear", "extra")
    assert after["display"]["characters"] == ["iago", "puck", "viola"]


@pytest.mark.parametrize("move", ["recruit:othello", "extra:othello"])
def test_t2_recruiting_uses_no_cylinder_and_pays_nothing(move):
    d = turn_position(shown=["iago", "othello", "puck", "viola"], seats={0: seat(pounds=7)})
    me = seat_of(play(d, move), 0)
    assert (me["pounds"], me["cylinders"], me["recruited"]) == (7, 2, True)


def test_t2_every_shown_card_can_be_recruited_either_way():
    d = turn_position(shown=["assistant", "assistant", "lear", "viola"])
    assert starting(legal(d), "recruit:", "extra:") == {
        "recruit:assistant",
        "extra:assistant",
        "recruit:lear",
        "extra:lear",
        "recruit:viola",
        "extra:viola",
    }


def test_t2_a_seat_recruits_once_a_day_only():
    d = turn_position(seats={0: seat(recruited=True)})
    assert starting(legal(d), "recruit:", "extra:") == set()


def test_t2_recruiting_is_mandatory_even_without_cylinders():
    d = turn_position(
        seats={0: seat(cylinders=0, used=["queen"])}, others=finished, shown=["lear", "viola"]
    )
    assert legal(d) == {"recruit:lear", "extra:lear", "recruit:viola", "extra:viola"}


def test_t2_a_recruit_can_be_activated_the_same_day():
    d = turn_position(players=2, shown=["iago", "lear", "puck", "viola"])
    assert "activate:viola" in legal(d, "recruit:viola", "activate:falstaff")


@pytest.mark.parametrize("card", COPIES)
@pytest.mark.parametrize(("move", "face"), [("recruit", "character"), ("extra", "extra")])
def test_t2_any_card_can_be_taken_face_up_or_face_down(card, move, face):
    others = [other for other in ("lear", "puck", "titania", "viola") if other != card]
    d = turn_position(shown=[card, *others])
    joined = seat_of(play(d, f"{move}:{card}"), 0)["troupe"][4:]
    assert [(one["card"], one["face"]) for one in joined] == [(card, face)]


def test_t2_only_one_of_two_shown_copies_is_taken():
    d = turn_position(shown=["assistant", "assistant", "lear", "puck"])
    assert play(d, "recruit:assistant")["display"]["characters"] == ["assistant", "lear", "puck"]


def test_t3_activating_puts_a_cylinder_on_the_character():
    after = play(turn_position(), "activate:falstaff")
    assert seat_of(after, 0)["cylinders"] == 1
    marked = [card["card"] for card in seat_of(after, 0)["troupe"] if card["cylinder"]]
    assert marked == ["falstaff"]


def test_t3_a_character_with_a_cylinder_cannot_be_activated_again():
    d = turn_position(seats={0: seat(["viola"], used=["falstaff", "viola"])})
    assert starting(legal(d), "activate:") == {
        "activate:author",
        "activate:handyman_board",
        "activate:queen",
    }


def test_t3_a_resting_character_cannot_be_activated():
    d = turn_position(seats={0: seat(["viola"], resting=["author", "viola"])})
    assert starting(legal(d), "activate:") == {
        "activate:falstaff",
        "activate:handyman_board",
        "activate:queen",
    }


def test_t3_extras_and_assistants_cannot_be_activated():
    d = turn_position(seats={0: seat(["extra:viola", "assistant", "extra:jeweler"])})
    assert starting(legal(d), "activate:") == {
        "activate:author",
        "activate:falstaff",
        "activate:handyman_board",
        "activate:queen",
    }


def test_t3_no_cylinder_no_activation():
    d = turn_position(seats={0: seat(cylinders=0, used=["queen"])})
    assert starting(legal(d), "activate:") == set()


def test_t3_a_second_copy_can_be_activated_while_the_first_rests_or_is_used():
    cards = ["set_dresser_6", "set_dresser_6", "set_dresser_6"]
    d = turn_position(
        players=2, seats={0: seat(cards, used=["set_dresser_6"], resting=["set_dresser_6"])}
    )
    # The builder lays the rest token on the first copy and the cylinder on the second.
    after = play(d, "activate:set_dresser_6")
    copies = [card for card in seat_of(after, 0)["troupe"] if card["card"] == "set_dresser_6"]
    assert [(card["rest"], card["cylinder"]) for card in copies] == [
        (True, False),
        (False, True),
        (False, True),
    ]


def test_t3_characters_of_other_seats_cannot_be_activated():
    d = turn_position(seats={1: seat(["viola"])})
    assert "activate:viola" not in legal(d)


def test_t4_pass_ends_the_phase_for_that_seat_with_its_cylinders_unused():
    d = turn_position(players=2, seats={0: seat(recruited=True, cylinders=4)})
    after = play(d, "pass", "activate:falstaff")
    assert after["to_move"] == 1
    assert (seat_of(after, 0)["passed"], seat_of(after, 0)["cylinders"]) == (True, 4)


def test_t4_pass_only_after_having_recruited():
    assert "pass" not in legal(turn_position(seats={0: seat(cylinders=3)}))
    assert "pass" in legal(turn_position(seats={0: seat(cylinders=3, recruited=True)}))


def test_t4_pass_only_after_having_recruited_in_solo_too():
    assert "pass" not in legal(turn_position(players=1))
    assert "pass" in legal(turn_position(players=1, seats={0: seat(recruited=True)}))


def test_t4_a_seat_that_has_recruited_and_has_no_cylinder_is_finished_without_a_word():
    d = turn_position(players=2, seats={0: seat(cylinders=1, recruited=True)})
    after = play(d, "activate:falstaff", "activate:falstaff")
    assert after["to_move"] == 1
    assert seat_of(after, 0)["passed"] is False


def test_t4_recruiting_last_finishes_a_seat_too():
    d = turn_position(
        players=2, seats={0: seat(cylinders=0, used=["queen"])}, shown=["lear", "puck"]
    )
    after = play(d, "recruit:lear", "activate:falstaff")
    assert (after["to_move"], seat_of(after, 0)["passed"]) == (1, False)


@pytest.mark.parametrize("actor", ["author", "falstaff", "viola"])
def test_t5_the_first_actor_of_the_day_takes_the_first_free_place_of_the_initiative_track(actor):
    seats = {0: seat(["viola"]), 2: seat(used=["falstaff"])}
    after = play(turn_position(seats=seats), f"activate:{actor}")
    assert after["initiative"] == [2, 0]


def test_t5_a_second_actor_changes_nothing():
    seats = {0: seat(["viola"], used=["falstaff"]), 1: seat(used=["falstaff"])}
    after = play(turn_position(seats=seats, initiative=[1, 0]), "activate:viola")
    assert after["initiative"] == [1, 0]


@pytest.mark.parametrize("card", ["queen", "jeweler", "handyman_board", "costume_mistress_6"])
def test_t5_other_characters_give_no_initiative(card):
    seats = {0: seat(["jeweler", "costume_mistress_6"])}
    after = play(turn_position(seats=seats), f"activate:{card}")
    assert after["initiative"] == []


def test_t5_recruiting_an_actor_gives_no_initiative():
    after = play(turn_position(shown=["iago", "lear", "puck", "viola"]), "recruit:iago")
    assert after["initiative"] == []


def test_t5_seats_without_an_actor_follow_in_order_after_the_phase():
    seats = {0: ready_to_pass(), 2: finished(used=["falstaff"])}
    d = last_turn(order=[3, 2, 0, 1], seats=seats)
    assert play(d, "pass")["initiative"] == [2, 3, 0, 1]


def test_t5_the_initiative_of_the_phase_is_kept_before_those_who_follow():
    seats = {1: finished(used=["falstaff"]), 3: finished(used=["author"])}
    d = last_turn(order=[0, 1, 2, 3], seats=seats, initiative=[3, 1])
    assert play(d, "pass")["initiative"] == [3, 1, 0, 2]


def test_t1_every_seat_waits_for_its_own_turn():
    d = turn_position(players=3, order=[1, 2, 0], to_move=2)
    after = play(d, "activate:falstaff")
    assert after["to_move"] == 0
    assert each(after, "cylinders") == [2, 2, 1]
