"""Wages, objectives and yellow elements are shown as the rules and the box say."""

import pytest

from shakespeare_env import Position
from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.shakespeare.text import standing
from shakespeare_env.shakespeare.text.wording import score_sheet
from tests.contract.random_games import play_by_rule
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
