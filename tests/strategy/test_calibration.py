"""Bins and errors of forecasts whose truth is known, and their picture."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.strategy.calibration import (
    brier_scores,
    calibration_error,
    chance_bins,
    score_bins,
    score_errors,
)
from shakespeare_agents.strategy.calibration_plot import plot_calibration

DEALS = 200


def rows_of(chance, *, players=2, deals=DEALS):
    """Two seats a deal: the first wins 3 games of 4 and 10 to 4 points, else 4 to 10."""
    won = np.where(np.arange(deals) % 4 < 3, 1.0, 0.0)
    of_seats = np.stack([won, 1 - won], 1).reshape(-1)
    return pl.DataFrame(
        {
            "deal": np.repeat(np.arange(deals), 2),
            "players": players,
            "stage": np.tile([1, 2], deals),
            "chance": np.tile([chance, 1 - chance], deals),
            "won": of_seats,
            "expected": np.tile([8.5, 5.5], deals),
            "score": 4 + 6 * of_seats,
        }
    )


def alone():
    return rows_of(1.0, players=1).with_columns(
        chance=pl.lit(None, pl.Float64), won=pl.lit(None, pl.Float64)
    )


def test_calibrated_forecasts_are_within_the_intervals_and_have_no_error():
    rows = rows_of(0.75)
    found = chance_bins(rows)
    assert found["bin"].to_list() == [2, 7]
    assert found["chance"].to_list() == found["share"].to_list() == [0.25, 0.75]
    assert (found["low"] < found["share"]).all()
    assert (found["high"] > found["share"]).all()
    assert calibration_error(rows) == pytest.approx(0.0)
    scores = score_bins(rows, bins=2)
    assert scores["expected"].to_list() == scores["mean"].to_list() == [5.5, 8.5]


def test_too_sure_forecasts_are_outside_and_off_by_as_much():
    rows = rows_of(1.0)
    found = chance_bins(rows)
    assert found["bin"].to_list() == [0, 9]
    assert found["high"][1] < found["chance"][1] == 1.0
    assert calibration_error(rows) == pytest.approx(0.25)


def test_errors_stand_beside_those_of_a_constant():
    (brier,) = brier_scores(rows_of(0.75)).iter_rows(named=True)
    assert brier["mean"] == pytest.approx(0.75 * 0.25)
    assert brier["constant"] == 0.25
    (off,) = score_errors(rows_of(0.75)).iter_rows(named=True)
    assert off["mean"] == pytest.approx((0.75 * 1.5**2 + 0.25 * 4.5**2) ** 0.5)
    assert off["constant"] == pytest.approx(3.0)
    assert off["low"] < off["mean"] < off["high"]
    assert score_errors(rows_of(0.75), "stage")["stage"].to_list() == [1, 2]


def test_more_forecasts_of_the_same_games_are_no_more_evidence():
    rows = rows_of(0.75)
    for measured in (chance_bins, score_errors, brier_scores):
        once, often = measured(rows), measured(pl.concat([rows] * 5))
        for end in ("low", "high"):
            assert once[end].to_list() == pytest.approx(often[end].to_list())


def test_alone_there_are_only_scores():
    assert chance_bins(alone()).is_empty()
    assert brier_scores(alone()).is_empty()
    assert calibration_error(alone()) is None
    assert score_errors(alone())["mean"][0] > 0


def test_the_picture_has_the_diagonal_and_parity():
    figure = plot_calibration(rows_of(0.75), title="T")
    chances, brier, scores, off = (axes for axes in figure.axes if axes.get_title(loc="left"))
    dotted = [line for line in chances.lines if line.get_linestyle() == ":"]
    assert [float(np.asarray(line.get_ydata())[0]) for line in dotted] == [50.0]
    for axes in (chances, scores):
        (diagonal,) = (line for line in axes.lines if line.get_label() == "calibrated")
        assert np.array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    for axes in (brier, off):
        assert "--" in [line.get_linestyle() for line in axes.lines]
    assert "400 forecasts of 200 games" in figure.get_supxlabel()
    assert figure.png().startswith(b"\x89PNG")


def test_the_picture_of_a_game_alone_has_only_scores():
    figure = plot_calibration(alone(), title="T")
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "Final score",
        "Error of scores, by stage",
    ]


def test_the_picture_of_few_games_says_so():
    figure = plot_calibration(rows_of(0.75, deals=8), title="T")
    said = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert said.count("too few games for an interval") == 3
    figure.png()


def test_one_picture_is_of_one_number_of_seats():
    with pytest.raises(ValueError, match=r"tables of \[2, 3\] seats"):
        plot_calibration(pl.concat([rows_of(0.5), rows_of(0.5, players=3)]), title="T")
