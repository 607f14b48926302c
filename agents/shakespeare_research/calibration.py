"""Calibration of a network: its forecasts in self-play, compared with how the games ended.

Bins and errors have 95 % intervals clustered by deal. Forecasts within a game share its outcome, so
only deals count as independent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.making import make
from shakespeare_agents.networks.inference import ForwardPass, NetworkAgent
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.play.agent import AgentLike, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import SeatForecasts, forecasts_by_seat, play_to_end
from shakespeare_research.groups import means, shares
from shakespeare_research.self_play import final_results

BINS = 10
"""The number of bins of forecasts."""
STAGES = 5
"""The number of equal parts that a game is divided into by its decisions."""


class _Notes(NamedTuple):
    """The forecasts noted in one step, a row per game."""

    deal: NDArray[np.int64]
    decision: NDArray[np.int64]
    forecasts: SeatForecasts


def forecasts(
    game: str,
    *,
    players: int,
    games: int,
    seed: int = 0,
    every: int = 8,
    player: AgentLike = "network",
) -> pl.DataFrame:
    """Play games, each a deal of its own, with a network at all seats, and note its forecasts.

    Args:
        game: The game's name.
        players: The number of seats.
        games: The number of games.
        seed: Decides the deals and the agent's draws.
        every: Forecasts are noted at every `every`-th decision of a game. The first decision noted
            differs by game.
        player: A network with heads, as for `making.make`.

    Returns:
        One row per noted decision and seat, in order of deals: `deal`, `players`, `decision` (its
        number within the game), `stage` (1 to `STAGES`), `decider` and `seat`; `chance`, the
        forecast share of the victory, and `won`, the real share, both null with one seat;
        `expected`, the forecast final score, and `score`, the real score.

    Raises:
        ValueError: The player has no network with heads, or a number is out of range.
    """
    checked_count("every", every)
    batch = Batch(game, checked_count("games", games), players=players, seed=seed, autoreset=False)
    agent = make(player, batch.game)
    if not isinstance(agent, NetworkAgent) or not agent.network.has_heads:
        raise ValueError(
            f"{name_of(player)} is not a network with heads that forecast every seat; give "
            "`network`, or the folder of a checkpoint whose card.json lists heads"
        )
    network = ForwardPass(agent.network)
    decisions = np.zeros(games, np.int64)
    notes: list[_Notes] = []

    def note(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        noted = rows[(decisions[rows] + rows) % every == 0]
        if len(noted):
            notes.append(_Notes(noted, decisions[noted], forecasts_by_seat(network, batch, noted)))
        decisions[rows] += 1

    play_to_end(batch, [agent], GameGenerators.of_games(seed, np.arange(games)), before_step=note)
    deal = np.concatenate([part.deal for part in notes])
    decision = np.concatenate([part.decision for part in notes])
    seats = np.concatenate([part.forecasts.seats for part in notes])
    chances = np.concatenate([part.forecasts.shares for part in notes])
    scores = np.concatenate([part.forecasts.scores for part in notes])
    ends = final_results(batch)[(deal[:, None] * players + seats).ravel()]
    # The games are over, so `decisions` holds the number of all decisions of each.
    by_decision = {
        "deal": deal,
        "players": np.full(len(deal), players),
        "decision": decision,
        "stage": 1 + STAGES * decision // decisions[deal],
        "decider": seats[:, 0],
    }
    rows = {name: column.repeat(players) for name, column in by_decision.items()}
    rows |= {
        "seat": seats.ravel(),
        "chance": chances.ravel(),
        "won": ends["won"].to_numpy(),
        "expected": scores.ravel(),
        "score": ends["score"].to_numpy(),
    }
    frame = pl.DataFrame(rows).sort("deal", "decision", maintain_order=True)
    # Nobody wins a solo game, so `chance` and `won` become null.
    return frame.with_columns(pl.when(pl.lit(players > 1)).then(pl.col("chance", "won")))


def chance_bins(rows: pl.DataFrame) -> pl.DataFrame:
    """Return how often seats won in equally wide bins of the forecast.

    The columns are those of `groups.shares`, and `chance`, the mean forecast. `bin` counts from 0.
    With one seat, where nobody wins, there are no rows.
    """
    binned = _by_chance(rows)
    return _with_means(shares(binned, "bin", of="won"), binned, "bin", chance=pl.col("chance"))


def score_bins(rows: pl.DataFrame) -> pl.DataFrame:
    """Return mean final scores in bins of equally many forecasts.

    The columns are those of `groups.means`, and `expected`, the mean forecast. `bin` counts from 0.
    """
    rank = pl.col("expected").rank("ordinal").cast(pl.Int64) - 1
    binned = rows.with_columns(bin=rank * BINS // pl.len())
    return _with_means(means(binned, "bin", of="score"), binned, "bin", expected=pl.col("expected"))


def calibration_error(rows: pl.DataFrame) -> float | None:
    """Return the expected calibration error, 0 to 1, or None with one seat.

    It is the mean of |mean forecast - share won| over bins, weighted by their rows. With few games
    even perfect forecasts have an error (Guo et al. 2017, "On calibration of modern neural
    networks").
    """
    gap = (pl.col("chance").mean() - pl.col("won").mean()).abs()
    gaps = _by_chance(rows).group_by("bin").agg(gap=gap, rows=pl.len())
    if gaps.is_empty():
        return None
    return float(gaps.select((pl.col("gap") * pl.col("rows")).sum() / pl.col("rows").sum()).item())


def brier_scores(rows: pl.DataFrame, by: str = "players") -> pl.DataFrame:
    """Return mean squared errors of the chance to win (Brier 1950) by group.

    The columns are those of `groups.means`, and `constant`, the error of always forecasting
    1 / seats. With one seat there are no rows.
    """
    played = rows.filter(pl.col("won").is_not_null())
    error = pl.col("chance") - pl.col("won")
    constant_error = 1 / pl.col("players") - pl.col("won")
    return _squared(played, by, error, constant_error)


def score_errors(rows: pl.DataFrame, by: str = "players") -> pl.DataFrame:
    """Return root mean squared errors of final scores, in points, by group.

    The columns are those of `groups.means`, and `constant`, the error of always forecasting the
    mean final score of all `rows`.
    """
    error = pl.col("expected") - pl.col("score")
    constant_error = pl.col("score") - rows["score"].mean()
    roots = pl.col("mean", "low", "high", "constant").clip(lower_bound=0.0).sqrt()
    return _squared(rows, by, error, constant_error).with_columns(roots)


def _by_chance(rows: pl.DataFrame) -> pl.DataFrame:
    played = rows.filter(pl.col("won").is_not_null())
    return played.with_columns(bin=(pl.col("chance") * BINS).cast(pl.Int64).clip(0, BINS - 1))


def _squared(rows: pl.DataFrame, by: str, error: pl.Expr, constant_error: pl.Expr) -> pl.DataFrame:
    groups = means(rows.with_columns(_squared=error**2), by, of="_squared")
    return _with_means(groups, rows, by, constant=constant_error**2)


def _with_means(
    groups: pl.DataFrame, rows: pl.DataFrame, by: str, **columns: pl.Expr
) -> pl.DataFrame:
    """Add the means of more columns to groups."""
    group_means = rows.group_by(by).agg(**{name: value.mean() for name, value in columns.items()})
    return groups.join(group_means, on=by, how="left", maintain_order="left")
