"""Wages, objectives and yellow elements are shown as the rules and the box say."""

import pytest

from shakespeare_env import Position
from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.shakespeare.text import standing
from shakespeare_env.shakespeare.text.wording import score_sheet
from tests.contract.playing import play
from tests.contract.random_games import play_by_rule
from tests.shakespeare import positions as p
from tests.shakespeare.observed import CARDS, OBJECTIVES, counted


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_objectives_count_wages_and_worth_are_those_of_the_box_in_random_games(players):
    start = Position.new("shakespeare", players=players, seed=players)
    for step, position in enumerate(play_by_rule(start, salt=2)):
        if step % 7 and position.to_move is not None:
            continue
        d = position.seen_by(0)
        for seat in range(players):
            mine = d["seats"][seat]
            for own, objective in OBJECTIVES.items():
                value = counted(d, seat, objective["metric"])
                reached = [won for at, won in objective["points"].items() if value >= int(at)]
                assert standing.metric_values(d, seat)[own] == value, own
                assert standing.reward(own, value) == max(reached, default=0), own
                if position.to_move is not None:
                    assert standing.prestige_now(d, seat, own) == max(reached, default=0)
            face_up = [it["card"] for it in mine["troupe"] if it["face"] == "character"]
            assert standing.wages_due(mine) == sum(CARDS[card].get("cost", 0) for card in face_up)
            assert standing.yellow_elements(d, seat) == counted(d, seat, "yellow_elements")


def test_the_worth_of_an_unknown_objective_is_unknown():
    position = Position.new("shakespeare", players=2, seed=1)
    assert standing.prestige_now(position.seen_by(1), 0, UNKNOWN) is None


def test_the_score_sheet_names_the_yellow_elements_of_the_end():
    position = Position.new("shakespeare", players=3, seed=5)
    for _ in play_by_rule(position, salt=4):
        pass
    end = position.to_dict()
    rows = dict(score_sheet(end))
    assert rows["yellow elements"] == [counted(end, seat, "yellow_elements") for seat in range(3)]


def test_the_next_rehearsal_is_forecast_as_it_then_pays():
    worn = {"lady_macbeth": ["black"] * 3, "hamlet": ["pink"] * 3, "viola": ["purple"] * 2}
    acts = {"I": {5: [0], 6: [1]}, "II": {5: [0], 9: [1]}, "III": {2: [0], 7: [1]}}
    me = p.ready_to_pass(["lady_macbeth", "hamlet", "viola"], costumes=worn)
    before = p.last_turn(players=2, day=4, seats={0: me}, acts=acts)
    found = standing.next_scoring(before)
    after = play(before, "pass")
    # Seat 0: Hamlet, second on Act II, on a grey space of Act III. Viola's costume is not complete.
    assert found is not None
    assert (list(found.points), list(found.more)) == ([1 + 1 - 1, 2 + 1], ["1 pound", "1 pound"])
    assert [p.gained(before, after, seat) for seat in (0, 1)] == [(1, 1), (3, 1)]


def test_nothing_is_forecast_after_the_last_rehearsal():
    before = p.last_turn(players=2, day=6, seats={0: p.ready_to_pass()})
    assert standing.next_scoring(before) is not None
    assert standing.next_scoring(play(before, "pass")) is None


def test_seats_that_have_rehearsed_do_not_do_so_again_in_the_forecast():
    """White quills are left out. Here they are all that the seats get before the acts score."""
    costumes = {"author": ["black"] * 3}
    iago = {**costumes, "iago": ["black"] * 3}
    seats = {
        0: p.ready_to_pass(costumes=costumes),
        1: p.finished(["iago"], used=["falstaff"], costumes=iago),
        2: p.finished(used=["falstaff"], costumes=costumes),
    }
    start = p.last_turn(players=3, day=4, acts=p.everyone_on(4, 3), initiative=[2, 1], seats=seats)
    waiting = play(start, "pass", "quill:II", "quill:II")
    assert waiting["pending"] == {"quills": 1, "then": "rehearsal"}
    found = standing.next_scoring(waiting)
    after = play(waiting, "quill:III")
    assert found is not None
    assert list(found.points) == [p.gained(waiting, after, seat)[0] for seat in range(3)]
