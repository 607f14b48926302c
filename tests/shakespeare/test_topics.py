"""What cards and things on the table do, in words, with the box's numbers."""

import pytest

from shakespeare_env.shakespeare.glossary import topics
from shakespeare_env.shakespeare.objective_values import counted
from shakespeare_env.shakespeare.redaction import seen_by
from tests.shakespeare.positions import (
    BOARD,
    COLOURS,
    COPIES,
    OBJECTIVES,
    everyone_on,
    seat,
    turn_position,
)


def lines(name, **fields):
    return topics(turn_position(**fields))[name].split("\n")


def test_every_card_objective_colour_and_act_is_a_topic():
    known = topics(turn_position())
    assert {*COPIES, *BOARD, *OBJECTIVES, *COLOURS, "act_i", "act_ii", "act_iii"} <= set(known)


def test_an_actor_tells_powers_wage_and_where_it_is():
    troupes = {0: seat(["hamlet"], resting=["hamlet"])}
    assert lines("hamlet", seats=troupes) == [
        "Hamlet: actor, wage 3 £. Activated: Act III +1, 1 white quill, every other mood −1.",
        "Complete costume, at a rehearsal: +1 prestige.",
        "Now: seat 0, resting.",
    ]


def test_a_craftsman_tells_its_value_with_the_seats_assistants():
    troupes = {1: seat(["set_dresser_8", "assistant"]), 2: seat(["extra:set_dresser_8"])}
    first, now = lines("set_dresser_8", seats=troupes, shown=["jeweler"])
    assert first == (
        "Set Dresser 8: set dresser, wage 3 £, 2 copies. Activated: takes stage sets, not yellow, "
        "up to value 8, +1 for each of your assistants, +3 for a token."
    )
    assert now == "Now: seat 1, value 9; seat 2, as extra1."


def test_a_card_that_nobody_has_is_on_display_or_nowhere():
    assert lines("jeweler", shown=["jeweler"])[-1] == "Now: on display."
    assert len(lines("jeweler", shown=["viola"])) == 1


def test_an_objective_tells_its_steps_and_what_it_is_worth_now():
    troupes = {
        0: seat(["hamlet", "viola"], objectives=["great_company"]),
        1: seat(["extra:iago", "puck", "romeo", "juliet", "lear"]),
    }
    assert lines("great_company", players=2, seats=troupes) == [
        "Actors in the troupe: actors in your troupe, face up, the board's included; "
        "prestige at the end: 4 → 1, 5 → 2, 6 → 3.",
        "Now: seat 0 has 4 and keeps this: +1 prestige; seat 1 has 6: +3 prestige.",
    ]


def test_who_keeps_an_objective_is_known_to_its_seat_alone():
    d = turn_position(players=2, seats={0: seat(objectives=["jewels"])})
    assert "keeps this" in topics(seen_by(d, 0))["jewels"]
    assert "keeps this" not in topics(seen_by(d, 1))["jewels"]


def test_a_seats_objectives_are_told_with_their_prestige_now():
    me = seat(objectives=["jewels", "wardrobe"], stage={"a1": "yellow", "a5": "yellow"})
    d = turn_position(players=2, seats={0: me})
    assert topics(seen_by(d, 0))["objective"].endswith("Now: seat 0 keeps jewels +1, wardrobe 0.")
    assert "Now" not in topics(seen_by(d, 1))["objective"]


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("first_places", 3),
        ("complete_costumes", 2),
        ("sacrifice", 7),
        ("stage_spaces", 4),
        ("stage_colours", 3),
        ("best_costume", 12),
        ("lowest_act", 4),
        ("yellow_elements", 3),
        ("actors", 3),
        ("craftsmen", 2),
    ],
)
def test_what_objectives_count(metric, value):
    me = seat(
        ["viola", "extra:jeweler", "handyman", "extra:handyman"],
        pounds=7,
        stage={"a1": "yellow", "a2": "black", "a3": "black", "a4": "blue"},
        costumes={
            "viola": ["blue", "blue", "blue"],
            "extra1": ["black", "black", "yellow"],
            "author": ["yellow", "green"],
        },
    )
    d = turn_position(players=3, seats={0: me}, acts=everyone_on(4, 3))
    assert counted(d, 0, metric) == value


def test_the_queens_gifts_are_a_choice_by_the_moves_that_make_it():
    first, now, *_ = lines("queen")
    assert first.startswith("Used, she gives one of two things. queen:money: ")
    assert "queen:objectives: draw " in first
    assert now.endswith("in the pile.")


def test_an_objective_is_explained_before_the_move_that_keeps_one():
    assert lines("objective")[0] == (
        "A goal that gives prestige at the end of the game; its seat alone knows it. As a move: "
        "which of those drawn you keep."
    )


def test_acts_tell_thresholds_and_discs():
    acts = {"II": {4: [1, 0]}}
    assert lines("act_ii", players=2, acts=acts) == [
        "Gold and white quills advance here, up to space 10. At a rehearsal: −1 prestige on spaces "
        "1 to 3, +2 prestige for the first disc, +1 for the second. On one space the lowest disc "
        "is ahead.",
        "Now, first to last: seat 1 on 4, seat 0 on 4.",
    ]
    assert "+1 £ from space 5, +3 £ from space 7, +5 £ from space 9" in lines("act_i")[0]


def test_things_tell_how_they_stand():
    d = {"players": 2, "seats": {0: seat(["viola"], mood=2, pounds=4, tokens=1)}}
    assert lines("mood", sets={"purple": 2}, **d)[-1] == (
        "Now: seat 0: +2; seat 1: 0; 2 purple stage sets on display."
    )
    assert lines("wages", **d)[-1] == (
        "Now: seat 0 owes 1 £ and has 4 £; seat 1 owes 0 £ and has 0 £."
    )
    assert lines("token", **d)[-1] == "Now: seat 0: 1; seat 1: 0; 7 in the supply."


def test_colours_tell_value_and_effect():
    assert lines("purple", costumes={"purple": 1}) == [
        "Value 3. On the stage: every other mood −1.",
        "Now on display: 1 costume, 0 stage sets.",
    ]
    assert lines("green")[0] == 'Value 5. On the stage: +1 token "+3".'


def test_spaces_tell_support_mirror_and_candle():
    me = seat(stage={"a1": "black", "a2": "pink"})
    assert lines("c2", seats={0: me}) == [
        "Stage space, on b1 and b2, mirrored by c4, with a candle: 1 prestige."
    ]
    assert lines("a2", seats={0: me})[-1] == "Now: seat 0: pink."


def test_alone_there_is_no_wager_but_the_rules_of_solo():
    alone = topics(turn_position(players=1))
    assert "wager" not in alone
    assert "A good game passes 30 prestige." in alone["solo"]
    assert "solo" not in topics(turn_position())
