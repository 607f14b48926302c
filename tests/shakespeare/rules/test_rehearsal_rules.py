"""Phase 4, the dress rehearsal: rules R1 and R2."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare import positions as p

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
    """Return the cards to hire for these wearers."""
    named = {"author": [], "falstaff": [], "extra1": ["extra:jeweler"]}
    return [card for wearer in wearers for card in named.get(wearer, [wearer])]


def dressed(*wearers, day=4, acts=None, elements=3, **fields):
    """Return the last turn of two seats; these characters of seat 0 have a complete costume."""
    colours = ("black", "black", "pink", "pink")
    costumes = {who: [colour] * elements for who, colour in zip(wearers, colours, strict=False)}
    me = p.ready_to_pass(cards_for(wearers), costumes=costumes, **fields)
    return p.last_turn(players=2, day=day, seats={0: me}, acts=acts or QUIET)


@pytest.mark.parametrize(("wearer", "coloured", "white", "prestige", "pounds"), POWERS)
def test_r1_every_complete_costume_gives_its_power(wearer, coloured, white, prestige, pounds):
    d = dressed(wearer)
    after = play(d, "pass")
    assert p.spaces(after, 0) == tuple(a + b for a, b in zip((2, 5, 2), coloured, strict=True))
    if white:
        assert after["pending"] == {"quills": white, "then": "rehearsal"}
        assert p.gained(d, after, 0) == (0, 0)
    else:
        # Second on Act II scores 1; Acts I and III cost 1 each, up to space 3.
        scored = 1 - (p.spaces(after, 0)[0] <= 3) - (p.spaces(after, 0)[2] <= 3)
        assert p.gained(d, after, 0) == (prestige + scored, pounds)


@pytest.mark.parametrize("day", range(1, 7))
def test_r1_there_is_a_rehearsal_on_days_4_and_6_only(day):
    d = dressed("lady_macbeth", day=day)
    after = play(d, "pass")
    assert p.spaces(after, 0) == ((3, 6, 3) if day in (4, 6) else (2, 5, 2))
    if day not in (4, 6):  # and the acts are not scored (R2)
        assert (after["phase"], after["day"], p.gained(d, after, 0)) == ("wager", day + 1, (0, 0))


def test_r1_resting_and_used_characters_rehearse_too_and_no_main_power_is_used():
    d = dressed("lady_macbeth", "iago", "viola", resting=["lady_macbeth"], used=["iago"])
    after = play(d, "pass")
    assert p.spaces(after, 0) == (5, 6, 3)
    assert p.seat_of(after, 0)["pounds"] == 2 + 1  # Viola, and space 5 of Act I
    waiting = play(dressed("falstaff", "hamlet", "lear", acts=p.everyone_on(4, 2)), "pass")
    assert (waiting["pending"]["quills"], p.each(waiting, "mood")) == (3, [0, 0])
    after = play(waiting, *["quill:III"] * 3)
    assert (after["phase"], p.seat_of(after, 0)["stage"]) == ("wager", {})


def test_r1_coloured_quills_and_gains_of_all_costumes_come_before_all_white_quills():
    # The Author is first in the troupe; still all others are served before the white quill.
    d = dressed("author", "lady_macbeth", "iago", "viola", acts=p.everyone_on(4, 2))
    waiting = play(d, "pass")
    assert waiting["pending"] == {"quills": 1, "then": "rehearsal"}
    assert (p.spaces(waiting, 0), p.gained(d, waiting, 0)) == ((7, 5, 5), (0, 2))
    d = dressed("author", "othello", "extra1", "romeo")
    assert play(d, "pass")["pending"]["quills"] == 5
    d = dressed("author", "iago", acts={"I": {7: [0]}, "II": {4: [0, 1]}, "III": {4: [0, 1]}})
    assert legal(d, "pass") == {"quill:II", "quill:III"}


def three_seats():
    """Return a last turn with Order 0, 1, 2 and Initiative 2, 1 and, without an actor, 0.

    Every seat's Author has a complete costume.
    """
    costumes = {"author": BLACK}
    seats = {
        0: p.ready_to_pass(costumes=costumes),
        1: p.finished(["iago"], used=["falstaff"], costumes=costumes | {"iago": BLACK}),
        2: p.finished(used=["falstaff"], costumes=costumes),
    }
    acts = p.everyone_on(4, 3)
    return p.last_turn(players=3, day=4, acts=acts, initiative=[2, 1], seats=seats)


def test_r1_seats_rehearse_in_initiative_order_each_when_its_turn_comes():
    decisions = [play(three_seats(), "pass", *["quill:II"] * n) for n in range(3)]
    assert [d["to_move"] for d in decisions] == [2, 1, 0]
    assert [d["queue"] for d in decisions] == [[1, 0], [0], []]
    assert [p.spaces(d, 1)[0] for d in decisions] == [4, 6, 6]
    assert decisions[2]["piles"]["II"] == {"4": [0], "5": [2, 1]}


def test_r2_acts_are_scored_once_all_have_rehearsed():
    d = three_seats()
    last = play(d, "pass", "quill:II", "quill:II")
    assert [p.gained(d, last, i) for i in range(3)] == [(0, 0)] * 3
    after = play(last, "quill:II")
    # On space 5 of Act II lie discs 2, 1, 0 from the bottom; seat 1 is on space 6 of Act I.
    assert [p.gained(d, after, i) for i in range(3)] == [(0, 0), (1, 1), (2, 0)]


@pytest.mark.parametrize(
    ("at", "pounds", "prestige"),
    # A space, its pounds on Act I and its prestige on Act III; spaces 1 to 3 cost 1 prestige.
    [
        (1, 0, 0),
        (2, 0, 0),
        (3, 0, 0),
        (4, 0, 0),
        (5, 1, 0),
        (6, 1, 1),
        (7, 3, 1),
        (8, 3, 2),
        (9, 5, 2),
        (10, None, 3),
    ],
)
@pytest.mark.parametrize("day", [4, 6])
def test_r2_acts_one_and_three_pay_the_highest_only(at, pounds, prestige, day):
    """Seat 1 is ahead on Act II, where seat 0 scores 1."""
    lost = -(at <= 3)
    gains = {"I": (lost, pounds), "III": (prestige + lost, 0)}
    for act, (prestige_won, pounds_won) in gains.items():
        if pounds_won is None:
            continue  # Act I has nine spaces
        acts = {"I": {4: [0]}, "II": {5: [0], 10: [1]}, "III": {4: [0]}} | {act: {at: [0]}}
        d = p.last_turn(players=2, day=day, acts=acts)
        after = play(d, "pass")
        assert p.gained(d, after, 0) == (1 + prestige_won, pounds_won)
        assert after["piles"] == d["piles"]


@pytest.mark.parametrize(
    ("pile", "prestige"),
    [
        ({4: [0], 5: [1], 6: [2], 7: [3]}, [0, 0, 1, 2]),
        ({4: [0, 1, 2, 3]}, [2, 1, 0, 0]),
        ({5: [2, 0], 4: [1, 3]}, [1, 0, 2, 0]),
        ({5: [3], 4: [1, 0, 2]}, [0, 1, 0, 2]),
        # Spaces 1 to 3 cost 1 prestige, also the two that are furthest ahead.
        ({1: [3, 2, 1, 0]}, [-1, -1, 0, 1]),
        ({4: [2], 3: [0], 1: [1, 3]}, [0, -1, 2, -1]),
    ],
)
def test_r2_act_two_scores_the_two_discs_furthest_ahead(pile, prestige):
    d = p.last_turn(day=4, acts={**p.everyone_on(4), "II": pile})
    after = play(d, "pass")
    assert [p.gained(d, after, i) for i in range(4)] == [(points, 0) for points in prestige]


def test_r2_mood_comes_before_the_rehearsal():
    d = p.last_turn(players=2, day=4, acts=p.everyone_on(4, 2), seats={0: p.ready_to_pass(mood=2)})
    waiting = play(d, "pass")
    assert waiting["pending"] == {"quills": 1, "then": "mood"}
    # The step won by mood counts in the scoring: space 5 of Act I pays 1 pound.
    assert p.gained(d, play(waiting, "quill:I"), 0) == (2, 1)
