"""The end of the game and who wins: rules F2 to F4 (F1 is in `test_objective_rules.py`)."""

import pytest

from shakespeare_env import Position
from tests.contract.playing import play
from tests.shakespeare import positions as p

# Space 4 of every act, seat 0 first on Act II and seat 1 second: they score 2 and 1.
LEVEL = (2, 1, 0, 0)


def last_evening(*seats, players=2):
    """Return the last turn of the game, with all discs on space 4."""
    return p.last_turn(
        players=players, day=6, seats=dict(enumerate(seats)), acts=p.everyone_on(4, players)
    )


def ends_with(*results):
    """Return a last turn after which seats have this prestige and these pounds."""
    makers = [p.ready_to_pass] + [p.finished] * (len(results) - 1)
    seats = [
        make(prestige=prestige - LEVEL[i], pounds=pounds)
        for i, (make, (prestige, pounds)) in enumerate(zip(makers, results, strict=True))
    ]
    after = play(last_evening(*seats, players=len(results)), "pass")
    assert [(one["prestige"], one["pounds"]) for one in after["seats"]] == list(results)
    return after


@pytest.mark.parametrize(
    ("stage", "costumes", "prestige"),
    [
        ({"a3": "yellow"}, {}, 1),
        ({"a1": "yellow", "a5": "yellow"}, {"author": ["pink", "yellow"]}, 3),
        ({}, {"viola": ["black", "yellow", "yellow"], "extra1": ["yellow"]}, 3),
        ({"a3": "green"}, {"author": ["green", "green"]}, 0),
    ],
)
def test_f2_each_yellow_element_scores_1_for_its_seat_complete_or_not(stage, costumes, prestige):
    me = p.ready_to_pass(["viola", "extra:iago"], stage=stage, costumes=costumes, pounds=1)
    d = last_evening(me, p.finished(stage={"a3": "yellow"}))
    after = play(d, "pass")
    # Viola, in costume, brings 2 pounds in the rehearsal; her wage of 1 is paid.
    pounds = 1 if len(costumes.get("viola", [])) == 3 else -1
    assert [p.gained(d, after, i) for i in range(2)] == [(2 + prestige, pounds), (1 + 1, 0)]


@pytest.mark.parametrize(
    ("cards", "pounds", "prestige", "left", "unpaid"),
    [
        (["viola"], 1, 0, 0, 0),
        (["viola"], 0, -2, 0, 1),
        (["hamlet"], 2, -2, 2, 1),
        # As many as it can, the cheapest first, whatever the order of hiring.
        (["othello", "hamlet", "viola"], 5, -2, 1, 1),
        (["hamlet", "viola", "iago"], 3, -2, 1, 1),
        (["othello", "hamlet", "viola"], 9, 0, 0, 0),
        (["othello", "lady_macbeth"], 4, -4, 4, 2),
        (["jeweler", "assistant", "set_dresser_8", "handyman"], 7, -2, 2, 1),
        # Extras and the characters of the board are free.
        (["extra:othello", "extra:lear", "extra:jeweler"], 3, 0, 3, 0),
    ],
)
def test_f3_wages(cards, pounds, prestige, left, unpaid):
    d = last_evening(p.ready_to_pass(cards, pounds=pounds))
    after = play(d, "pass")
    assert p.gained(d, after, 0)[0] == 2 + prestige
    assert (after["seats"][0]["pounds"], after["seats"][0]["unpaid"]) == (left, unpaid)


COSTS = {
    1: "viola iago puck costume_mistress_6 set_dresser_6 handyman assistant",
    3: "hamlet romeo juliet beatrice titania lear costume_mistress_8 set_dresser_8 jeweler",
    5: "lady_macbeth othello portia",
}


@pytest.mark.parametrize(("cost", "card"), [(c, card) for c in COSTS for card in COSTS[c].split()])
@pytest.mark.parametrize("state", ["used", "resting"])
def test_f3_the_wage_of_every_card_resting_and_used_too(cost, card, state):
    used = {state: [card]} if card != "assistant" else {}
    after = play(last_evening(p.ready_to_pass([card], pounds=6, **used)), "pass")
    assert (after["seats"][0]["pounds"], after["seats"][0]["unpaid"]) == (6 - cost, 0)


@pytest.mark.parametrize(
    ("results", "winners"),
    [
        ([(9, 3), (10, 0), (8, 9)], [1]),  # most prestige
        ([(10, 2), (10, 3), (10, 1)], [1]),  # then most pounds
        ([(10, 2), (9, 30), (10, 3)], [2]),  # of the tied only
    ],
)
def test_f4_most_prestige_then_most_pounds(results, winners):
    assert ends_with(*results)["winners"] == winners


def test_f4_then_the_victory_is_shared():
    assert ends_with((10, 2), (12, 3), (12, 1), (12, 3))["winners"] == [1, 3]


def test_f4_pounds_are_counted_after_wages():
    # Both end with 8 prestige; seat 0 has more pounds before wages, seat 1 after.
    me = p.ready_to_pass(["othello"], prestige=6, pounds=7)
    after = play(last_evening(me, p.finished(prestige=7, pounds=3)), "pass")
    assert (p.each(after, "prestige"), p.each(after, "pounds")) == ([8, 8], [2, 3])
    assert after["winners"] == [1]


def test_f4_the_game_is_over_after_day_6_and_the_rest_stays_as_it_was():
    d = last_evening(p.ready_to_pass(["viola"], used=["viola"], resting=["author"], pounds=1))
    game = Position.from_dict(d)
    game.push("pass")
    after = game.to_dict()
    assert (after["phase"], after["day"], game.to_move, game.moves()) == ("over", 6, None, [])
    assert (game.scores(), game.winners) == ([7, 6], [0])
    assert [after[field] for field in ("bags", "piles")] == [d["bags"], d["piles"]]
    assert p.each(after, "troupe") == p.each(d, "troupe")
