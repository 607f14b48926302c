"""Jeweler, Queen and the actors that take an element: rules T16 to T18."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import OBJECTIVES, character, gained, seat, seat_of, turn_position

FULL = {"author": ["black"] * 3, "falstaff": ["black"] * 3}
PILE = ["wardrobe", "even_play", "jewels", "patronage", "masterpiece"]
FULL_STAGE = dict.fromkeys(
    [f"{row}{n}" for row, width in (("a", 5), ("b", 4), ("c", 5)) for n in range(1, width + 1)],
    "black",
)


def with_card(card, costumes=None, sets=None, *, acts=None, worn=None, **fields):
    """Return a turn of seat 0, which holds this card."""
    me = seat([card], costumes=worn, **fields)
    return turn_position(seats={0: me}, costumes=costumes, sets=sets, acts=acts or {})


def with_pile(pile, **fields):
    """Return a turn of seat 0; the other seats keep the objectives that are not in this pile."""
    kept = [objective for objective in OBJECTIVES if objective not in pile]
    seats = {0: seat(**fields)} | {i: seat(objectives=kept[i - 1 :: 3]) for i in (1, 2, 3)}
    return turn_position(seats=seats, objective_deck=list(pile))


def test_t16_the_jeweler_takes_a_yellow_costume_or_a_yellow_stage_set_and_must():
    some = {"yellow": 2, "pink": 3}
    d = with_card("jeweler", some, some, stage={"a1": "pink", "a2": "pink", "b1": "pink"})
    sets = {f"set:yellow>{space}" for space in ("a3", "a4", "a5", "c1")}
    assert legal(d, "activate:jeweler") == sets | {f"costume:yellow>{who}" for who in FULL}


@pytest.mark.parametrize("move", ["set:yellow>a2", "costume:yellow>author"])
def test_t16_the_jeweler_takes_one_element_only(move):
    after = play(with_card("jeweler", {"yellow": 2}, {"yellow": 2}), "activate:jeweler", move)
    assert (after["phase"], after["to_move"]) == ("turn", 1)
    left = [after["display"][kind]["yellow"] for kind in ("costumes", "sets")]
    assert sorted(left) == [1, 2]


def test_t16_with_a_full_stage_only_the_costume_is_left():
    d = with_card("jeweler", {"yellow": 1}, {"yellow": 1}, stage=FULL_STAGE)
    assert legal(d, "activate:jeweler") == {f"costume:yellow>{who}" for who in FULL}


def test_t16_if_it_can_be_placed_in_one_way_only_it_is():
    d = with_card("jeweler", {"yellow": 1}, worn={"author": ["black"] * 3})
    after = play(d, "activate:jeweler")
    assert character(after, 0, "falstaff")["costume"] == ["yellow"]
    assert after["to_move"] == 1


@pytest.mark.parametrize(
    ("costumes", "sets"), [({}, {}), ({"yellow": 1}, {}), ({"green": 3}, {"blue": 3})]
)
def test_t16_if_none_can_be_placed_nothing_happens_and_none_is_left_to_the_next(costumes, sets):
    d = with_card("jeweler", costumes, sets, worn=FULL)
    after = play(d, "activate:jeweler")
    assert (after["phase"], after["to_move"], after["display"]) == ("turn", 1, d["display"])
    assert character(after, 0, "jeweler")["cylinder"]
    assert play(after, "activate:falstaff")["display"] == d["display"]


def test_t16_assistants_and_tokens_do_not_help_the_jeweler():
    me = seat(["jeweler", "assistant"], tokens=1)
    d = play(turn_position(seats={0: me}, sets={"yellow": 2, "black": 1}), "activate:jeweler")
    assert (d["pending"]["value"], d["pending"]["optional"]) == (3, False)
    assert not {move for move in legal(d) if "black" in move}


def test_t17_the_queen_gives_4_pounds_or_objectives():
    d = with_pile(PILE)
    assert legal(d, "activate:queen") == {"queen:money", "queen:objectives"}
    after = play(d, "activate:queen", "queen:money")
    assert gained(d, after, 0) == (0, 4)
    assert (after["to_move"], after["objective_deck"]) == (1, PILE)


@pytest.mark.parametrize("kept", PILE[:3])
def test_t17_three_are_drawn_one_is_kept_and_the_others_go_to_the_bottom_as_drawn(kept):
    d = play(with_pile(PILE), "activate:queen", "queen:objectives")
    assert (d["pending"], d["objective_deck"]) == ({"drawn": PILE[:3]}, PILE[3:])
    assert legal(d) == {f"objective:{drawn}" for drawn in PILE[:3]}
    after = play(d, f"objective:{kept}")
    assert seat_of(after, 0)["objectives"] == [kept]
    assert after["objective_deck"] == PILE[3:] + [card for card in PILE[:3] if card != kept]
    assert (gained(d, after, 0), after["to_move"]) == ((0, 0), 1)


def test_t17_objectives_are_kept_in_the_order_kept():
    pile = [objective for objective in OBJECTIVES if objective != "jewels"]
    d = turn_position(seats={0: seat(objectives=["jewels"])}, objective_deck=pile)
    after = play(d, "activate:queen", "queen:objectives", f"objective:{pile[1]}")
    assert seat_of(after, 0)["objectives"] == ["jewels", pile[1]]


def test_t17_fewer_are_drawn_if_fewer_are_left_and_a_single_one_is_kept():
    d = play(with_pile(PILE[:2]), "activate:queen", "queen:objectives")
    assert (d["pending"], d["objective_deck"]) == ({"drawn": PILE[:2]}, [])
    after = play(d, f"objective:{PILE[1]}")
    assert (seat_of(after, 0)["objectives"], after["objective_deck"]) == ([PILE[1]], [PILE[0]])
    after = play(with_pile(PILE[:1]), "activate:queen", "queen:objectives")
    assert (seat_of(after, 0)["objectives"], after["objective_deck"]) == ([PILE[0]], [])
    assert (after["phase"], after["to_move"]) == ("turn", 1)


def test_t17_with_none_left_only_the_pounds_can_be_chosen():
    d = with_pile([])
    after = play(d, "activate:queen")
    assert (gained(d, after, 0), after["to_move"]) == ((0, 4), 1)


@pytest.mark.parametrize(
    ("actor", "taken"),
    [
        ("lear", {f"set:blue>a{n}" for n in range(1, 6)}),
        ("portia", {f"costume:green>{wearer}" for wearer in ("author", "falstaff", "portia")}),
    ],
)
def test_t18_one_element_is_taken_after_the_white_quill_even_a_lost_one(actor, taken):
    some = {"blue": 2, "green": 2, "pink": 2}
    d = play(with_card(actor, some, some), f"activate:{actor}")
    assert d["phase"] == "quill"
    assert legal(d, "quill:III") == taken
    ends = {"I": {9: [0]}, "II": {10: [0]}, "III": {10: [0]}}
    assert legal(with_card(actor, some, some, acts=ends), f"activate:{actor}") == taken


def test_t18_the_element_acts_and_pays_like_any_other():
    after = play(with_card("lear", sets={"blue": 2}), "activate:lear", "quill:III", "set:blue>a3")
    assert (after["phase"], after["to_move"], after["display"]["sets"]["blue"]) == ("turn", 1, 1)
    assert (seat_of(after, 0)["mood"], seat_of(after, 0)["stage"]) == (2, {"a3": "blue"})
    d = with_card("portia", {"green": 1}, worn={"portia": ["green", "green"]})
    after = play(d, "activate:portia", "quill:I", "costume:green>portia")
    assert gained(d, after, 0) == (5, 0)


@pytest.mark.parametrize(
    ("sets", "stage"), [({"green": 2, "black": 1}, {}), ({"blue": 2}, FULL_STAGE)]
)
def test_t18_an_element_not_on_display_or_without_a_place_is_not_taken(sets, stage):
    d = with_card("lear", {"blue": 2}, sets, stage=stage)
    after = play(d, "activate:lear", "quill:III")
    assert (after["phase"], after["to_move"], after["display"]) == ("turn", 1, d["display"])
