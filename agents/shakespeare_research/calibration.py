"""A network's forecasts in games with itself, beside what happened, and their calibration.

Bins and errors have 95 % intervals clustered by deal: forecasts within a game share its end, so
only deals count as independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.naming import make
from shakespeare_agents.networks.inference import ForwardPass, NetworkAgent
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.play.agent import AgentLike, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import forecasts_by_seat, play_to_end
from shakespeare_research.groups import means, shares
from shakespeare_research.trials import final_results

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
    player: AgentLike = "network",
) -> pl.DataFrame:
    """Play games, each its own deal, with a network at all seats, and note its forecasts.

    The seed decides deals and draws; `every` is the step from one noted decision to the next, from
    a start that differs by game; the player is a network with heads (see `make`).

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
    notes: list[tuple[NDArray[Any], ...]] = []

    def note(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        noted = rows[(decisions[rows] + rows) % every == 0]
        if len(noted):
            notes.append((noted, decisions[noted], *forecasts_by_seat(network, batch, noted)))
        decisions[rows] += 1

    play_to_end(batch, [agent], GameGenerators.of_games(seed, np.arange(games)), before_step=note)
    deal, decision, seats, chances, scores = map(np.concatenate, zip(*notes, strict=True))
    ends = final_results(batch)[(deal[:, None] * players + seats).ravel()]
    of_decisions = {
        "deal": deal,
        "players": np.full(len(deal), players),
        "decision": decision,
        "stage": 1 + STAGES * decision // decisions[deal],
        "decider": seats[:, 0],
    }
    rows = {name: column.repeat(players) for name, column in of_decisions.items()}
    rows |= {"seat": seats.ravel(), "chance": chances.ravel(), "won": ends["won"].to_numpy()}
    rows |= {"expected": scores.ravel(), "score": ends["score"].to_numpy()}
    frame = pl.DataFrame(rows).sort("deal", "decision", maintain_order=True)
    return frame.with_columns(pl.when(pl.lit(players > 1)).then(pl.col("chance", "won")))


def chance_bins(rows: pl.DataFrame) -> pl.DataFrame:
    """How often seats won, as of `groups.shares`, by the forecast chance in equally wide bins.

    `bin` counts from 0, `chance` is the mean forecast. No rows with one seat, where nobody wins.
    """
    binned = _by_chance(rows)
    return _beside(shares(binned, "bin", of="won"), binned, "bin", chance=pl.col("chance"))


def score_bins(rows: pl.DataFrame) -> pl.DataFrame:
    """Mean final scores, as of `groups.means`, in bins of equally many forecasts of them.

    `bin` counts from 0, `expected` is the mean forecast.
    """
    place = pl.col("expected").rank("ordinal").cast(pl.Int64) - 1
    binned = rows.with_columns(bin=place * BINS // pl.len())
    return _beside(means(binned, "bin", of="score"), binned, "bin", expected=pl.col("expected"))


def calibration_error(rows: pl.DataFrame) -> float | None:
    """The expected calibration error, 0 to 1: the bins' |mean forecast - share won|, by their rows.

    With few games perfect forecasts have an error, too (Guo et al. 2017, "On calibration of modern
    neural networks"). None with one seat.
    """
    gap = (pl.col("chance").mean() - pl.col("won").mean()).abs()
    gaps = _by_chance(rows).group_by("bin").agg(gap=gap, rows=pl.len())
    if gaps.is_empty():
        return None
    return float(gaps.select((pl.col("gap") * pl.col("rows")).sum() / pl.col("rows").sum()).item())


def brier_scores(rows: pl.DataFrame, by: str = "players") -> pl.DataFrame:
    """Mean squared errors of a seat's chance to win, as of `groups.means` (Brier 1950).

    `constant` is the error of the forecast 1 / seats on those rows. No rows with one seat.
    """
    played = rows.filter(pl.col("won").is_not_null())
    off, constant = pl.col("chance") - pl.col("won"), 1 / pl.col("players") - pl.col("won")
    return _squared(played, by, off, constant)


def score_errors(rows: pl.DataFrame, by: str = "players") -> pl.DataFrame:
    """Root mean squared errors of final scores in points, as of `groups.means`.

    `constant` is the error of forecasting the mean final score of all `rows`.
    """
    off, constant = pl.col("expected") - pl.col("score"), pl.col("score") - rows["score"].mean()
    roots = pl.col("mean", "low", "high", "constant").clip(lower_bound=0.0).sqrt()
    return _squared(rows, by, off, constant).with_columns(roots)


def _by_chance(rows: pl.DataFrame) -> pl.DataFrame:
    played = rows.filter(pl.col("won").is_not_null())
    return played.with_columns(bin=(pl.col("chance") * BINS).cast(pl.Int64).clip(0, BINS - 1))


def _squared(rows: pl.DataFrame, by: str, off: pl.Expr, constant: pl.Expr) -> pl.DataFrame:
    groups = means(rows.with_columns(_off=off**2), by, of="_off")
    return _beside(groups, rows, by, constant=constant**2)


def _beside(groups: pl.DataFrame, rows: pl.DataFrame, by: str, **column: pl.Expr) -> pl.DataFrame:
    of_groups = rows.group_by(by).agg(**{name: value.mean() for name, value in column.items()})
    return groups.join(of_groups, on=by, how="left", maintain_order="left")
