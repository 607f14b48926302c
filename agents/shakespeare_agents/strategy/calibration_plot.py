"""The picture of a calibration: what was forecast beside what happened, and errors by stage."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from shakespeare_agents import plot_style as style
from shakespeare_agents.strategy.calibration import (
    brier_scores,
    chance_bins,
    score_bins,
    score_errors,
)
from shakespeare_agents.strategy.forecasts import STAGES
from shakespeare_agents.strategy.groups import FEWEST_DEALS

_WIDTH, _ROW_HEIGHT, _HEADING = 820, 330, 50
_PERCENT = 100.0
_NOTES = "grey: share of the forecasts; bars: 95 % intervals, a game being one observation"


def plot_calibration(
    rows: pl.DataFrame, *, title: str, fewest_deals: int = FEWEST_DEALS
) -> style.Picture:
    """Chances to win (of more than one seat) and final scores, by forecast and by stage.

    Calibrated forecasts lie on the diagonal; useful ones stay below the dashed error of a constant.

    Args:
        rows: Rows of `forecasts.forecasts`, all of one number of seats.
        title: The title above all panels.
        fewest_deals: As in `groups`; bins and stages of fewer are left out.

    Raises:
        ValueError: tables differ in their seats, or there are no rows.
    """
    tables = rows["players"].unique().sort().to_list()
    if len(tables) != 1:
        raise ValueError(f"forecasts of tables of {tables} seats: draw one number of seats")
    players, deals = tables[0], rows["deal"].n_unique()
    lines = 1 if players == 1 else 2
    figure = style.picture(_WIDTH, _HEADING + lines * _ROW_HEIGHT, layout="constrained")
    figure.suptitle(
        title, x=0.01, ha="left", fontsize=12, fontweight="bold", color=style.INK, parse_math=False
    )
    panels = figure.subplots(lines, 2, squeeze=False)
    if players > 1:
        won = chance_bins(rows, fewest_deals=fewest_deals)
        _draw_chances(panels[0, 0], won, players)
        brier = brier_scores(rows, "stage", fewest_deals=fewest_deals)
        _draw_errors(panels[0, 1], brier, "Error of chances, by stage", "Brier score", "1 / seats")
    _draw_scores(panels[-1, 0], score_bins(rows, fewest_deals=fewest_deals))
    off = score_errors(rows, "stage", fewest_deals=fewest_deals)
    _draw_errors(
        panels[-1, 1], off, "Error of scores, by stage", "root mean square, points", "mean score"
    )
    counted = f"{len(rows):,} forecasts of {deals:,} games"
    figure.supxlabel(f"{counted}; {_NOTES}", x=0.99, ha="right", fontsize=8, color=style.GREY)
    return figure


def _draw_chances(axes: Axes, found: pl.DataFrame, players: int) -> None:
    style.prepare(axes, "Chance to win", "forecast", "games won")
    percent = pl.col("chance", "share", "low", "high") * _PERCENT
    drawn = found.with_columns(percent)
    axes.set_xlim(0, _PERCENT)
    axes.set_ylim(0, _PERCENT)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:g} %"))
    _draw_diagonal(axes, (0.0, _PERCENT))
    parity = _PERCENT / players
    axes.axhline(parity, color=style.INK, linestyle=":", linewidth=1.2, zorder=1)
    axes.text(_PERCENT, parity, "parity ", ha="right", va="bottom", fontsize=8.5, color=style.INK)
    _draw_counts(axes, drawn, "chance", 0.8 * _PERCENT / max(len(drawn), 10))
    _draw_bins(axes, drawn, "chance", "share", style.COLOURS[0], style.MARKERS[0])


def _draw_scores(axes: Axes, found: pl.DataFrame) -> None:
    style.prepare(axes, "Final score", "forecast, points", "mean of the real one, points")
    known = found.filter(pl.col("low").is_not_null())
    if known.is_empty():
        style.say_nothing(axes, "too few games for an interval")
        return
    shown = known.select("expected", "low", "high").to_numpy()
    margin = 0.05 * max(float(np.ptp(shown)), 1.0)
    limits = float(shown.min()) - margin, float(shown.max()) + margin
    axes.set_xlim(*limits)
    axes.set_ylim(*limits)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True))
    _draw_diagonal(axes, limits)
    _draw_bins(axes, known, "expected", "mean", style.COLOURS[1], style.MARKERS[1])


def _draw_diagonal(axes: Axes, limits: tuple[float, float]) -> None:
    axes.plot(
        limits, limits, color=style.GREY, linestyle="--", linewidth=1.1, zorder=1,
        label="calibrated",
    )  # fmt: skip


def _draw_counts(axes: Axes, found: pl.DataFrame, forecast: str, width: float) -> None:
    """The bins' shares of the forecasts, on an axis of their own that ends at all of them."""
    counts = axes.twinx()
    counts.bar(found[forecast], found["rows"] / found["rows"].sum(), width=width, color=style.FAINT)
    counts.set_ylim(0, 1)
    counts.set_axis_off()
    axes.set_zorder(counts.get_zorder() + 1)
    axes.patch.set_visible(False)


def _draw_bins(
    axes: Axes, found: pl.DataFrame, forecast: str, real: str, colour: str, marker: str
) -> None:
    known = found.filter(pl.col("low").is_not_null())
    axes.errorbar(
        known[forecast],
        known[real],
        yerr=[known[real] - known["low"], known["high"] - known[real]],
        color=colour,
        marker=marker,
        markersize=5,
        linewidth=1.5,
        elinewidth=1.2,
        capsize=3,
        label="found",
    )
    axes.legend(loc="upper left", frameon=False, fontsize=8.5, labelcolor=style.INK)


def _draw_errors(axes: Axes, found: pl.DataFrame, title: str, measure: str, constant: str) -> None:
    style.prepare(axes, title, f"stage of the game, 1 to {STAGES}", measure)
    known = found.filter(pl.col("low").is_not_null())
    if known.is_empty():
        style.say_nothing(axes, "too few games for an interval")
        return
    axes.plot(
        known["stage"], known["constant"], color=style.GREY, linestyle="--", linewidth=1.4,
        label=f"always {constant}",
    )  # fmt: skip
    axes.errorbar(
        known["stage"],
        known["mean"],
        yerr=[known["mean"] - known["low"], known["high"] - known["mean"]],
        color=style.COLOURS[2],
        marker=style.MARKERS[2],
        markersize=5.5,
        linewidth=1.5,
        elinewidth=1.2,
        capsize=3,
        label="forecast",
    )
    axes.set_ylim(0, 1.1 * float(known.select("high", "constant").to_numpy().max()))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="lower left", frameon=False, fontsize=8.5, labelcolor=style.INK)
