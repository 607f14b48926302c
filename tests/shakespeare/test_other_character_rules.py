"""Jeweler, Queen and the actors that take an element: rules T16 to T18."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import (
    OBJECTIVES,
    character,
    gained,
    seat,
    seat_of,
    starting,
    turn_position,
)

FULL = {"author": ["black"] * 3, "falstaff": ["black"] * 3}
PILE = ["wardrobe", "even_play", "jewels", "patronage", "masterpiece"]
FULL_STAGE = {f"a{n}": "black" for n in range(1, 6)} | {f"b{n}": "black" for n in range(1, 5)}
FULL_STAGE |= {f"c{n}": "black" for n in range(1, 6)}


def with_card(card, costumes=None, sets=None, acts=None, costumes_worn=None, **fields):
    """Seat 0 holds this card and is to move."""
    return turn_position(
        seats={0: seat([card], costumes=costumes_worn, **fields)},
        costumes=costumes,
        sets=sets,
        acts=acts or {},
    )


def with_pile(pile, **fields):
    """Seat 0 is to move; the objectives not in this pile are kept by the other seats."""
    kept = [objective for objective in OBJECTIVES if objective not in pile]
    seats = {0: seat(**fields)} | {i: seat(objectives=kept[i - 1 :: 3]) for i in (1, 2, 3)}
    return turn_position(seats=seats, objective_deck=list(pile))


# ---- T16, the jeweler --------------------------------------------------------------------------


def test_t16_the_jeweler_takes_a_yellow_costume_or_a_yellow_stage_set_and_must():
    d = with_card("jeweler", costumes={"yellow": 1, "pink": 3}, sets={"yellow": 1, "pink": 3})
    bottom = {f"set:yellow>a{n}" for n in range(1, 6)}
    worn = {"costume:yellow>author", "costume:yellow>falstaff"}
    assert legal(d, "activate:jeweler") == bottom | worn


@pytest.mark.parametrize("move", ["set:yellow>a2", "costume:yellow>author"])
def test_t16_the_jeweler_takes_one_element_only(move):
    d = with_card("jeweler", costumes={"yellow": 2}, sets={"yellow": 2})
    after = play(d, "activate:jeweler", move)
    assert (after["phase"], after["to_move"]) == ("turn", 1)
    left = [after["display"][kind]["yellow"] for kind in ("costumes", "sets")]
    assert sorted(left) == [1, 2]


def test_t16_the_element_is_placed_by_the_rules():
    d = with_card("jeweler", sets={"yellow": 1}, stage={"a1": "pink", "a2": "pink", "b1": "pink"})
    assert legal(d, "activate:jeweler") == {
        f"set:yellow>{space}" for space in ("a3", "a4", "a5", "c1")
    }


def test_t16_if_it_can_be_placed_in_one_way_only_it_is():
    d = with_card("jeweler", costumes={"yellow": 1}, costumes_worn={"author": ["black"] * 3})
    after = play(d, "activate:jeweler")
    assert character(after, 0, "falstaff")["costume"] == ["yellow"]
    assert after["to_move"] == 1


@pytest.mark.parametrize(
    ("costumes", "sets"), [({}, {}), ({"yellow": 1}, {}), ({"green": 3}, {"blue": 3})]
)
def test_t16_if_none_can_be_placed_nothing_happens(costumes, sets):
    d = with_card("jeweler", costumes=costumes, sets=sets, costumes_worn=FULL)
    after = play(d, "activate:jeweler")
    assert (after["phase"], after["to_move"], after["display"]) == ("turn", 1, d["display"])
    assert character(after, 0, "jeweler")["cylinder"]
    assert seat_of(after, 0)["cylinders"] == 1


def test_t16_an_element_that_nobody_could_place_is_not_left_to_the_next_seat():
    d = with_card("jeweler", costumes={"yellow": 1}, costumes_worn=FULL)
    after = play(d, "activate:jeweler", "activate:falstaff")
    assert (after["phase"], after["to_move"], after["display"]) == ("turn", 2, d["display"])


def test_t16_with_a_full_stage_only_the_costume_is_left():
    d = with_card("jeweler", costumes={"yellow": 1}, sets={"yellow": 1}, stage=FULL_STAGE)
    assert legal(d, "activate:jeweler") == {"costume:yellow>author", "costume:yellow>falstaff"}


def test_t16_assistants_and_tokens_do_not_help_the_jeweler():
    d = turn_position(
        seats={0: seat(["jeweler", "assistant"], tokens=1)}, sets={"yellow": 2, "black": 1}
    )
    d = play(d, "activate:jeweler")
    assert (d["pending"]["value"], d["pending"]["optional"]) == (3, False)
    assert not {move for move in legal(d) if "black" in move}


# ---- T17, the Queen ----------------------------------------------------------------------------


def test_t17_the_queen_gives_4_pounds():
    d = with_pile(PILE)
    after = play(d, "activate:queen", "queen:money")
    assert gained(d, after, 0) == (0, 4)
    assert (after["to_move"], after["objective_deck"]) == (1, PILE)


def test_t17_the_queen_offers_money_or_objectives():
    assert legal(with_pile(PILE), "activate:queen") == {"queen:money", "queen:objectives"}


def test_t17_three_objectives_are_drawn_from_the_top():
    d = play(with_pile(PILE), "activate:queen", "queen:objectives")
    assert d["pending"] == {"drawn": ["wardrobe", "even_play", "jewels"]}
    assert d["objective_deck"] == ["patronage", "masterpiece"]
    assert legal(d) == {"objective:wardrobe", "objective:even_play", "objective:jewels"}


@pytest.mark.parametrize(
    ("kept", "bottom"),
    [
        ("wardrobe", ["even_play", "jewels"]),
        ("even_play", ["wardrobe", "jewels"]),
        ("jewels", ["wardrobe", "even_play"]),
    ],
)
def test_t17_one_is_kept_and_the_others_go_to_the_bottom_in_the_order_drawn(kept, bottom):
    d = with_pile(PILE)
    after = play(d, "activate:queen", "queen:objectives", f"objective:{kept}")
    assert seat_of(after, 0)["objectives"] == [kept]
    assert after["objective_deck"] == ["patronage", "masterpiece", *bottom]
    assert gained(d, after, 0) == (0, 0)
    assert after["to_move"] == 1


def test_t17_objectives_are_kept_in_the_order_kept():
    seats = {0: seat(objectives=["jewels"])}
    d = turn_position(seats=seats, objective_deck=[o for o in OBJECTIVES if o != "jewels"])
    drawn = d["objective_deck"][1]
    after = play(d, "activate:queen", "queen:objectives", f"objective:{drawn}")
    assert seat_of(after, 0)["objectives"] == ["jewels", drawn]


def test_t17_fewer_are_drawn_if_fewer_are_left():
    d = play(with_pile(PILE[:2]), "activate:queen", "queen:objectives")
    assert (d["pending"], d["objective_deck"]) == ({"drawn": PILE[:2]}, [])
    after = play(d, f"objective:{PILE[1]}")
    assert (seat_of(after, 0)["objectives"], after["objective_deck"]) == ([PILE[1]], [PILE[0]])


def test_t17_the_only_one_left_is_kept_unasked():
    after = play(with_pile(PILE[:1]), "activate:queen", "queen:objectives")
    assert (seat_of(after, 0)["objectives"], after["objective_deck"]) == ([PILE[0]], [])
    assert (after["phase"], after["to_move"]) == ("turn", 1)


def test_t17_with_none_left_only_the_pounds_can_be_chosen():
    d = with_pile([])
    after = play(d, "activate:queen")
    assert gained(d, after, 0) == (0, 4)
    assert after["to_move"] == 1


# ---- T18, an actor's power takes an element ----------------------------------------------------


def test_t18_lear_takes_a_blue_stage_set_after_his_white_quill():
    d = with_card("lear", sets={"blue": 2, "pink": 2}, costumes={"blue": 2})
    d = play(d, "activate:lear")
    assert d["phase"] == "quill"
    d = play(d, "quill:III")
    assert (d["phase"], d["to_move"]) == ("craft", 0)
    assert legal(d) == {f"set:blue>a{n}" for n in range(1, 6)}


def test_t18_portia_takes_a_green_costume_after_her_white_quill():
    d = with_card("portia", sets={"green": 2}, costumes={"green": 2, "pink": 2})
    assert legal(d, "activate:portia", "quill:I") == {
        f"costume:green>{wearer}" for wearer in ("author", "falstaff", "portia")
    }


def test_t18_one_element_is_taken_and_acts_as_ever():
    d = with_card("lear", sets={"blue": 2})
    after = play(d, "activate:lear", "quill:III", "set:blue>a3")
    assert (after["phase"], after["to_move"]) == ("turn", 1)
    assert after["display"]["sets"]["blue"] == 1
    assert (seat_of(after, 0)["mood"], seat_of(after, 0)["stage"]) == (2, {"a3": "blue"})


def test_t18_the_element_completes_a_costume():
    worn = {"portia": ["green", "green"]}
    d = with_card("portia", costumes={"green": 1}, costumes_worn=worn)
    after = play(d, "activate:portia", "quill:I", "costume:green>portia")
    assert gained(d, after, 0) == (5, 0)


def test_t18_without_such_an_element_nothing_is_taken():
    d = with_card("lear", sets={"green": 2, "black": 1}, costumes={"blue": 2})
    after = play(d, "activate:lear", "quill:III")
    assert (after["phase"], after["to_move"]) == ("turn", 1)


def test_t18_an_element_that_cannot_be_placed_is_not_taken():
    d = with_card("lear", sets={"blue": 2}, stage=FULL_STAGE)
    after = play(d, "activate:lear", "quill:III")
    assert (after["phase"], after["to_move"], after["display"]) == ("turn", 1, d["display"])


def test_t18_it_is_taken_even_if_the_white_quill_is_lost():
    d = with_card("lear", sets={"blue": 2}, acts={"I": {9: [0]}, "II": {10: [0]}, "III": {10: [0]}})
    assert legal(d, "activate:lear") == {f"set:blue>a{n}" for n in range(1, 6)}


def test_t18_the_element_costs_nothing_and_tokens_do_not_help():
    d = turn_position(seats={0: seat(["lear", "assistant"], tokens=1)}, sets={"blue": 2, "pink": 1})
    d = play(d, "activate:lear", "quill:I")
    assert d["pending"]["value"] == 4
    assert starting(legal(d), "set:") == {f"set:blue>a{n}" for n in range(1, 6)}
