"""Costumes: rule T12."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import (
    character,
    each,
    gained,
    seat,
    seat_of,
    starting,
    turn_position,
)

# Two elements worn and the third taken -> pounds and prestige gained.
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
    """Seat 0 to move, with a costume mistress, these cards and this display of costumes."""
    me = seat(["costume_mistress_8", *cards], costumes=worn_by, **fields)
    return turn_position(day=6, costumes=costumes, seats={0: me, 1: seat(["romeo"])})


@pytest.mark.parametrize(("worn", "third", "pounds", "prestige"), COMPLETED)
@pytest.mark.parametrize("wearer", ["author", "extra1"])
def test_t12_a_third_element_completes_the_costume_and_its_value_pays_once(
    worn, third, pounds, prestige, wearer
):
    d = sewing("extra:viola", costumes={third: 1, "black": 2}, worn_by={wearer: worn})
    after = play(d, SEW, f"costume:{third}>{wearer}")
    assert gained(d, after, 0) == (prestige, pounds)
    assert len(character(after, 0, wearer)["costume"]) == 3
    if after["phase"] == "craft":  # the next element pays nothing
        assert gained(after, play(after, "costume:black>falstaff"), 0) == (0, 0)


def test_t12_a_yellow_third_element_counts_three():
    seats = {0: seat(["jeweler"], costumes={"author": ["black", "pink"]})}
    d = turn_position(costumes={"yellow": 1}, seats=seats)
    assert gained(d, play(d, "activate:jeweler", "costume:yellow>author"), 0) == (0, 2)


def test_t12_several_costumes_may_be_begun_of_three_elements_at_most():
    d = sewing("viola", costumes={"black": 4}, worn_by={"author": ["black"] * 3})
    assert "costume:black>author" not in legal(d, SEW)
    d = play(d, SEW, "costume:black>falstaff", "costume:black>viola", "costume:black>viola")
    worn = [character(d, 0, who)["costume"] for who in ("author", "falstaff", "viola")]
    assert worn == [["black"] * 3, ["black"], ["black"] * 2]


def test_t12_own_actors_and_extras_wear_costumes_also_resting_and_used_and_nobody_else():
    cards = ["viola", "jeweler", "assistant", "extra:set_dresser_6", "extra:lear"]
    d = sewing(*cards, costumes={"pink": 1}, resting=["author"], used=["falstaff"])
    wearers = ("author", "falstaff", "viola", "extra1", "extra2")
    assert starting(legal(d, SEW), "costume:") == {f"costume:pink>{who}" for who in wearers}


def test_t12_extras_are_named_in_order_of_hiring():
    d = sewing("extra:viola", "jeweler", "extra:assistant", "extra:iago", costumes={"pink": 1})
    after = play(d, SEW, "costume:pink>extra2")
    worn = {card["card"]: card["costume"] for card in seat_of(after, 0)["troupe"]}
    assert (worn["viola"], worn["assistant"], worn["iago"]) == ([], ["pink"], [])


def test_t12_every_actor_card_exists_once_so_a_wearer_is_named_by_its_card():
    after = play(sewing("viola", "puck", costumes={"pink": 1}), SEW, "costume:pink>viola")
    assert character(after, 0, "viola")["costume"] == ["pink"]
    assert character(after, 0, "puck")["costume"] == []


def test_t12_a_costume_is_listed_in_colour_order_and_its_elements_do_nothing_else():
    d = sewing(costumes={"black": 1, "pink": 1, "purple": 1}, pounds=3)
    moves = [f"costume:{colour}>author" for colour in ("purple", "black")]
    after = play(d, SEW, *moves)
    assert character(after, 0, "author")["costume"] == ["black", "purple"]
    assert (gained(d, after, 0), each(after, "mood")) == ((0, 0), [0] * 4)
    for colour, field in (("blue", "mood"), ("green", "tokens"), ("pink", "pounds")):
        d = sewing(costumes={colour: 1})
        assert each(play(d, SEW, f"costume:{colour}>author"), field) == each(d, field)
