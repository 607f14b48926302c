"""Forecasts of a network in games with itself, and their distance from how the games ended."""

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
from shakespeare_research.trials import self_play
from tests.agents.networks import random_network

FIGARO = registry.game("figaro")


def test_every_decision_is_compared_with_the_end_for_every_seat():
    agent = NetworkAgent(random_network(FIGARO, 4))
    options: Any = {"players": 3, "games": 3, "seed": 2, "player": agent}
    found = forecasts("figaro", every=1, **options)
    for _, rows in found.group_by("deal", "decision"):
        decider = rows["decider"][0]
        assert rows["seat"].to_list() == [(decider + k) % 3 for k in range(3)]
        assert rows["chance"].sum() == pytest.approx(1.0)
    for _, rows in found.group_by("deal"):
        assert rows["decision"].unique().len() == 1 + max(rows["decision"])
        assert rows["stage"].unique().sort().to_list() == list(range(1, STAGES + 1))
    ends = self_play("figaro", **options).select("deal", "seat", "won", "score")
    assert found.select(ends.columns).unique().sort("deal", "seat").equals(ends)
    third = forecasts("figaro", every=3, **options)
    assert third.equals(found.filter((pl.col("decision") + pl.col("deal")) % 3 == 0))


def test_forecasts_go_clockwise_and_scores_to_the_end_in_points():
    seats = FIGARO.max_seats
    none = np.zeros((seats, 4), np.float32)
    heads = {
        "win.weight": none,
        "win.bias": np.log(np.arange(1, seats + 1, dtype=np.float32)),
        "score.weight": none,
        "score.bias": np.arange(seats, dtype=np.float32),
    }
    agent = NetworkAgent(random_network(FIGARO, 4, heads))
    found = forecasts("figaro", players=3, games=2, every=1, player=agent)
    first = found.filter(pl.col("decision") == 0)
    assert first["chance"].to_list() == pytest.approx([1 / 6, 2 / 6, 3 / 6] * 2)
    scores = Batch("figaro", 2, players=3, seed=0, autoreset=False).scores()
    now = [scores[row["deal"], row["seat"]] for row in first.iter_rows(named=True)]
    change = FIGARO.score_scale * np.tile(np.arange(3), 2)
    assert first["expected"].to_list() == pytest.approx((now + change).tolist())


def rows_of(chance, *, players=2, deals=200):
    """Make up deals of two seats, of which the first wins 3 of 4, all by 10 to 4 points."""
    won = np.where(np.arange(deals) % 4 < 3, 1.0, 0.0)
    of_seats = np.stack([won, 1 - won], 1).reshape(-1)
    return pl.DataFrame(
        {
            "deal": np.repeat(np.arange(deals), 2),
            "stage": np.tile([1, 2], deals),
            "players": players,
            "chance": [chance, 1 - chance] * deals,
            "won": of_seats,
            "expected": [8.5, 5.5] * deals,
            "score": 4 + 6 * of_seats,
        }
    )


def test_calibrated_forecasts_are_within_the_intervals_and_too_sure_ones_outside():
    found = chance_bins(rows_of(0.75))
    assert found["bin"].to_list() == [2, 7]
    assert found["chance"].to_list() == found["share"].to_list() == [0.25, 0.75]
    assert ((found["low"] < found["share"]) & (found["share"] < found["high"])).all()
    assert calibration_error(rows_of(0.75)) == pytest.approx(0.0)
    scores = score_bins(rows_of(0.75))
    assert scores["expected"].to_list() == scores["mean"].to_list() == [5.5] * 5 + [8.5] * 5
    found = chance_bins(rows_of(1.0))
    assert found["bin"].to_list() == [0, 9]
    assert found["high"][1] < found["chance"][1] == 1.0
    assert calibration_error(rows_of(1.0)) == pytest.approx(0.25)


def test_errors_stand_beside_those_of_a_constant_and_count_games():
    rows = rows_of(0.75)
    (brier,) = brier_scores(rows).iter_rows(named=True)
    assert (brier["mean"], brier["constant"]) == (pytest.approx(0.75 * 0.25), 0.25)
    (off,) = score_errors(rows).iter_rows(named=True)
    assert off["mean"] == pytest.approx((0.75 * 1.5**2 + 0.25 * 4.5**2) ** 0.5)
    assert off["constant"] == pytest.approx(3.0)
    assert off["low"] < off["mean"] < off["high"]
    for measured in (chance_bins, score_errors, brier_scores):
        once = measured(rows)
        often = measured(pl.concat([rows] * 5))
        assert once["low"].to_list() == pytest.approx(often["low"].to_list())


def test_alone_there_is_no_chance_to_win():
    contract = registry.game("shakespeare")
    agent = NetworkAgent(random_network(contract, 4))
    found = forecasts("shakespeare", players=1, games=1, player=agent)
    assert found["chance"].null_count() == found["won"].null_count() == len(found) > 0
    none = pl.lit(None, pl.Float64)
    alone = rows_of(1.0, players=1).with_columns(chance=none, won=none)
    assert chance_bins(alone).is_empty()
    assert brier_scores(alone).is_empty()
    assert calibration_error(alone) is None
    assert score_errors(alone)["mean"][0] > 0
