"""Craftsmen, what they may spend and take: rules T9 to T11."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import each, seat, seat_of, starting, turn_position

PLENTY = {"black": 2, "pink": 2, "purple": 2, "blue": 2, "green": 2, "yellow": 2}
CRAFTSMEN = [
    ("handyman_board", 4),
    ("handyman", 4),
    ("costume_mistress_6", 6),
    ("costume_mistress_8", 8),
    ("set_dresser_6", 6),
    ("set_dresser_8", 8),
]


def crafting(*cards, costumes=PLENTY, sets=PLENTY, others=None, worn_by=None, **fields):
    """Seat 0 to move, with these cards and a full display."""
    seats = {0: seat(cards, costumes=worn_by, **fields), **(others or {})}
    return turn_position(day=5, costumes=costumes, sets=sets, seats=seats)


def hired(card):
    """The card, unless it is printed on the board."""
    return [] if card == "handyman_board" else [card]


def colours(moves, kind):
    """The colours that can be taken."""
    return {move.split(":")[1].split(">")[0] for move in starting(moves, f"{kind}:")}


@pytest.mark.parametrize(("card", "value"), CRAFTSMEN)
def test_t9_a_craftsman_is_worth_its_printed_value(card, value):
    d = play(crafting(*hired(card)), f"activate:{card}")
    assert (d["phase"], d["to_move"], d["pending"]["value"]) == ("craft", 0, value)


@pytest.mark.parametrize(("card", "value"), CRAFTSMEN)
def test_t9_each_assistant_of_the_seat_adds_one(card, value):
    d = crafting(*hired(card), "assistant", "assistant")
    assert play(d, f"activate:{card}")["pending"]["value"] == value + 2


def test_t9_assistants_of_others_and_face_down_ones_add_nothing():
    d = crafting("set_dresser_6", "extra:assistant", others={1: seat(["assistant"])})
    assert play(d, "activate:set_dresser_6")["pending"]["value"] == 6


@pytest.mark.parametrize(("card", "value"), CRAFTSMEN)
def test_t9_plus3_token_adds_three_and_returns_to_supply(card, value):
    d = crafting(*hired(card), tokens=2)
    assert d["supply_tokens"] == 6
    after = play(d, f"activate:{card}+3")
    assert after["pending"]["value"] == value + 3
    assert (seat_of(after, 0)["tokens"], after["supply_tokens"]) == (1, 7)


def test_t9_plus3_and_assistants_add_up():
    d = crafting("set_dresser_8", "assistant", tokens=1)
    assert play(d, "activate:set_dresser_8+3")["pending"]["value"] == 12


def test_t9_a_token_need_not_be_used():
    after = play(crafting("set_dresser_8", tokens=1), "activate:set_dresser_8")
    assert after["pending"]["value"] == 8
    assert (seat_of(after, 0)["tokens"], after["supply_tokens"]) == (1, 7)


def test_t9_without_a_token_there_is_no_plus3():
    d = crafting("set_dresser_8", others={1: seat(tokens=3)})
    assert not [move for move in legal(d) if move.endswith("+3")]


def test_t9_plus3_is_for_craftsmen_only():
    d = crafting("set_dresser_8", "jeweler", "lear", "assistant", tokens=1)
    assert {move for move in legal(d) if move.endswith("+3")} == {
        "activate:handyman_board+3",
        "activate:set_dresser_8+3",
    }


def test_t9_one_token_at_most_in_an_action():
    d = crafting("set_dresser_6", tokens=5)
    moves = legal(d, "activate:set_dresser_6+3")
    assert starting(moves, "set:") | {"done"} == moves


def test_t9_a_token_gained_during_the_action_cannot_be_used_in_it():
    d = crafting("set_dresser_6", costumes={}, sets={"green": 1, "blue": 1, "black": 1})
    d = play(d, "activate:set_dresser_6", "set:green>a3")
    assert (seat_of(d, 0)["tokens"], d["pending"]["value"]) == (1, 1)
    assert colours(legal(d), "set") == {"black"}


def test_t9_the_token_is_back_in_the_supply_before_an_element_acts():
    d = crafting("set_dresser_6", tokens=1, others={1: seat(tokens=7)}, sets={"green": 1})
    after = play(d, "activate:set_dresser_6+3", "set:green>a3")
    assert (each(after, "tokens"), after["supply_tokens"]) == ([1, 7, 0, 0], 0)


def test_t9_the_token_is_used_even_if_nothing_can_be_taken():
    d = crafting("set_dresser_6", tokens=1, sets={}, costumes={})
    after = play(d, "activate:set_dresser_6+3")
    assert (seat_of(after, 0)["tokens"], after["supply_tokens"]) == (0, 8)
    assert (after["phase"], after["to_move"]) == ("turn", 1)


@pytest.mark.parametrize(
    ("colour", "value"), [("black", 1), ("pink", 2), ("purple", 3), ("blue", 4), ("green", 5)]
)
@pytest.mark.parametrize("kind", ["costume", "set"])
def test_t10_what_an_element_costs(kind, colour, value):
    card = {"costume": "costume_mistress_8", "set": "set_dresser_8"}[kind]
    target = {"costume": "author", "set": "a3"}[kind]
    d = play(crafting(card), f"activate:{card}", f"{kind}:{colour}>{target}")
    assert d["pending"]["value"] == 8 - value


@pytest.mark.parametrize(
    ("spent", "left"),
    [
        ([], {"black", "pink", "purple", "blue"}),
        (["black"], {"black", "pink", "purple"}),
        (["pink"], {"black", "pink"}),
        (["purple"], {"black"}),
    ],
)
def test_t10_elements_are_taken_within_the_value(spent, left):
    moves = legal(crafting(), "activate:handyman_board", *(f"set:{c}>a3" for c in spent))
    assert colours(moves, "set") == left
    assert colours(moves, "costume") == left


def test_t10_a_green_element_needs_five():
    assert "set:green>a3" not in legal(crafting(), "activate:handyman_board")
    assert "set:green>a3" in legal(crafting("assistant"), "activate:handyman_board")


@pytest.mark.parametrize(("card", "value"), CRAFTSMEN)
def test_t10_craftsmen_take_no_yellow(card, value):
    d = crafting(*hired(card), tokens=1, costumes={"yellow": 3}, sets={"yellow": 3})
    after = play(d, f"activate:{card}+3")
    assert (after["phase"], after["to_move"]) == ("turn", 1), value


def test_t10_a_costume_mistress_takes_costumes_only():
    moves = legal(crafting("costume_mistress_8"), "activate:costume_mistress_8")
    assert colours(moves, "costume") == {"black", "pink", "purple", "blue", "green"}
    assert colours(moves, "set") == set()


def test_t10_a_set_dresser_takes_stage_sets_only():
    moves = legal(crafting("set_dresser_8"), "activate:set_dresser_8")
    assert colours(moves, "set") == {"black", "pink", "purple", "blue", "green"}
    assert colours(moves, "costume") == set()


@pytest.mark.parametrize("card", ["handyman", "handyman_board"])
def test_t10_a_handyman_takes_both_within_one_value(card):
    d = play(crafting("handyman"), f"activate:{card}", "set:black>a1", "costume:pink>author")
    assert d["pending"]["value"] == 1
    assert (seat_of(d, 0)["stage"], d["to_move"]) == ({"a1": "black"}, 0)


def test_t10_only_what_lies_in_the_display_can_be_taken():
    d = crafting("set_dresser_8", sets={"pink": 1, "blue": 1})
    assert colours(legal(d, "activate:set_dresser_8"), "set") == {"pink", "blue"}
    assert colours(legal(d, "activate:set_dresser_8", "set:pink>a1"), "set") == {"blue"}


def test_t10_taken_elements_leave_the_display():
    d = crafting("set_dresser_8")
    after = play(d, "activate:set_dresser_8", "set:pink>a1", "done")
    assert after["display"]["sets"] == PLENTY | {"pink": 1}
    assert after["display"]["costumes"] == PLENTY
    assert (after["bags"], after["discarded"]) == (d["bags"], d["discarded"])


@pytest.mark.parametrize("taken", [[], ["set:black>a1"]])
def test_t10_a_craftsman_may_take_fewer_or_none(taken):
    after = play(crafting("set_dresser_8"), "activate:set_dresser_8", *taken, "done")
    assert (after["phase"], after["to_move"], after["pending"]) == ("turn", 1, None)
    assert each(after, "cylinders") == [1, 2, 2, 2]


def test_t10_the_action_ends_by_itself_when_the_value_is_spent():
    after = play(crafting(), "activate:handyman_board", "set:blue>a1")
    assert (after["phase"], after["to_move"]) == ("turn", 1)


def test_t11_an_element_is_placed_as_it_is_taken():
    d = crafting("handyman", costumes={"pink": 1})
    d = play(d, "activate:handyman", "costume:pink>falstaff", "set:black>a2")
    worn = {card["card"]: card["costume"] for card in seat_of(d, 0)["troupe"]}
    assert worn["falstaff"] == ["pink"]
    assert worn["author"] == []
    assert seat_of(d, 0)["stage"] == {"a2": "black"}


def test_t11_a_costume_that_cannot_be_placed_cannot_be_taken():
    full = ["black", "black", "pink"]
    d = crafting(costumes={"black": 1}, sets={"black": 1})
    assert "costume:black>author" in legal(d, "activate:handyman_board")
    full_d = crafting(
        worn_by={"author": full, "falstaff": full}, costumes={"black": 1}, sets={"black": 1}
    )
    assert colours(legal(full_d, "activate:handyman_board"), "costume") == set()


def test_t11_a_stage_set_that_cannot_be_placed_cannot_be_taken():
    bottom = {"a1": "black", "a2": "pink", "a3": "pink", "a4": "pink"}
    d = crafting("set_dresser_8", stage=bottom | {"b1": "black", "b2": "black", "b3": "black"})
    # Left: a5 across from a black one, and c1, c2, c3; b4 and what is above it wait for a5.
    moves = legal(d, "activate:set_dresser_8")
    assert starting(moves, "set:") == {"set:black>a5"} | {
        f"set:{colour}>{space}"
        for colour in ("black", "pink", "purple", "blue", "green")
        for space in ("c1", "c2", "c3")
    }


def test_t11_what_is_placed_stays():
    d = crafting("set_dresser_8", stage={"a3": "pink"}, sets={"black": 3})
    assert not {move for move in legal(d, "activate:set_dresser_8") if move.endswith("a3")}


def test_t10_value_that_is_left_is_lost():
    after = play(crafting(), "activate:handyman_board", "done", "activate:author")
    assert (after["to_move"], after["pending"]) == (1, {"quills": 2, "then": "turn"})
