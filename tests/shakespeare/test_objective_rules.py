"""The end, objectives: rules F1 and F1a."""

import pytest

from tests.contract.playing import play
from tests.shakespeare.positions import (
    each,
    everyone_on,
    finished,
    gained,
    last_turn,
    ready_to_pass,
)

# At the end of every act white quills of complete costumes are lost: nothing to decide.
ENDS = {"I": {9: [1, 0, 2, 3]}, "II": {10: [1, 0, 2, 3]}, "III": {10: [1, 0, 2, 3]}}
BOTTOM_UP = [
    f"{row}{n}" for row, width in (("a", 5), ("b", 4), ("c", 5)) for n in range(1, width + 1)
]
BEST = {
    10: ["purple", "purple", "blue"],
    11: ["pink", "blue", "green"],
    12: ["blue", "blue", "blue"],
    13: ["blue", "blue", "green"],
    14: ["blue", "green", "green"],
    15: ["green", "green", "green"],
}


def last_evening(objectives=(), cards=(), acts=None, others=None, **fields):
    """Day 6, seat 0 has only to pass."""
    me = ready_to_pass(cards, objectives=list(objectives), **fields)
    return last_turn(day=6, seats={0: me, **(others or {})}, acts=acts or ENDS)


def worth(objective, **fields):
    """Prestige that an objective is worth to seat 0: the end with it less the end without."""
    with_it = play(last_evening([objective], **fields), "pass")
    without = play(last_evening([], **fields), "pass")
    assert each(with_it, "prestige")[1:] == each(without, "prestige")[1:]
    return with_it["seats"][0]["prestige"] - without["seats"][0]["prestige"]


def stage(spaces):
    """A stage with that many spaces filled, from the bottom up."""
    return dict.fromkeys(BOTTOM_UP[:spaces], "black")


def act(*discs, at):
    """These discs on one space, from the bottom up; the others on space 4."""
    return {4: [disc for disc in range(4) if disc not in discs], at: list(discs)}


@pytest.mark.parametrize(
    ("acts", "points"),
    [
        ({"I": act(1, 0, at=9), "II": act(1, 0, at=10), "III": act(1, 0, at=7)}, 0),
        ({"I": act(1, at=9), "II": act(0, 1, at=10), "III": act(1, at=7)}, 1),
        ({"I": act(0, at=5), "II": act(0, 1, at=10), "III": act(1, 0, at=7)}, 2),
        ({"I": act(0, 1, at=9), "II": act(0, at=5), "III": act(0, 3, at=6)}, 3),
    ],
)
def test_f1a_first_places_are_acts_whose_leading_disc_is_the_seats(acts, points):
    assert worth("leading_acts", acts=acts) == points


@pytest.mark.parametrize(("complete", "points"), [(0, 0), (3, 0), (4, 2), (5, 3)])
def test_f1a_complete_costumes_of_actors_and_extras(complete, points):
    wearers = ["author", "extra1", "viola", "extra2", "hamlet"]
    worn = {who: ["black"] * (3 if i < complete else 2) for i, who in enumerate(wearers)}
    cards = ["extra:jeweler", "viola", "extra:assistant", "hamlet"]
    assert worth("wardrobe", cards=cards, costumes=worn) == points


@pytest.mark.parametrize(
    ("filled", "points"), [(0, 0), (7, 0), (8, 1), (10, 1), (11, 2), (13, 2), (14, 3)]
)
def test_f1a_stage_spaces_are_those_filled_printed_ones_not_counted(filled, points):
    assert worth("grand_stage", stage=stage(filled)) == points


COLOURFUL = {
    "a1": "black",
    "a2": "pink",
    "a3": "purple",
    "a4": "yellow",
    "b1": "blue",
    "b2": "green",
}


@pytest.mark.parametrize(
    ("spaces", "points"),
    [
        (("a1", "a2", "a3"), 0),
        (("a1", "a2", "a3", "a4"), 1),
        (("a1", "a2", "a3", "a4", "b1"), 2),
        (("a1", "a2", "a3", "a4", "b1", "b2"), 3),
    ],
)
def test_f1a_stage_colours_are_different_colours_yellow_included(spaces, points):
    assert worth("colourful_stage", stage={at: COLOURFUL[at] for at in spaces}) == points


def test_f1a_black_is_a_colour_only_where_it_stands():
    without_black = {"a1": "pink", "a2": "purple", "a3": "blue"}
    assert worth("colourful_stage", stage=without_black) == 0
    assert worth("colourful_stage", stage=without_black | {"b1": "green"}) == 1


def test_f1a_a_colour_counts_once_however_often_it_is_there():
    assert worth("colourful_stage", stage=stage(14)) == 0


@pytest.mark.parametrize(
    ("value", "points"), [(10, 0), (11, 1), (12, 1), (13, 2), (14, 2), (15, 3)]
)
def test_f1a_best_costume_is_the_highest_value_of_a_complete_costume(value, points):
    worn = {"author": ["pink"] * 3, "falstaff": BEST[value], "extra1": ["pink"] * 3}
    assert worth("masterpiece", cards=["extra:iago"], costumes=worn) == points


def test_f1a_yellow_counts_three_in_the_best_costume():
    worn = {"author": ["yellow", "blue", "blue"], "falstaff": ["yellow", "yellow", "blue"]}
    assert worth("masterpiece", costumes=worn) == 1


