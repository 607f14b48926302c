"""Objectives at the end of the game: rules F1 and F1a."""

import pytest

from tests.contract.playing import play
from tests.shakespeare import positions as p

# At the end of every act, white quills of complete costumes are lost, so nothing is to decide.
ENDS = {"I": {9: [1, 0, 2, 3]}, "II": {10: [1, 0, 2, 3]}, "III": {10: [1, 0, 2, 3]}}
BOTTOM_UP = [
    f"{row}{n}" for row, width in (("a", 5), ("b", 4), ("c", 5)) for n in range(1, width + 1)
]
SIX_COLOURS = ("black", "pink", "purple", "yellow", "black", "blue", "green")  # black twice
THREE_CRAFTSMEN = ["handyman", "set_dresser_6", "costume_mistress_8"]


def last_evening(objectives=(), cards=(), acts=None, others=None, **fields):
    """Return the last turn of the game."""
    me = p.ready_to_pass(cards, objectives=list(objectives), **fields)
    return p.last_turn(day=6, seats={0: me, **(others or {})}, acts=acts or ENDS)


def act(*discs, at):
    """Put these discs on one space, from the bottom up, and the others on space 4."""
    return {4: [disc for disc in range(4) if disc not in discs], at: list(discs)}


def even(one, two, three):
    """Put the disc of seat 0 on these spaces of the acts."""
    acts = {"I": act(0, at=one), "II": act(0, at=two), "III": act(0, at=three)}
    if one == 4:
        acts["I"] = {4: [1, 2, 3, 0]}
    return {"acts": acts}


def sewn(complete):
    """Give seat 0 five costumes, of which these are complete and the others only begun."""
    wearers = ["author", "extra1", "viola", "extra2", "hamlet"]
    worn = {who: ["black"] * (3 if i < complete else 2) for i, who in enumerate(wearers)}
    return {"cards": ["extra:jeweler", "viola", "extra:assistant", "hamlet"], "costumes": worn}


def best(*elements):
    """Give seat 0 three complete costumes, of which this is the best."""
    worn = {"author": ["pink"] * 3, "falstaff": list(elements), "extra1": ["pink"] * 3}
    return {"cards": ["extra:iago"], "costumes": worn}


def stage(*colours):
    """Put these colours on the stage, from the bottom up."""
    return {"stage": dict(zip(BOTTOM_UP, colours, strict=False))}


def yellow(on_stage, *worn):
    """Give seat 0 yellow stage sets and costumes of the Author and an extra."""
    costumes = dict(zip(("author", "extra1"), worn, strict=False))
    return {"cards": ["extra:iago"], "stage": on_stage, "costumes": costumes}


# An objective, what seat 0 has, and the prestige for it.
WORTH = [
    ("leading_acts", {"acts": {one: act(1, 0, at=9) for one in ("I", "II", "III")}}, 0),
    ("leading_acts", {"acts": {"I": act(1, at=9), "II": act(0, 1, at=9), "III": act(1, at=7)}}, 1),
    ("leading_acts", {"acts": {"I": act(0, at=5), "II": act(0, 1, at=9), "III": act(1, at=7)}}, 2),
    ("leading_acts", {"acts": {one: act(0, 1, at=9) for one in ("I", "II", "III")}}, 3),
    *[("wardrobe", sewn(complete), points) for complete, points in ((3, 0), (4, 2), (5, 3))],
    *[
        ("grand_stage", stage(*["black"] * filled), points)
        for filled, points in ((7, 0), (8, 1), (10, 1), (11, 2), (13, 2), (14, 3))
    ],
    ("colourful_stage", stage(*["black"] * 14), 0),
    ("colourful_stage", stage("pink", "purple", "blue"), 0),
    ("colourful_stage", stage("pink", "purple", "blue", "purple", "pink", "green"), 1),
    ("colourful_stage", stage(*SIX_COLOURS[:6]), 2),
    ("colourful_stage", stage(*SIX_COLOURS), 3),
    ("masterpiece", best("purple", "purple", "blue"), 0),  # 10
    ("masterpiece", best("pink", "blue", "green"), 1),  # 11
    ("masterpiece", best("blue", "blue", "yellow"), 1),  # 11: yellow counts 3
    ("masterpiece", best("blue", "blue", "blue"), 1),
    ("masterpiece", best("blue", "blue", "green"), 2),
    ("masterpiece", best("blue", "green", "green"), 2),
    ("masterpiece", best("green", "green", "green"), 3),
    *[("even_play", even(4, 9, 9), 0), ("even_play", even(5, 8, 9), 1)],
    *[("even_play", even(6, 6, 6), 2), ("even_play", even(9, 6, 10), 2)],
    *[("even_play", even(8, 9, 5), 1), ("even_play", even(7, 10, 7), 3)],
    ("jewels", yellow({"a3": "yellow"}), 0),
    ("jewels", yellow({"a3": "yellow"}, ["yellow"]), 1),
    ("jewels", yellow({}, ["yellow", "yellow"], ["black", "pink", "yellow"]), 2),
    ("jewels", yellow({"a1": "yellow", "a5": "yellow"}, ["yellow"], ["pink", "yellow"]), 3),
    # The Author and Falstaff count, cards face down do not.
    ("great_company", {"cards": ["viola", "extra:iago", "extra:lear", "jeweler"]}, 0),
    ("great_company", {"cards": ["viola", "hamlet"]}, 1),
    ("great_company", {"cards": ["viola", "hamlet", "iago"]}, 2),
    ("great_company", {"cards": ["viola", "hamlet", "iago", "lear"]}, 3),
    # The handyman of the board counts.
    ("full_workshop", {"cards": ["handyman", "extra:set_dresser_6", "jeweler", "assistant"]}, 0),
    ("full_workshop", {"cards": ["handyman", "set_dresser_6"]}, 1),
    ("full_workshop", {"cards": THREE_CRAFTSMEN}, 2),
    ("full_workshop", {"cards": [*THREE_CRAFTSMEN, "set_dresser_8"]}, 3),
]


