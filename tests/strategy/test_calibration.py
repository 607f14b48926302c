"""A network's forecasts in self-play are compared with the results of the games."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_research.calibration import (
    STAGES,
    brier_scores,
    calibration_error,
    chance_bins,
    forecasts,
    score_bins,
    score_errors,
)
from shakespeare_research.self_play import self_play
from tests.agents.networks import random_network

FIGARO = registry.game("figaro")


def test_every_decision_has_forecasts_for_every_seat_beside_the_result():
    agent = NetworkAgent(random_network(FIGARO, 4))
    options: Any = {"players": 3, "games": 3, "seed": 2}
    table = forecasts("figaro", every=1, player=agent, **options)
    for _, rows in table.group_by("deal", "decision"):
        decider = rows["decider"][0]
        assert rows["seat"].to_list() == [(decider + k) % 3 for k in range(3)]
        assert rows["chance"].sum() == pytest.approx(1.0)
    for _, rows in table.group_by("deal"):
        assert rows["decision"].unique().len() == 1 + max(rows["decision"])
        assert rows["stage"].unique().sort().to_list() == list(range(1, STAGES + 1))
    results = self_play("figaro", agents=[agent], **options).select("deal", "seat", "won", "score")
    assert table.select(results.columns).unique().sort("deal", "seat").equals(results)
    every_third = forecasts("figaro", every=3, player=agent, **options)
    assert every_third.equals(table.filter((pl.col("decision") + pl.col("deal")) % 3 == 0))


def test_forecasts_are_clockwise_from_the_decider_and_final_scores_are_in_points():
    seats = FIGARO.max_seats
    no_weights = np.zeros((seats, 4), np.float32)
    heads = {
        "win.weight": no_weights,
        "win.bias": np.log(np.arange(1, seats + 1, dtype=np.float32)),
        "score.weight": no_weights,
        "score.bias": np.arange(seats, dtype=np.float32),
    }
    agent = NetworkAgent(random_network(FIGARO, 4, heads))
    table = forecasts("figaro", players=3, games=2, every=1, player=agent)
    first = table.filter(pl.col("decision") == 0)
    assert first["chance"].to_list() == pytest.approx([1 / 6, 2 / 6, 3 / 6] * 2)
    scores = Batch("figaro", 2, players=3, seed=0, autoreset=False).scores()
    now = [scores[row["deal"], row["seat"]] for row in first.iter_rows(named=True)]
    change = FIGARO.score_scale * np.tile(np.arange(3), 2)
    assert first["expected"].to_list() == pytest.approx((now + change).tolist())


def made_up_forecasts(chance, *, players=2, deals=200):
    """Return rows of deals with two seats, in which the first seat wins 3 of 4 by 10 to 4 points.

    `chance` is the forecast for the first seat.
    """
    won = np.where(np.arange(deals) % 4 < 3, 1.0, 0.0)
    won_by_seat = np.stack([won, 1 - won], 1).reshape(-1)
    return pl.DataFrame(
        {
            "deal": np.repeat(np.arange(deals), 2),
            "stage": np.tile([1, 2], deals),
            "players": players,
            "chance": [chance, 1 - chance] * deals,
            "won": won_by_seat,
            "expected": [8.5, 5.5] * deals,
            "score": 4 + 6 * won_by_seat,
        }
    )


def test_calibrated_forecasts_are_within_the_intervals():
    rows = made_up_forecasts(0.75)
    bins = chance_bins(rows)
    assert bins["bin"].to_list() == [2, 7]
    assert bins["chance"].to_list() == bins["share"].to_list() == [0.25, 0.75]
    assert ((bins["low"] < bins["share"]) & (bins["share"] < bins["high"])).all()
    assert calibration_error(rows) == pytest.approx(0.0)
    scores = score_bins(rows)
    assert scores["expected"].to_list() == scores["mean"].to_list() == [5.5] * 5 + [8.5] * 5


def test_overconfident_forecasts_are_outside_the_intervals():
    rows = made_up_forecasts(1.0)
    bins = chance_bins(rows)
    assert bins["bin"].to_list() == [0, 9]
    assert bins["high"][1] < bins["chance"][1] == 1.0
    assert calibration_error(rows) == pytest.approx(0.25)


def test_errors_are_given_beside_those_of_a_constant_forecast():
    rows = made_up_forecasts(0.75)
    (brier,) = brier_scores(rows).iter_rows(named=True)
    assert (brier["mean"], brier["constant"]) == (pytest.approx(0.75 * 0.25), 0.25)
    (error,) = score_errors(rows).iter_rows(named=True)
    assert error["mean"] == pytest.approx((0.75 * 1.5**2 + 0.25 * 4.5**2) ** 0.5)
    assert error["constant"] == pytest.approx(3.0)
    assert error["low"] < error["mean"] < error["high"]


@pytest.mark.parametrize("measure", [chance_bins, score_errors, brier_scores])
def test_intervals_count_games_and_not_rows(measure):
    rows = made_up_forecasts(0.75)
    once = measure(rows)
    five_times = measure(pl.concat([rows] * 5))
    assert once["low"].to_list() == pytest.approx(five_times["low"].to_list())


def test_with_one_player_there_is_no_chance_to_win():
    game = registry.game("shakespeare")
    agent = NetworkAgent(random_network(game, 4))
    table = forecasts("shakespeare", players=1, games=1, player=agent)
    assert table["chance"].null_count() == table["won"].null_count() == len(table) > 0
    none = pl.lit(None, pl.Float64)
    alone = made_up_forecasts(1.0, players=1).with_columns(chance=none, won=none)
    assert chance_bins(alone).is_empty()
    assert brier_scores(alone).is_empty()
    assert calibration_error(alone) is None
    assert score_errors(alone)["mean"][0] > 0
