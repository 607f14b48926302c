"""Craftsmen, what they may spend and take, and costumes: rules T9 to T12."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare import positions as p

PLENTY = dict.fromkeys(("black", "pink", "purple", "blue", "green", "yellow"), 2)
ALL_BUT_YELLOW = {*PLENTY} - {"yellow"}
CRAFTSMEN = pytest.mark.parametrize(
    ("card", "value"),
    [
        ("handyman_board", 4),
        ("handyman", 4),
        ("costume_mistress_6", 6),
        ("costume_mistress_8", 8),
        ("set_dresser_6", 6),
        ("set_dresser_8", 8),
    ],
)


def crafting(*cards, costumes=PLENTY, sets=PLENTY, others=None, worn_by=None, **fields):
    """Return a turn of seat 0 with these cards and two elements of each colour on display."""
    hired = [card for card in cards if card != "handyman_board"]
    seats = {0: p.seat(hired, costumes=worn_by, **fields), **(others or {})}
    return p.turn_position(day=5, costumes=costumes, sets=sets, seats=seats)


def colours(moves, kind):
    """Return the colours that can be taken."""
    return {move.split(":")[1].split(">")[0] for move in p.starting(moves, f"{kind}:")}


@CRAFTSMEN
def test_t9_printed_value_one_for_each_assistant_and_three_for_one_token(card, value):
    d = play(crafting(card), f"activate:{card}")
    assert (d["phase"], d["to_move"], d["pending"]["value"]) == ("craft", 0, value)
    d = crafting(card, "assistant", "assistant", tokens=2)
    without = play(d, f"activate:{card}")
    assert (without["pending"]["value"], p.seat_of(without, 0)["tokens"]) == (value + 2, 2)
    after = play(d, f"activate:{card}+3")
    assert after["pending"]["value"] == value + 2 + 3
    assert (p.seat_of(after, 0)["tokens"], d["supply_tokens"], after["supply_tokens"]) == (1, 6, 7)
    assert not [move for move in legal(after) if "+3" in move]


def test_t9_assistants_of_others_and_face_down_ones_add_nothing():
    d = crafting("set_dresser_6", "extra:assistant", others={1: p.seat(["assistant"])})
    assert play(d, "activate:set_dresser_6")["pending"]["value"] == 6


def test_t9_plus3_is_for_craftsmen_and_own_tokens_only():
    cards = ("set_dresser_8", "jeweler", "lear", "assistant")
    plus3 = {move for move in legal(crafting(*cards, tokens=1)) if move.endswith("+3")}
    assert plus3 == {"activate:handyman_board+3", "activate:set_dresser_8+3"}
    d = crafting("set_dresser_8", others={1: p.seat(tokens=3)})
    assert not [move for move in legal(d) if move.endswith("+3")]


def test_t9_the_token_is_back_in_the_supply_before_an_element_acts():
    d = crafting("set_dresser_6", tokens=1, others={1: p.seat(tokens=7)}, sets={"green": 1})
    after = play(d, "activate:set_dresser_6+3", "set:green>a3")
    assert (p.each(after, "tokens"), after["supply_tokens"]) == ([1, 7, 0, 0], 0)


def test_t9_the_token_is_used_even_if_nothing_can_be_taken():
    d = crafting("set_dresser_6", tokens=1, sets={}, costumes={})
    after = play(d, "activate:set_dresser_6+3")
    assert (p.seat_of(after, 0)["tokens"], after["supply_tokens"]) == (0, 8)
    assert (after["phase"], after["to_move"]) == ("turn", 1)


@pytest.mark.parametrize("colour", ["black", "pink", "purple", "blue", "green"])
@pytest.mark.parametrize(
    ("card", "element"),
    [("costume_mistress_8", "costume:{}>author"), ("set_dresser_8", "set:{}>a3")],
)
def test_t10_what_an_element_costs(card, element, colour):
    d = play(crafting(card), f"activate:{card}", element.format(colour))
    cost = ("black", "pink", "purple", "blue", "green").index(colour) + 1
    assert d["pending"]["value"] == 8 - cost


@pytest.mark.parametrize(
    ("spent", "left"),
    [
        ([], {"black", "pink", "purple", "blue"}),
        (["black"], {"black", "pink", "purple"}),
        (["purple"], {"black"}),
    ],
)
def test_t10_elements_are_taken_within_the_value(spent, left):
    moves = legal(crafting(), "activate:handyman_board", *(f"set:{colour}>a3" for colour in spent))
    assert colours(moves, "set") == colours(moves, "costume") == left


@CRAFTSMEN
def test_t10_craftsmen_take_what_their_kind_takes_and_no_yellow(card, value):
    moves = legal(crafting(card, tokens=1), f"activate:{card}+3")
    assert colours(moves, "costume") == (set() if "dresser" in card else ALL_BUT_YELLOW), value
    assert colours(moves, "set") == (set() if "mistress" in card else ALL_BUT_YELLOW), value


def test_t10_only_what_lies_in_the_display_can_be_taken_and_it_leaves_it():
    d = crafting("set_dresser_8", sets={"pink": 1, "blue": 1})
    assert colours(legal(d, "activate:set_dresser_8"), "set") == {"pink", "blue"}
    after = play(d, "activate:set_dresser_8", "set:pink>a1")
    assert colours(legal(after), "set") == {"blue"}
    assert (after["display"]["sets"]["pink"], after["display"]["costumes"]) == (0, PLENTY)
    assert (after["bags"], after["discarded"]) == (d["bags"], d["discarded"])


@pytest.mark.parametrize("taken", [[], ["set:black>a1"]])
def test_t10_a_craftsman_may_take_fewer_or_none(taken):
    after = play(crafting("set_dresser_8"), "activate:set_dresser_8", *taken, "done")
    assert (after["phase"], after["to_move"], after["pending"]) == ("turn", 1, None)
    assert p.each(after, "cylinders") == [1, 2, 2, 2]


def test_t10_the_action_ends_by_itself_when_the_value_is_spent():
    after = play(crafting(), "activate:handyman_board", "set:blue>a1")
    assert (after["phase"], after["to_move"]) == ("turn", 1)


def test_t11_a_costume_that_cannot_be_placed_cannot_be_taken():
    full = ["black", "black", "pink"]
    for worn, takes in (({"author": full}, {"black"}), ({"author": full, "falstaff": full}, set())):
        d = crafting(worn_by=worn, costumes={"black": 1})
        assert colours(legal(d, "activate:handyman_board"), "costume") == takes


def test_t11_a_stage_set_that_cannot_be_placed_cannot_be_taken():
    bottom = {"a1": "black", "a2": "pink", "a3": "pink", "a4": "pink"}
    d = crafting("set_dresser_8", stage=bottom | {"b1": "black", "b2": "black", "b3": "black"})
    # Left: a5 across from a black one, and c1, c2, c3; b4 and what is above it wait for a5.
    open_to_all = {f"set:{colour}>c{n}" for colour in ALL_BUT_YELLOW for n in (1, 2, 3)}
    moves = legal(d, "activate:set_dresser_8")
    assert p.starting(moves, "set:") == {"set:black>a5"} | open_to_all


# Two elements worn, the third one taken, and the pounds and prestige gained; after it, the value.
COMPLETED = [
    (["black", "black"], "black", 0, 0),  # 3
    (["black", "pink"], "pink", 0, 0),  # 5
    (["pink", "pink"], "pink", 2, 0),  # 6
    (["pink", "pink"], "purple", 2, 0),  # 7
    (["purple", "purple"], "pink", 2, 1),  # 8
    (["purple", "purple"], "purple", 2, 1),  # 9
    (["purple", "purple"], "blue", 1, 2),  # 10
    (["pink", "blue"], "green", 1, 2),  # 11
    (["blue", "blue"], "blue", 0, 3),  # 12
    (["blue", "blue"], "green", 0, 4),  # 13
    (["blue", "green"], "green", 0, 4),  # 14
    (["green", "green"], "green", 0, 5),  # 15
    (["yellow", "black"], "pink", 2, 0),  # 6: yellow counts 3
]
SEW = "activate:costume_mistress_8"


def sewing(*cards, costumes, worn_by=None, **fields):
    """Return a turn of seat 0 with a costume mistress, these cards and this display of costumes."""
    me = p.seat(["costume_mistress_8", *cards], costumes=worn_by, **fields)
    return p.turn_position(day=6, costumes=costumes, seats={0: me, 1: p.seat(["romeo"])})


@pytest.mark.parametrize(("worn", "third", "pounds", "prestige"), COMPLETED)
@pytest.mark.parametrize("wearer", ["author", "extra1"])
def test_t12_a_third_element_completes_the_costume_and_its_value_pays_once(
    worn, third, pounds, prestige, wearer
):
    d = sewing("extra:viola", costumes={third: 1, "black": 2}, worn_by={wearer: worn})
    after = play(d, SEW, f"costume:{third}>{wearer}")
    assert p.gained(d, after, 0) == (prestige, pounds)
    assert len(p.character(after, 0, wearer)["costume"]) == 3
    if after["phase"] == "craft":  # the next element pays nothing
        assert p.gained(after, play(after, "costume:black>falstaff"), 0) == (0, 0)


def test_t12_several_costumes_may_be_begun_of_three_elements_at_most():
    d = sewing("viola", costumes={"black": 4}, worn_by={"author": ["black"] * 3})
    assert "costume:black>author" not in legal(d, SEW)
    d = play(d, SEW, "costume:black>falstaff", "costume:black>viola", "costume:black>viola")
    worn = [p.character(d, 0, who)["costume"] for who in ("author", "falstaff", "viola")]
    assert worn == [["black"] * 3, ["black"], ["black"] * 2]


def test_t12_own_actors_and_extras_wear_costumes_also_resting_and_used_and_nobody_else():
    cards = ["viola", "jeweler", "assistant", "extra:set_dresser_6", "extra:lear"]
    d = sewing(*cards, costumes={"pink": 1}, resting=["author"], used=["falstaff"])
    wearers = ("author", "falstaff", "viola", "extra1", "extra2")
    assert p.starting(legal(d, SEW), "costume:") == {f"costume:pink>{who}" for who in wearers}


def test_t12_extras_are_named_in_order_of_hiring():
    d = sewing("extra:viola", "jeweler", "extra:assistant", "extra:iago", costumes={"pink": 1})
    after = play(d, SEW, "costume:pink>extra2")
    worn = {card["card"]: card["costume"] for card in p.seat_of(after, 0)["troupe"]}
    assert (worn["viola"], worn["assistant"], worn["iago"]) == ([], ["pink"], [])


def test_t12_every_actor_card_exists_once_so_a_wearer_is_named_by_its_card():
    after = play(sewing("viola", "puck", costumes={"pink": 1}), SEW, "costume:pink>viola")
    assert p.character(after, 0, "viola")["costume"] == ["pink"]
    assert p.character(after, 0, "puck")["costume"] == []


def test_t12_a_costume_is_listed_in_colour_order_and_its_elements_do_nothing_else():
    d = sewing(costumes={"black": 1, "pink": 1, "purple": 1}, pounds=3)
    moves = [f"costume:{colour}>author" for colour in ("purple", "black")]
    after = play(d, SEW, *moves)
    assert p.character(after, 0, "author")["costume"] == ["black", "purple"]
    assert (p.gained(d, after, 0), p.each(after, "mood")) == ((0, 0), [0] * 4)
    for colour, field in (("blue", "mood"), ("green", "tokens"), ("pink", "pounds")):
        d = sewing(costumes={colour: 1})
        assert p.each(play(d, SEW, f"costume:{colour}>author"), field) == p.each(d, field)
