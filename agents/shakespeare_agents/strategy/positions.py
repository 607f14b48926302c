"""Positions of self-play in which something can be tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.strategy.self_play import at_all_seats, dealt, field
from shakespeare_env.checks.limits import require_memory
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.play.agent import AnyAgent, Player
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup, play_out

_LOTS = np.uint64(0x107)
"""Separates the lots that pick positions from the agents' draws."""

_BYTES_BESIDE = 32
"""The bytes of numbers kept with each record."""


@dataclass(frozen=True)
class Positions:
    """m positions of self-play, at a seat's decision, by deal in the order they came up.

    Attributes:
        frame: One row per position: `position`, its number; `deal`, its game; `seat`, who decides;
            the facts asked for.
        games: The positions with the chance to come; they are copied, never stepped.
        agent: The agent that played them.
        kinds: int64[k], ids of the moves searched for.
        choices: int64[m], what the agent chose.
        states: uint64[m], the games' generators after that.
    """

    frame: pl.DataFrame
    games: Batch
    agent: AnyAgent
    kinds: NDArray[np.int64]
    choices: NDArray[np.int64]
    states: NDArray[np.uint64]

    def where(self, wanted: pl.Expr) -> Positions:
        """The positions whose row in `frame` is as wanted, numbered anew.

        Raises:
            NoPositionError: there are none.
        """
        rows = np.flatnonzero(self.frame.select(wanted).to_series().to_numpy())
        if not len(rows):
            raise NoPositionError("no position is as wanted; play more games")
        frame = self.frame[rows].with_columns(position=pl.Series(np.arange(len(rows))))
        games = self.games.copies(rows)
        return replace(
            self, frame=frame, games=games, choices=self.choices[rows], states=self.states[rows]
        )


class NoPositionError(ValueError):
    """No position of the kind looked for came up in the games played."""


def find_positions(
    game: str,
    blocks: Sequence[str],
    *,
    players: int,
    games: int,
    most: int,
    least: int = 2,
    seed: int = 0,
    player: Player = "network",
    facts: Mapping[str, str] | None = None,
    box: int = 0,
) -> Positions:
    """Play games, one agent at all seats, and sample positions with moves of some kinds.

    Args:
        game: Its name.
        blocks: Blocks of the action table.
        players: The number of seats.
        games: The number of games to play, each its own deal.
        most: The most positions to sample, uniformly.
        least: The fewest legal moves of these kinds.
        seed: Decides the deals and all draws.
        player: See `shakespeare_agents.make`.
        facts: Column -> `field` name, as the decider sees it.
        box: The number of one in force.

    Raises:
        NoPositionError: there is no such position.
        ValueError: there is no such block, or a number is out of range.
        MemoryLimitError: the sample cannot fit this machine.
    """
    checked_count("least", least)
    itemsize = registry.game(game).state.itemsize + _BYTES_BESIDE
    # Twice as many are held before the surplus is dropped.
    needed = 2 * checked_count("most", most) * itemsize
    require_memory(f"most={most}", needed, "sample fewer positions")
    batch = dealt(game, games, players=players, seed=seed, box=box)
    kinds = _ids_of(batch.game, blocks)
    lineup = at_all_seats(player, batch, GameGenerators.of_games(seed, np.arange(games)))
    sample = _Sample(batch, lineup, kinds, least, most, seed)
    play_out(batch, lineup, before_step=sample.draw)
    kept = sample.kept()
    if not len(kept):
        raise NoPositionError(f"no such decision came up in {games} games; play more of them")
    found = Batch(game, len(kept), players=players, autoreset=False)
    found.load(slice(None), kept["record"])
    noted = {
        column: field(found.game.layout, of, found.obs) for column, of in (facts or {}).items()
    }
    numbers = {"position": np.arange(len(kept)), "deal": kept["deal"]}
    frame = pl.DataFrame({**numbers, "seat": found.to_move.astype(np.int64), **noted})
    return Positions(frame, found, lineup.agents[0], kinds, kept["choice"], kept["state"])


@dataclass
class _Sample:
    """Keeps the decisions with the lowest lots while games are played."""

    batch: Batch
    lineup: Lineup
    kinds: NDArray[np.int64]
    least: int
    most: int
    seed: int

    def __post_init__(self) -> None:
        lots = int(check_seed(self.seed) ^ _LOTS)
        self._lots = GameGenerators(streams(lots, np.arange(self.batch.n)))
        fields = [("record", self.batch.game.state), ("deal", np.int64), ("choice", np.int64)]
        self._dtype = np.dtype([*fields, ("state", np.uint64), ("lot", np.float64)])
        self._drawn = [np.zeros(0, self._dtype)]

    def draw(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Draw a lot for every fitting decision before it is played."""
        fits = self.batch.mask[rows][:, self.kinds].sum(axis=1) >= self.least
        rows = rows[fits]
        drawn = np.zeros(len(rows), self._dtype)
        drawn["record"] = self.batch.save(rows)
        drawn["deal"] = rows
        drawn["choice"] = actions[fits]
        drawn["state"] = self.lineup.generators.states[rows]
        drawn["lot"] = self._lots[rows].random()
        self._drawn.append(drawn)
        # Records are large, so those that can no longer be kept are dropped on the way.
        if sum(map(len, self._drawn)) > 2 * self.most:
            self._drawn = [self._lowest()]

    def kept(self) -> NDArray[Any]:
        """The decisions kept, by deal."""
        lowest = self._lowest()
        return lowest[np.argsort(lowest["deal"], kind="stable")]

    def _lowest(self) -> NDArray[Any]:
        drawn = np.concatenate(self._drawn)
        return drawn[np.sort(np.argsort(drawn["lot"])[: self.most])]


def _ids_of(game: Game, blocks: Sequence[str]) -> NDArray[np.int64]:
    """The action ids of some blocks of the action table."""
    known = {block.name: block for block in game.actions.blocks}
    if not blocks:
        raise ValueError(f"no blocks: name some of {', '.join(known)}")
    for name in blocks:
        if name not in known:
            raise ValueError(f"{game.name} has no block {name!r}; its blocks: {', '.join(known)}")
    return np.concatenate(
        [game.actions.start[name] + np.arange(len(known[name].texts)) for name in blocks]
    )