@pytest.mark.parametrize(
    ("one", "two", "three", "points"),
    [(4, 9, 9, 0), (5, 8, 9, 1), (6, 6, 6, 2), (9, 6, 10, 2), (8, 9, 5, 1), (7, 10, 7, 3)],
)
def test_f1a_lowest_act_is_the_lowest_of_the_three_space_numbers(one, two, three, points):
    acts = {"I": act(0, at=one), "II": act(0, at=two), "III": act(0, at=three)}
    if one == 4:
        acts["I"] = {4: [1, 2, 3, 0]}
    assert worth("even_play", acts=acts) == points


@pytest.mark.parametrize(
    ("on_stage", "worn", "points"),
    [
        ({"a3": "yellow"}, {}, 0),
        ({"a3": "yellow"}, {"author": ["yellow"]}, 1),
        ({}, {"author": ["yellow", "yellow"], "extra1": ["black", "pink", "yellow"]}, 2),
        ({"a1": "yellow", "a5": "yellow"}, {"author": ["yellow"], "extra1": ["pink", "yellow"]}, 3),
    ],
)
def test_f1a_yellow_elements_on_stage_and_costumes_complete_or_not(on_stage, worn, points):
    fields = {"cards": ["extra:iago"], "stage": on_stage, "costumes": worn}
    assert worth("jewels", **fields) == points


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ([], 0),
        (["viola", "extra:iago", "extra:lear"], 0),
        (["viola", "hamlet"], 1),
        (["viola", "hamlet", "iago"], 2),
        (["viola", "hamlet", "iago", "lear"], 3),
        (["viola", "jeweler", "assistant", "handyman"], 0),
    ],
)
def test_f1a_actors_are_those_face_up_author_and_falstaff_included(cards, points):
    assert worth("great_company", cards=cards) == points


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        (["handyman"], 0),
        (["handyman", "set_dresser_6"], 1),
        (["handyman", "set_dresser_6", "costume_mistress_8"], 2),
        (["handyman", "set_dresser_6", "costume_mistress_8", "set_dresser_8"], 3),
        (["handyman", "extra:set_dresser_6", "jeweler", "assistant", "viola"], 0),
    ],
)
def test_f1a_craftsmen_are_those_face_up_the_boards_included(cards, points):
    assert worth("full_workshop", cards=cards) == points


def test_f1_every_kept_objective_scores():
    both = ["full_workshop", "great_company"]
    cards = ["set_dresser_6", "set_dresser_8", "viola", "iago"]
    with_both = play(last_evening(both, cards=cards), "pass")
    without = play(last_evening([], cards=cards), "pass")
    assert with_both["seats"][0]["prestige"] - without["seats"][0]["prestige"] == 1 + 1


def test_f1_objectives_score_for_the_seat_that_kept_them():
    cards = ["set_dresser_6", "set_dresser_8"]
    d = last_evening(others={1: finished(objectives=["full_workshop"])}, cards=cards)
    without = last_evening(cards=cards)
    assert each(play(d, "pass"), "prestige") == each(play(without, "pass"), "prestige")


# Day 6 on space 4 of every act: seat 0 scores 2 on Act II and nothing else.
PATRONS = [
    # cards, pounds before -> objective and wages together, pounds left, unpaid
    ([], 1, 0, 1, 0),
    ([], 2, 1, 0, 0),
    ([], 4, 1, 2, 0),
    ([], 5, 3, 0, 0),
    ([], 9, 3, 4, 0),
    # Giving up the pounds for the wage costs more than it brings, or not.
    (["viola"], 2, 0, 1, 0),
    (["hamlet"], 3, 0, 0, 0),
    (["viola", "iago"], 5, 1, 1, 0),
    (["viola", "hamlet"], 9, 3, 0, 0),
    # Measured before wages: all five pounds can be given although Othello is owed them.
    (["othello"], 5, 1, 0, 1),
    (["othello", "viola"], 6, 1, 0, 1),
]


@pytest.mark.parametrize(("cards", "pounds", "prestige", "left", "unpaid"), PATRONS)
def test_f1_the_engine_gives_up_what_ends_best_for_the_seat(cards, pounds, prestige, left, unpaid):
    d = last_evening(["patronage"], cards, everyone_on(4), pounds=pounds)
    after = play(d, "pass")
    me = after["seats"][0]
    assert (me["prestige"] - 5 - 2, me["pounds"], me["unpaid"]) == (prestige, left, unpaid)


@pytest.mark.parametrize(
    ("card", "pounds", "left", "unpaid"),
    [
        # Two pounds and the wage, or five and no wage: 1 prestige either way.
        ("viola", 5, 2, 0),  # wage 1: two pounds leave more
        ("othello", 8, 3, 1),  # wage 5: five pounds leave more
        ("hamlet", 5, 0, 0),  # wage 3: as many pounds left, but Hamlet is paid
        ("hamlet", 6, 1, 0),
    ],
)
def test_f1_a_tie_goes_to_most_pounds_then_fewest_unpaid(card, pounds, left, unpaid):
    d = last_evening(["patronage"], [card], everyone_on(4), pounds=pounds)
    me = play(d, "pass")["seats"][0]
    assert (me["prestige"] - 5 - 2, me["pounds"], me["unpaid"]) == (1, left, unpaid)


def test_f1_without_the_objective_nothing_is_given_up():
    d = last_evening([], [], everyone_on(4), pounds=9)
    after = play(d, "pass")
    assert gained(d, after, 0) == (2, 0)


def test_f1_pounds_won_in_the_last_scoring_can_be_given_up():
    acts = everyone_on(4) | {"I": {9: [0], 4: [1, 2, 3]}}
    d = last_evening(["patronage"], [], acts)
    assert gained(d, play(d, "pass"), 0) == (2 + 3, 0)
