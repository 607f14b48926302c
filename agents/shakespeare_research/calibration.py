"""A network's forecasts in games with itself, beside what happened, and their calibration.

Bins and errors have 95 % intervals clustered by deal: forecasts within a game share its end, so
only deals count as independent.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.naming import make
from shakespeare_agents.networks.inference import ForwardPass, NetworkAgent
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import Player, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import play_out
from shakespeare_research.groups import means, shares
from shakespeare_research.self_play import at_all_seats, outcomes

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
    agent = _forecaster(player, batch.game)
    notes = _Notes(batch, ForwardPass(agent.network), every)
    generators = GameGenerators.of_games(seed, np.arange(games))
    play_out(batch, at_all_seats(agent, batch, generators), before_step=notes.take)
    return notes.beside_the_ends()


class _Notes:
    """What a network forecasts while games are played."""

    def __init__(self, batch: Batch, network: ForwardPass, every: int) -> None:
        self._batch, self._network, self._every = batch, network, every
        self._decisions = np.zeros(batch.n, np.int64)
        self._taken: list[pl.DataFrame] = []

    def take(self, rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        """Ask the network about some of the decisions about to be made."""
        noted = rows[(self._decisions[rows] + rows) % self._every == 0]
        if len(noted):
            self._taken.append(self._asked(noted))
        self._decisions[rows] += 1

    def _asked(self, rows: NDArray[np.int64]) -> pl.DataFrame:
        batch, players = self._batch, int(self._batch.players[0])
        shares, changes = self._network.forecasts(batch.obs[rows], batch.players[rows])
        deciders = batch.to_move[rows].astype(np.int64)
        seats = (deciders[:, None] + np.arange(players)) % players
        scores = np.take_along_axis(batch.scores(rows), seats, axis=1)
        unit = float(batch.game.score_scale)
        expected = scores + unit * changes[:, :players].astype(np.float64)
        return pl.DataFrame(
            {
                "deal": np.repeat(rows, players),
                "players": np.full(seats.size, players, np.int64),
                "decision": np.repeat(self._decisions[rows], players),
                "decider": np.repeat(deciders, players),
                "seat": seats.reshape(-1),
                "chance": shares[:, :players].astype(np.float64).reshape(-1),
                "expected": expected.reshape(-1),
            }
        )

    def beside_the_ends(self) -> pl.DataFrame:
        """All notes by deal, once the games are over."""
        players = int(self._batch.players[0])
        ends = outcomes(self._batch).select("seat", "won", "score")
        deals = np.arange(self._batch.n)
        ends = ends.with_columns(deal=np.repeat(deals, players))
        lengths = pl.DataFrame({"deal": deals, "_length": self._decisions})
        alone = pl.col("players") == 1
        return (
            pl.concat(self._taken)
            .join(ends, on=["deal", "seat"], how="left", maintain_order="left")
            .join(lengths, on="deal", how="left", maintain_order="left")
            .sort("deal", "decision", maintain_order=True)
            .with_columns(pl.when(~alone).then(pl.col("chance", "won")))
            .select(
                "deal",
                "players",
                "decision",
                (1 + STAGES * pl.col("decision") // pl.col("_length")).alias("stage"),
                "decider",
                "seat",
                "chance",
                "won",
                "expected",
                "score",
            )
        )


def _forecaster(player: Player, game: Game) -> NetworkAgent:
    agent = make(player, game)
    if not isinstance(agent, NetworkAgent):
        raise ValueError(
            f"{name_of(player)} is no network, so it forecasts nothing; give `network` or a "
            "checkpoint's folder"
        )
    if not agent.network.has_heads:
        raise ValueError(
            f"the network of {name_of(player)} has no heads that forecast every seat; give one "
            "whose card.json lists heads"
        )
    return agent


def chance_bins(rows: pl.DataFrame, *, bins: int = BINS) -> pl.DataFrame:
    """How often seats won, by the forecast chance to win in equally wide bins.

    Returns:
        One row per bin that has forecasts: `bin`, from 0; `chance`, their mean; `share`, `low`,
        `high`, `rows` and `deals` as of `groups.shares`. No rows with one seat, where nobody wins.
    """
    binned = _by_chance(rows, bins)
    won = shares(binned, "bin", of="won")
    return _with_forecasts(won, binned, "chance")


def score_bins(rows: pl.DataFrame, *, bins: int = BINS) -> pl.DataFrame:
    """Mean final scores, by the forecast one in bins of equally many forecasts.

    Returns:
        One row per bin: `bin`, from 0; `expected`, the forecasts' mean; `mean`, `low`, `high`,
        `rows` and `deals` as of `groups.means`.
    """
    place = pl.col("expected").rank("ordinal").cast(pl.Int64) - 1
    binned = rows.with_columns(bin=place * bins // pl.len())
    scored = means(binned, "bin", of="score")
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
    off = pl.col("expected") - pl.col("score")
    constant = pl.col("score") - pl.lit(rows["score"].mean())
    found = _squared(rows, by, off, constant)
    roots = pl.col("mean", "low", "high", "constant").clip(lower_bound=0.0).sqrt()
    return found.with_columns(roots)


def _by_chance(rows: pl.DataFrame, bins: int) -> pl.DataFrame:
    played = rows.filter(pl.col("won").is_not_null())
    return played.with_columns(bin=(pl.col("chance") * bins).cast(pl.Int64).clip(0, bins - 1))


def _with_forecasts(found: pl.DataFrame, binned: pl.DataFrame, forecast: str) -> pl.DataFrame:
    of_bins = binned.group_by("bin").agg(pl.col(forecast).mean())
    joined = found.join(of_bins, on="bin", how="left", maintain_order="left")
    return joined.select("bin", forecast, pl.exclude("bin", forecast))


def _squared(rows: pl.DataFrame, by: str, off: pl.Expr, constant: pl.Expr) -> pl.DataFrame:
    squared = rows.with_columns(_off=off**2, _constant=constant**2)
    found = means(squared, by, of="_off")
    constants = squared.group_by(by).agg(constant=pl.col("_constant").mean())
    return found.join(constants, on=by, how="left", maintain_order="left")
