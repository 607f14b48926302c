"""The calibration of forecasts: bins and errors, with 95 % intervals clustered by deal.

All functions take the rows of `forecasts.forecasts`. Forecasts within a game share its end, so only
deals count as independent.
"""

from __future__ import annotations

import polars as pl

from shakespeare_agents.strategy.groups import FEWEST_DEALS, means, shares

BINS = 10


def chance_bins(
    rows: pl.DataFrame, *, bins: int = BINS, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """How often seats won, by the forecast chance to win in equally wide bins.

    Returns:
        One row per bin that has forecasts: `bin`, from 0; `chance`, their mean; `share`, `low`,
        `high`, `rows` and `deals` as of `groups.shares`. No rows with one seat, where nobody wins.
    """
    binned = _by_chance(rows, bins)
    won = shares(binned, "bin", of="won", fewest_deals=fewest_deals)
    return _with_forecasts(won, binned, "chance")


def score_bins(
    rows: pl.DataFrame, *, bins: int = BINS, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """Mean final scores, by the forecast one in bins of equally many forecasts.

    Returns:
        One row per bin: `bin`, from 0; `expected`, the forecasts' mean; `mean`, `low`, `high`,
        `rows` and `deals` as of `groups.means`.
    """
    place = pl.col("expected").rank("ordinal").cast(pl.Int64) - 1
    binned = rows.with_columns(bin=place * bins // pl.len())
    scored = means(binned, "bin", of="score", fewest_deals=fewest_deals)
    return _with_forecasts(scored, binned, "expected")


def calibration_error(rows: pl.DataFrame, *, bins: int = BINS) -> float | None:
    """The expected calibration error, 0 to 1: the bins' |mean forecast - share won|, by their rows.

    With few games perfect forecasts have an error, too (Guo et al. 2017, "On calibration of modern
    neural networks"). None with one seat.
    """
    gap = (pl.col("chance").mean() - pl.col("won").mean()).abs()
    found = _by_chance(rows, bins).group_by("bin").agg(gap=gap, rows=pl.len())
    if found.is_empty():
        return None
    return float(found.select((pl.col("gap") * pl.col("rows")).sum() / pl.col("rows").sum()).item())


def brier_scores(
    rows: pl.DataFrame, by: str = "players", *, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """Mean squared errors of a seat's chance to win by group, less is better (Brier 1950).

    Returns:
        As of `groups.means`, and in `constant` the error of the forecast 1 / seats on those rows.
        No rows with one seat.
    """
    played = rows.filter(pl.col("won").is_not_null())
    off, constant = pl.col("chance") - pl.col("won"), 1 / pl.col("players") - pl.col("won")
    return _squared(played, by, off, constant, fewest_deals)


def score_errors(
    rows: pl.DataFrame, by: str = "players", *, fewest_deals: int = FEWEST_DEALS
) -> pl.DataFrame:
    """Root mean squared errors of final scores by group, in points.

    Returns:
        As of `groups.means`, and in `constant` the error of forecasting the mean final score of all
        `rows`.
    """
    off = pl.col("expected") - pl.col("score")
    constant = pl.col("score") - pl.lit(rows["score"].mean())
    found = _squared(rows, by, off, constant, fewest_deals)
    roots = pl.col("mean", "low", "high", "constant").clip(lower_bound=0.0).sqrt()
    return found.with_columns(roots)


def _by_chance(rows: pl.DataFrame, bins: int) -> pl.DataFrame:
    played = rows.filter(pl.col("won").is_not_null())
    return played.with_columns(bin=(pl.col("chance") * bins).cast(pl.Int64).clip(0, bins - 1))


def _with_forecasts(found: pl.DataFrame, binned: pl.DataFrame, forecast: str) -> pl.DataFrame:
    of_bins = binned.group_by("bin").agg(pl.col(forecast).mean())
    joined = found.join(of_bins, on="bin", how="left", maintain_order="left")
    return joined.select("bin", forecast, pl.exclude("bin", forecast))


def _squared(
    rows: pl.DataFrame, by: str, off: pl.Expr, constant: pl.Expr, fewest_deals: int
) -> pl.DataFrame:
    squared = rows.with_columns(_off=off**2, _constant=constant**2)
    found = means(squared, by, of="_off", fewest_deals=fewest_deals)
    constants = squared.group_by(by).agg(constant=pl.col("_constant").mean())
    return found.join(constants, on=by, how="left", maintain_order="left")
