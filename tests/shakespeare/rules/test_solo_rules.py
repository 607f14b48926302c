"""The solo variant: rules V1 to V4."""

import pytest

from shakespeare_env import Position
from tests.contract.playing import play
from tests.shakespeare import positions as p


def evening(day=3, acts=None, **fields):
    """Return the last turn of a day in solo."""
    return p.last_turn(players=1, day=day, seats={0: p.ready_to_pass(**fields)}, acts=acts or {})


def standing(one, two, three):
    """Put the seat's disc on these spaces."""
    return {"I": {one: [0]}, "II": {two: [0]}, "III": {three: [0]}}


def test_v1_there_is_no_wager_and_all_five_cylinders_are_available():
    game = Position.new("shakespeare", players=1, seed=4)
    game.push(game.moves()[0])
    d = game.to_dict()
    assert (d["phase"], d["to_move"], d["day"]) == ("turn", 0, 1)
    assert (p.each(d, "cylinders"), p.each(d, "wager"), p.each(d, "prestige")) == ([5], [None], [5])


@pytest.mark.parametrize("day", [1, 2, 3, 4, 5])
def test_v1_all_five_cylinders_are_available_every_day_and_rules_for_two_hold(day):
    after = play(evening(day=day, used=["queen"]), "pass")
    assert (after["phase"], after["day"], after["to_move"]) == ("turn", day + 1, 0)
    assert (p.each(after, "cylinders"), p.each(after, "recruited")) == ([5], [False])
    assert after["initiative"] == []
    assert len(after["display"]["characters"]) == 4
    assert [sum(after["display"][kind].values()) for kind in ("sets", "costumes")] == [6, 6]


def test_v2_neutral_discs_begin_on_space_4_of_each_act_in_solo_only():
    piles = Position.new("shakespeare", players=1, seed=0).to_dict()["piles"]
    assert piles == {act: {"1": [0], "4": ["neutral"]} for act in p.ACTS}
    piles = Position.new("shakespeare", players=2, seed=0).to_dict()["piles"]
    assert all(sorted(piles[act]["1"]) == [0, 1] for act in p.ACTS)


def test_v2_after_the_scoring_of_day_4_they_move_to_space_8_on_top():
    after = play(evening(day=4, acts=standing(8, 5, 8)), "pass")
    assert after["piles"] == {
        "I": {"8": [0, "neutral"]},
        "II": {"5": [0], "8": ["neutral"]},
        "III": {"8": [0, "neutral"]},
    }


@pytest.mark.parametrize("day", [1, 2, 3, 5, 6])
def test_v2_they_move_on_no_other_day(day):
    d = evening(day=day, acts=standing(5, 5, 5))
    assert play(d, "pass")["piles"] == d["piles"]


@pytest.mark.parametrize("day", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(("used", "prestige"), [(0, 0), (1, 1), (2, 1), (3, 0), (4, 0)])
def test_v3_1_prestige_if_one_or_two_cylinders_were_used(used, prestige, day):
    cards = ["queen", "author", "falstaff", "handyman_board"]
    acts = standing(4, 3, 4)  # the scoring of day 4 brings 1 and costs 1
    d = evening(day=day, acts=acts, used=cards[:used])
    assert p.gained(d, play(d, "pass"), 0) == (prestige, 0)


def test_v3_comes_after_phase_2_and_before_mood_and_in_solo_only():
    d = evening(used=["falstaff"], mood=2)
    waiting = play(d, "pass")
    assert waiting["pending"] == {"quills": 1, "then": "mood"}
    assert p.gained(d, waiting, 0) == (1, 0)
    d = p.last_turn(players=2, seats={0: p.ready_to_pass(used=["queen"])})
    assert p.gained(d, play(d, "pass"), 0) == (0, 0)


@pytest.mark.parametrize(
    ("day", "pile", "prestige"),
    [
        (4, {5: [0], 4: ["neutral"]}, 2),
        (4, {7: [0], 4: ["neutral"]}, 2),  # the neutral discs move only after the scoring
        (4, {4: [0, "neutral"]}, 2),
        (4, {4: ["neutral", 0]}, 1),
        (4, {3: [0], 4: ["neutral"]}, 1 - 1),
        (6, {9: [0], 8: ["neutral"]}, 2),
        (6, {7: [0], 8: ["neutral"]}, 1),
    ],
)
def test_v4_act_two_is_scored_against_the_neutral_disc(day, pile, prestige):
    d = evening(day=day, acts=standing(4, 4, 4) | {"II": pile})
    after = play(d, "pass")
    assert p.gained(d, after, 0) == (prestige, 0)
    assert day == 4 or (after["phase"], after["winners"]) == ("over", [0])


@pytest.mark.parametrize(
    ("acts", "points"),
    [
        (standing(7, 7, 7), 0),
        (standing(9, 7, 7), 1),
        ({"I": {8: [0, "neutral"]}, "II": {8: ["neutral", 0]}, "III": {10: [0]}}, 2),
        (standing(9, 9, 9), 3),
    ],
)
def test_v4_first_places_are_counted_against_the_neutral_discs(acts, points):
    ends = [
        play(evening(day=6, acts=acts, objectives=kept), "pass")["seats"][0]["prestige"]
        for kept in (["leading_acts"], [])
    ]
    assert ends[0] - ends[1] == points
