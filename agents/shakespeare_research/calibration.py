"""A network's forecasts in games with itself, beside what happened, and their calibration.

Bins and errors have 95 % intervals clustered by deal: forecasts within a game share its end, so
only deals count as independent.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.networks.forward_pass import ForwardPass
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_agents.registry import make
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.play.agent import Player, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import forecasts_by_seat, play_on
from shakespeare_research.groups import means, shares
from shakespeare_research.trials import outcomes

BINS = 10
STAGES = 5
"""Equal parts of a game, by decisions."""


def forecasts(
    game: str,
    *,
    players: int,
    games: int,
    seed: int = 0,
    every: int = 8,
    player: Player = "network",
) -> pl.DataFrame:
    """Play games, each its own deal, with a network at all seats, and note its forecasts.

    Args:
        game: Its name.
        players: The number of seats.
        games: The number of games to play.
        seed: Decides the deals and the agent's draws.
        every: The step from one noted decision to the next, from a start that differs by game.
        player: See `shakespeare_agents.make`; a network with heads.

    Returns:
        One row per decision noted and seat forecast, by deal: `deal`, `players`, `decision` (its
        number within the game), `stage` (1 to `STAGES`), `decider` and `seat`; `chance`, the share
        of the victory forecast, and `won`, the real one, both null with one seat; `expected`, the
        final score forecast, and `score`, the real one.

    Raises:
        ValueError: the player has no network with heads, or a number is out of range.
    """
    checked_count("every", every)
    batch = Batch(game, checked_count("games", games), players=players, seed=seed, autoreset=False)
    agent = make(player, batch.game)
    if not isinstance(agent, NetworkAgent) or not agent.network.has_heads:
        raise ValueError(
            f"{name_of(player)} is no network with heads that forecast every seat; give `network` "
            "or a checkpoint's folder whose card.json lists heads"
        )
    network, decisions = ForwardPass(agent.network), np.zeros(games, np.int64)
    notes: list[pl.DataFrame] = []

    def note(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        noted = rows[(decisions[rows] + rows) % every == 0]
        if len(noted):
            seats, chances, scores = forecasts_by_seat(network, batch, noted)
            columns = {
                "deal": np.repeat(noted, players),
                "decision": np.repeat(decisions[noted], players),
                "decider": np.repeat(seats[:, 0], players),
            }
            ends = {"seat": seats.ravel(), "chance": chances.ravel(), "expected": scores.ravel()}
            notes.append(pl.DataFrame(columns | ends))
        decisions[rows] += 1

    play_on(batch, [agent], GameGenerators.of_games(seed, np.arange(games)), before_step=note)
    deals = np.arange(games)
    ends = outcomes(batch).select("seat", "won", "score").with_columns(deal=deals.repeat(players))
    lengths = pl.DataFrame({"deal": deals, "length": decisions})
    several = pl.lit(players > 1)
    return (
        pl.concat(notes)
        .join(ends, on=["deal", "seat"], how="left", maintain_order="left")
        .join(lengths, on="deal", how="left", maintain_order="left")
        .sort("deal", "decision", maintain_order=True)
        .with_columns(pl.when(several).then(pl.col("chance", "won")))
        .select(
            "deal",
            pl.lit(players, pl.Int64).alias("players"),
            "decision",
            (1 + STAGES * pl.col("decision") // pl.col("length")).alias("stage"),
            *("decider", "seat", "chance", "won", "expected", "score"),
        )
    )


def chance_bins(rows: pl.DataFrame, *, bins: int = BINS) -> pl.DataFrame:
    """How often seats won, by the forecast chance to win in equally wide bins.

    Returns:
        One row per bin that has forecasts: `bin`, from 0; `chance`, their mean; `share`, `low`,
        `high`, `rows` and `deals` as of `groups.shares`. No rows with one seat, where nobody wins.
    """
    binned = _by_chance(rows, bins)
    return _with_forecasts(shares(binned, "bin", of="won"), binned, "chance")


def score_bins(rows: pl.DataFrame, *, bins: int = BINS) -> pl.DataFrame:
    """Mean final scores, by the forecast one in bins of equally many forecasts.

    Returns:
        One row per bin: `bin`, from 0; `expected`, the forecasts' mean; `mean`, `low`, `high`,
        `rows` and `deals` as of `groups.means`.
    """
    place = pl.col("expected").rank("ordinal").cast(pl.Int64) - 1
    binned = rows.with_columns(bin=place * bins // pl.len())
    return _with_forecasts(means(binned, "bin", of="score"), binned, "expected")


def calibration_error(rows: pl.DataFrame, *, bins: int = BINS) -> float | None:
    """The expected calibration error, 0 to 1: the bins' |mean forecast - share won|, by their rows.

    With few games perfect forecasts have an error, too (Guo et al. 2017, "On calibration of modern
    neural networks"). None with one seat.
    """
    gap = (pl.col("chance").mean() - pl.col("won").mean()).abs()
    gaps = _by_chance(rows, bins).group_by("bin").agg(gap=gap, rows=pl.len())
    if gaps.is_empty():
        return None
    return float(gaps.select((pl.col("gap") * pl.col("rows")).sum() / pl.col("rows").sum()).item())


def brier_scores(rows: pl.DataFrame, by: str = "players") -> pl.DataFrame:
    """Mean squared errors of a seat's chance to win by group, less is better (Brier 1950).

    Returns:
        As of `groups.means`, and in `constant` the error of the forecast 1 / seats on those rows.
        No rows with one seat.
    """
    played = rows.filter(pl.col("won").is_not_null())
    off, constant = pl.col("chance") - pl.col("won"), 1 / pl.col("players") - pl.col("won")
    return _squared(played, by, off, constant)


def score_errors(rows: pl.DataFrame, by: str = "players") -> pl.DataFrame:
    """Root mean squared errors of final scores by group, in points.

    Returns:
        As of `groups.means`, and in `constant` the error of forecasting the mean final score of all
        `rows`.
    """
    off, constant = pl.col("expected") - pl.col("score"), pl.col("score") - rows["score"].mean()
    roots = pl.col("mean", "low", "high", "constant").clip(lower_bound=0.0).sqrt()
    return _squared(rows, by, off, constant).with_columns(roots)


def _by_chance(rows: pl.DataFrame, bins: int) -> pl.DataFrame:
    played = rows.filter(pl.col("won").is_not_null())
    return played.with_columns(bin=(pl.col("chance") * bins).cast(pl.Int64).clip(0, bins - 1))


def _with_forecasts(groups: pl.DataFrame, binned: pl.DataFrame, forecast: str) -> pl.DataFrame:
    forecasts = binned.group_by("bin").agg(pl.col(forecast).mean())
    joined = groups.join(forecasts, on="bin", how="left", maintain_order="left")
    return joined.select("bin", forecast, pl.exclude("bin", forecast))


def _squared(rows: pl.DataFrame, by: str, off: pl.Expr, constant: pl.Expr) -> pl.DataFrame:
    groups = means(rows.with_columns(_off=off**2), by, of="_off")
    constants = rows.group_by(by).agg(constant=(constant**2).mean())
    return groups.join(constants, on=by, how="left", maintain_order="left")
