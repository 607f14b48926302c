"""What a network forecasts in games with itself, and what it is compared with."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.network import Network
from shakespeare_agents.network_agent import NetworkAgent
from shakespeare_agents.strategy.forecasts import STAGES, forecasts
from shakespeare_agents.strategy.self_play import self_play
from shakespeare_env import Batch, registry
from tests.agents.networks import random_heads, random_tensors

WIDTH = 4
games = pytest.mark.parametrize("game", registry.names())


def tensors(game):
    rules = registry.game(game)
    return random_tensors(WIDTH, rules.layout.size, rules.actions.size)


def forecasting(game, **changed):
    rules = registry.game(game)
    heads = random_heads(WIDTH, rules.max_seats) | changed
    return NetworkAgent(Network({**tensors(game), **heads}, rules.layout))


@games
def test_every_decision_is_compared_with_the_end_for_every_seat(game):
    agent = forecasting(game)
    found = forecasts(game, players=3, games=3, seed=2, every=1, player=agent)
    for (_deal, number), rows in found.group_by("deal", "decision"):
        assert sorted(rows["seat"]) == [0, 1, 2]
        decider = rows["decider"][0]
        assert rows["seat"].to_list() == [(decider + k) % 3 for k in range(3)]
        assert rows["chance"].sum() == pytest.approx(1.0)
        assert number >= 0
    for _, rows in found.group_by("deal"):
        decisions = rows["decision"].unique().sort().to_list()
        assert decisions == list(range(len(decisions)))
        assert rows["stage"].unique().sort().to_list() == list(range(1, STAGES + 1))
    ends = self_play(game, players=3, games=3, seed=2, player=agent)
    compared = found.select("deal", "seat", "won", "score").unique()
    expected = ends.select("deal", "seat", "won", "score")
    assert compared.sort("deal", "seat").equals(expected)


@games
def test_forecasts_go_clockwise_and_scores_to_the_end_in_points(game):
    seats = registry.game(game).max_seats
    none = np.zeros((seats, WIDTH), np.float32)
    agent = forecasting(
        game,
        **{"win.weight": none, "win.bias": np.log(np.arange(1, seats + 1, dtype=np.float32))},
        **{"score.weight": none, "score.bias": np.arange(seats, dtype=np.float32)},
    )
    found = forecasts(game, players=3, games=2, every=1, player=agent)
    first = found.filter(pl.col("decision") == 0)
    assert first["chance"].to_list() == pytest.approx([1 / 6, 2 / 6, 3 / 6] * 2)
    scores = Batch(game, 2, players=3, seed=0, autoreset=False).scores()
    now = [scores[row["deal"], row["seat"]] for row in first.iter_rows(named=True)]
    change = registry.game(game).score_scale * np.tile(np.arange(3), 2)
    assert first["expected"].to_list() == pytest.approx((now + change).tolist())


def test_a_part_of_the_decisions_is_noted_another_in_each_game():
    agent = forecasting("figaro")
    every = forecasts("figaro", players=3, games=4, every=1, player=agent)
    third = forecasts("figaro", players=3, games=4, every=3, player=agent)
    columns = pl.exclude("chance", "expected")
    part = every.filter((pl.col("decision") + pl.col("deal")) % 3 == 0)
    assert third.select(columns).equals(part.select(columns))
    assert third["chance"].to_list() == pytest.approx(part["chance"].to_list(), abs=1e-5)


def test_alone_there_is_no_chance_to_win():
    agent = forecasting("shakespeare")
    found = forecasts("shakespeare", players=1, games=1, player=agent)
    assert found["chance"].null_count() == found["won"].null_count() == len(found) > 0
    assert found["expected"].null_count() == 0


def test_who_forecasts_nothing_is_refused():
    headless = NetworkAgent(Network(tensors("figaro"), registry.game("figaro").layout))
    for player, said in (
        (headless, "the network of NetworkAgent has no heads .* card.json lists heads"),
        ("heuristic", "heuristic is no network, .* give `network` or a checkpoint's folder"),
    ):
        with pytest.raises(ValueError, match=said):
            forecasts("figaro", players=3, games=2, player=player)
    with pytest.raises(ValueError, match="every=0 must be from 1"):
        forecasts("figaro", players=3, games=2, every=0, player=headless)