@pytest.mark.parametrize(("objective", "fields", "points"), WORTH)
def test_f1a_what_an_objective_counts(objective, fields, points):
    """The end with the objective is compared to the end without; the other seats end alike."""
    with_it = p.each(play(last_evening([objective], **fields), "pass"), "prestige")
    without = p.each(play(last_evening([], **fields), "pass"), "prestige")
    assert [a - b for a, b in zip(with_it, without, strict=True)] == [points, 0, 0, 0]


# Day 6 on space 4 of every act: seat 0 scores 2 on Act II and nothing else.
PATRONS = [
    # cards, pounds before -> objective and wages together, pounds left, unpaid
    ([], 1, 0, 1, 0),
    ([], 2, 1, 0, 0),
    ([], 4, 1, 2, 0),
    ([], 5, 3, 0, 0),
    ([], 9, 3, 4, 0),
    # Giving up the pounds for a wage may cost more than it brings.
    (["viola"], 2, 0, 1, 0),
    (["viola", "iago"], 5, 1, 1, 0),
    (["viola", "hamlet"], 9, 3, 0, 0),
    # Measured before wages: all five pounds can be given although Othello is owed them.
    (["othello"], 5, 1, 0, 1),
    (["othello", "viola"], 6, 1, 0, 1),
    # A tie goes to most pounds, then fewest unpaid: two pounds and the wage, or five and no wage,
    # are 1 prestige either way.
    (["viola"], 5, 1, 2, 0),  # wage 1: two pounds leave more
    (["othello"], 8, 1, 3, 1),  # wage 5: five pounds leave more
    (["hamlet"], 5, 1, 0, 0),  # wage 3: as many pounds left, but Hamlet is paid
    (["hamlet"], 6, 1, 1, 0),
]


@pytest.mark.parametrize(("cards", "pounds", "prestige", "left", "unpaid"), PATRONS)
def test_f1_the_engine_gives_up_what_ends_best_for_the_seat(cards, pounds, prestige, left, unpaid):
    d = last_evening(["patronage"], cards, p.everyone_on(4), pounds=pounds)
    me = play(d, "pass")["seats"][0]
    assert (me["prestige"] - 5 - 2, me["pounds"], me["unpaid"]) == (prestige, left, unpaid)


def test_f1_pounds_won_in_the_last_scoring_can_be_given_up_for_the_objective_only():
    acts = p.everyone_on(4) | {"I": {9: [0], 4: [1, 2, 3]}}
    for objectives, gain in ((["patronage"], (2 + 3, 0)), ([], (2, 5))):
        d = last_evening(objectives, [], acts)
        assert p.gained(d, play(d, "pass"), 0) == gain
