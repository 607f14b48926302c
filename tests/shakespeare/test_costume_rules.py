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
    (["yellow", "black"], "black", 0, 0),  # 5: yellow counts 3
    (["yellow", "black"], "pink", 2, 0),  # 6
    (["yellow", "yellow"], "pink", 2, 1),  # 8
]


def sewing(*cards, costumes, worn_by=None, mistress="costume_mistress_8", **fields):
    """Seat 0 to move, with a costume mistress, these cards and this display of costumes."""
    seats = {0: seat([mistress, *cards], costumes=worn_by, **fields)}
    return turn_position(day=6, costumes=costumes, seats=seats)


@pytest.mark.parametrize(("worn", "third", "pounds", "prestige"), COMPLETED)
def test_t12_a_third_element_completes_the_costume_and_its_value_pays(
    worn, third, pounds, prestige
):
    d = sewing(costumes={third: 1}, worn_by={"author": worn})
    after = play(d, "activate:costume_mistress_8", f"costume:{third}>author")
    assert gained(d, after, 0) == (prestige, pounds)
    assert len(character(after, 0, "author")["costume"]) == 3


def test_t12_a_yellow_third_element_counts_three():
    seats = {0: seat(["jeweler"], costumes={"author": ["black", "pink"]})}
    d = turn_position(costumes={"yellow": 1}, seats=seats)
    after = play(d, "activate:jeweler", "costume:yellow>author")
    assert gained(d, after, 0) == (0, 2)


def test_t12_nothing_is_paid_before_the_third_element():
    d = sewing(costumes={"green": 1, "purple": 1})
    moves = ["activate:costume_mistress_8", "costume:green>author", "costume:purple>author"]
    assert gained(d, play(d, *moves), 0) == (0, 0)


def test_t12_a_costume_pays_at_once_and_only_once():
    d = sewing(costumes={"pink": 3, "black": 2}, worn_by={"author": ["pink", "pink"]})
    d = play(d, "activate:costume_mistress_8", "costume:pink>author")
    assert (d["phase"], seat_of(d, 0)["pounds"]) == ("craft", 2)
    d = play(d, "costume:pink>falstaff", "done")
    assert seat_of(d, 0)["pounds"] == 2


def test_t12_three_elements_at_most_on_each():
    d = sewing(costumes={"black": 4}, worn_by={"author": ["black", "black", "black"]})
    moves = legal(d, "activate:costume_mistress_8")
    assert starting(moves, "costume:") == {"costume:black>falstaff"}


def test_t12_several_costumes_may_be_begun():
    d = sewing("viola", costumes={"black": 3})
    d = play(
        d,
        "activate:costume_mistress_8",
        *(f"costume:black>{wearer}" for wearer in ("author", "falstaff", "viola")),
    )
    for wearer in ("author", "falstaff", "viola"):
        assert character(d, 0, wearer)["costume"] == ["black"]


def test_t12_actors_and_extras_wear_costumes_and_nobody_else():
    d = sewing(
        "viola", "jeweler", "assistant", "extra:set_dresser_6", "extra:lear", costumes={"pink": 1}
    )
    moves = legal(d, "activate:costume_mistress_8")
    assert starting(moves, "costume:") == {
        f"costume:pink>{wearer}" for wearer in ("author", "falstaff", "viola", "extra1", "extra2")
    }


def test_t12_extras_are_named_in_order_of_hiring():
    cards = ["extra:viola", "jeweler", "extra:assistant", "extra:iago"]
    d = sewing(*cards, costumes={"pink": 1})
    after = play(d, "activate:costume_mistress_8", "costume:pink>extra2")
    worn = {card["card"]: card["costume"] for card in seat_of(after, 0)["troupe"]}
    assert (worn["viola"], worn["assistant"], worn["iago"]) == ([], ["pink"], [])


def test_t12_an_extra_completes_a_costume_like_an_actor():
    d = sewing("extra:viola", costumes={"pink": 1}, worn_by={"extra1": ["pink", "pink"]})
    after = play(d, "activate:costume_mistress_8", "costume:pink>extra1")
    assert gained(d, after, 0) == (0, 2)


def test_t12_an_extra_is_no_longer_named_by_its_card():
    d = sewing("extra:lear", costumes={"pink": 1})
    assert "costume:pink>lear" not in legal(d, "activate:costume_mistress_8")


def test_t12_resting_and_used_characters_wear_costumes_too():
    d = sewing(costumes={"pink": 1}, resting=["author"], used=["falstaff"])
    moves = legal(d, "activate:costume_mistress_8")
    assert starting(moves, "costume:") == {"costume:pink>author", "costume:pink>falstaff"}


def test_t12_costumes_go_on_own_characters_only():
    seats = {0: seat(["costume_mistress_8"]), 1: seat(["lear"])}
    d = turn_position(costumes={"pink": 1}, seats=seats)
    assert "costume:pink>lear" not in legal(d, "activate:costume_mistress_8")
    after = play(d, "activate:costume_mistress_8", "costume:pink>author")
    assert character(after, 0, "author")["costume"] == ["pink"]
    assert character(after, 1, "author")["costume"] == []


def test_t12_every_actor_card_exists_once_so_a_wearer_is_named_by_its_card():
    after = play(
        sewing("viola", "puck", costumes={"pink": 1}),
        "activate:costume_mistress_8",
        "costume:pink>viola",
    )
    assert character(after, 0, "viola")["costume"] == ["pink"]
    assert character(after, 0, "puck")["costume"] == []


def test_t12_a_costume_is_listed_in_colour_order():
    d = sewing(costumes={"black": 1, "pink": 1, "blue": 1})
    moves = [f"costume:{colour}>author" for colour in ("blue", "black", "pink")]
    after = play(d, "activate:costume_mistress_8", *moves)
    assert character(after, 0, "author")["costume"] == ["black", "pink", "blue"]


@pytest.mark.parametrize("colour", ["pink", "purple", "blue", "green"])
def test_t12_costume_elements_have_no_effect_of_their_own(colour):
    d = sewing(costumes={colour: 1}, pounds=3)
    after = play(d, "activate:costume_mistress_8", f"costume:{colour}>author")
    assert gained(d, after, 0) == (0, 0)
    assert (each(after, "mood"), each(after, "tokens")) == ([0] * 4, [0] * 4)


def test_t12_elements_taken_on_earlier_days_count():
    d = sewing("viola", costumes={"pink": 2}, worn_by={"viola": ["pink"]})
    d = play(d, "activate:costume_mistress_8", "costume:pink>viola", "costume:pink>viola")
    assert seat_of(d, 0)["pounds"] == 2
