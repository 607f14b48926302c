"""Phase 4, the dress rehearsal: rules R1 and R2."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import (
    each,
    everyone_on,
    finished,
    gained,
    last_turn,
    ready_to_pass,
    seat_of,
    spaces,
)

BLACK = ["black"] * 3
# Costume powers: quills on Acts I, II and III, white quills, prestige, pounds.
POWERS = [
    ("author", (0, 0, 0), 1, 0, 0),
    ("falstaff", (0, 0, 0), 1, 0, 0),
    ("extra1", (0, 0, 0), 1, 0, 0),
    ("lady_macbeth", (1, 1, 1), 0, 0, 0),
    ("hamlet", (0, 0, 0), 0, 1, 0),
    ("viola", (0, 0, 0), 0, 0, 2),
    ("romeo", (1, 0, 0), 1, 0, 0),
    ("juliet", (0, 0, 1), 1, 0, 0),
    ("beatrice", (0, 1, 0), 1, 0, 0),
    ("iago", (2, 0, 0), 0, 0, 0),
    ("othello", (0, 0, 0), 2, 0, 0),
    ("puck", (0, 0, 0), 1, 0, 0),
    ("titania", (0, 1, 1), 0, 0, 0),
    ("lear", (0, 0, 0), 2, 0, 0),
    ("portia", (0, 0, 0), 2, 0, 0),
]
# Seat 1 leads Act II; nobody else's place pays or costs anything.
QUIET = {"I": {2: [0], 4: [1]}, "II": {5: [0], 9: [1]}, "III": {2: [0], 4: [1]}}


def cards_for(wearers):
    """The cards to hire for these wearers."""
    named = {"author": [], "falstaff": [], "extra1": ["extra:jeweler"]}
    return [card for wearer in wearers for card in named.get(wearer, [wearer])]


def dressed(*wearers, day=4, acts=None, elements=3, **fields):
    """Two seats, seat 0 has only to pass; these of its characters have a complete costume."""
    colours = ("black", "black", "pink", "pink")
    costumes = {who: [colour] * elements for who, colour in zip(wearers, colours, strict=False)}
    me = ready_to_pass(cards_for(wearers), costumes=costumes, **fields)
    return last_turn(players=2, day=day, seats={0: me}, acts=acts or QUIET)


@pytest.mark.parametrize(("wearer", "coloured", "white", "prestige", "pounds"), POWERS)
def test_r1_every_complete_costume_gives_its_power(wearer, coloured, white, prestige, pounds):
    d = dressed(wearer)
    after = play(d, "pass")
    base = (2, 5, 2)
    assert spaces(after, 0) == tuple(a + b for a, b in zip(base, coloured, strict=True))
    if white:
        assert after["pending"] == {"quills": white, "then": "rehearsal"}
        assert gained(d, after, 0) == (0, 0)
    else:
        # Second on Act II scores 1; Acts I and III cost 1 each, up to space 3.
        scored = 1 - (spaces(after, 0)[0] <= 3) - (spaces(after, 0)[2] <= 3)
        assert gained(d, after, 0) == (prestige + scored, pounds)
        assert after["day"] == 5


@pytest.mark.parametrize("day", [1, 2, 3, 5])
def test_r1_there_is_no_rehearsal_on_other_days(day):
    d = dressed("lady_macbeth", day=day)
    after = play(d, "pass")
    assert (after["phase"], after["day"]) == ("wager", day + 1)
    assert spaces(after, 0) == (2, 5, 2)
    assert gained(d, after, 0) == (0, 0)


@pytest.mark.parametrize("day", [4, 6])
def test_r1_there_is_one_on_days_4_and_6(day):
    assert spaces(play(dressed("lady_macbeth", day=day), "pass"), 0) == (3, 6, 3)


def test_r1_an_incomplete_costume_gives_nothing():
    d = dressed("lady_macbeth", "viola", elements=2)
    after = play(d, "pass")
    assert spaces(after, 0) == (2, 5, 2)
    assert gained(d, after, 0) == (-1, 0)


def test_r1_resting_and_used_characters_rehearse_too():
    d = dressed("lady_macbeth", "iago", "viola", resting=["lady_macbeth"], used=["iago"])
    after = play(d, "pass")
    assert spaces(after, 0) == (5, 6, 3)
    assert seat_of(after, 0)["pounds"] == 2 + 1  # Viola, and space 5 of Act I


def test_r1_the_main_power_is_not_used():
    d = dressed("falstaff", "hamlet", "lear", acts=everyone_on(4, 2))
    waiting = play(d, "pass")
    assert waiting["pending"]["quills"] == 3
    assert each(waiting, "mood") == [0, 0]
    after = play(waiting, "quill:III", "quill:III", "quill:III")
    assert after["phase"] == "wager"
    assert seat_of(after, 0)["stage"] == {}


def test_r1_coloured_quills_and_gains_of_all_costumes_come_before_the_white_quills():
    # The Author is first in the troupe; still all others are served before the white quill.
    d = dressed("author", "lady_macbeth", "iago", "viola", acts=everyone_on(4, 2))
    waiting = play(d, "pass")
    assert waiting["pending"] == {"quills": 1, "then": "rehearsal"}
    assert spaces(waiting, 0) == (7, 5, 5)
    assert gained(d, waiting, 0) == (0, 2)


def test_r1_the_white_quills_of_all_costumes_are_chosen_together():
    d = dressed("author", "othello", "extra1", "romeo")
    assert play(d, "pass")["pending"]["quills"] == 5


def test_r1_white_quills_cannot_go_where_coloured_ones_reached_the_end():
    d = dressed("author", "iago", acts={"I": {7: [0]}, "II": {4: [0, 1]}, "III": {4: [0, 1]}})
    assert legal(d, "pass") == {"quill:II", "quill:III"}


def three_seats():
    """Order 0, 1, 2; initiative 2, 1 and, without an actor, 0. All have an Author in costume."""
    costumes = {"author": BLACK}
    return last_turn(
        players=3,
        day=4,
        acts=everyone_on(4, 3),
        initiative=[2, 1],
        seats={
            0: ready_to_pass(costumes=costumes),
            1: finished(["iago"], used=["falstaff"], costumes=costumes | {"iago": BLACK}),
            2: finished(used=["falstaff"], costumes=costumes),
        },
    )


def test_r1_seats_rehearse_in_initiative_order():
    first = play(three_seats(), "pass")
    second = play(first, "quill:II")
    third = play(second, "quill:II")
    assert [d["to_move"] for d in (first, second, third)] == [2, 1, 0]
    assert [d["queue"] for d in (first, second, third)] == [[1, 0], [0], []]
    assert third["piles"]["II"] == {"4": [0], "5": [2, 1]}


def test_r1_a_seat_rehearses_only_when_its_turn_comes():
    first = play(three_seats(), "pass")
    assert spaces(first, 1) == (4, 4, 4)
    assert spaces(play(first, "quill:II"), 1) == (6, 4, 4)


def test_r2_acts_are_scored_once_all_have_rehearsed():
    d = three_seats()
    last = play(d, "pass", "quill:II", "quill:II")
    assert [gained(d, last, i) for i in range(3)] == [(0, 0)] * 3
    after = play(last, "quill:II")
    # Act II: 5 holds 2, 1, 0 from the bottom; seat 1 is on space 6 of Act I.
    assert [gained(d, after, i) for i in range(3)] == [(0, 0), (1, 1), (2, 0)]


def scoring(one=4, two=5, three=4, day=4):
    """Seat 0 on these spaces, seat 1 ahead on Act II: seat 0 scores 1 there from space 4 on."""
    acts = {"I": {one: [0]}, "II": {two: [0], 10: [1]}, "III": {three: [0]}}
    return last_turn(players=2, day=day, acts=acts)


@pytest.mark.parametrize(
    ("space", "prestige", "pounds"),
    [
        *[(1, -1, 0), (2, -1, 0), (3, -1, 0), (4, 0, 0)],
        *[(5, 0, 1), (6, 0, 1), (7, 0, 3), (8, 0, 3), (9, 0, 5)],
    ],
)
def test_r2_act_one_pays_pounds_only_the_highest(space, prestige, pounds):
    d = scoring(one=space)
    assert gained(d, play(d, "pass"), 0) == (1 + prestige, pounds)


@pytest.mark.parametrize(
    ("space", "prestige"),
    [(1, -1), (2, -1), (3, -1), (4, 0), (5, 0), (6, 1), (7, 1), (8, 2), (9, 2), (10, 3)],
)
def test_r2_act_three_pays_prestige_only_the_highest(space, prestige):
    d = scoring(three=space)
    assert gained(d, play(d, "pass"), 0) == (1 + prestige, 0)


@pytest.mark.parametrize(
    ("pile", "prestige"),
    [
        ({4: [0], 5: [1], 6: [2], 7: [3]}, [0, 0, 1, 2]),
        ({4: [0, 1, 2, 3]}, [2, 1, 0, 0]),
        ({5: [2, 0], 4: [1, 3]}, [1, 0, 2, 0]),
        ({5: [3], 4: [1, 0, 2]}, [0, 1, 0, 2]),
        ({10: [1, 3], 9: [0, 2]}, [0, 2, 0, 1]),
        # Spaces 1 to 3 cost 1 prestige, also the two that are furthest ahead.
        ({1: [3, 2, 1, 0]}, [-1, -1, 0, 1]),
        ({3: [1], 2: [0], 1: [2, 3]}, [0, 1, -1, -1]),
        ({4: [2], 3: [0], 1: [1, 3]}, [0, -1, 2, -1]),
    ],
)
def test_r2_act_two_scores_the_two_discs_furthest_ahead(pile, prestige):
    d = last_turn(day=4, acts={**everyone_on(4), "II": pile})
    after = play(d, "pass")
    assert [gained(d, after, i) for i in range(4)] == [(points, 0) for points in prestige]


@pytest.mark.parametrize("day", [1, 2, 3, 5])
def test_r2_acts_are_not_scored_on_other_days(day):
    d = scoring(one=9, three=10, day=day)
    assert gained(d, play(d, "pass"), 0) == (0, 0)


def test_r2_acts_are_scored_again_on_day_6():
    d = scoring(one=9, three=10, day=6)
    after = play(d, "pass")
    assert after["phase"] == "over"
    assert gained(d, after, 0) == (4, 5)


def test_r2_scoring_leaves_the_discs_where_they_are():
    d = scoring(one=9, three=2)
    assert play(d, "pass")["piles"] == d["piles"]


def test_r2_mood_comes_before_the_rehearsal():
    d = last_turn(players=2, day=4, acts=everyone_on(4, 2), seats={0: ready_to_pass(mood=2)})
    waiting = play(d, "pass")
    assert waiting["pending"] == {"quills": 1, "then": "mood"}
    # The step won by mood counts in the scoring: space 5 of Act I pays 1 pound.
    assert gained(d, play(waiting, "quill:I"), 0) == (2, 1)
