"""The strength of an agent in playouts: how many search needs to be as strong."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.baselines import RandomAgent
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import Entrant, entrants_of, make
from shakespeare_agents.workers import Workers
from shakespeare_arena.evaluation import WIDTH, OnProgress, Series, Shown
from shakespeare_arena.scale import RUNGS, Climb, Meetings, Placement
from shakespeare_env.checks.values import shown
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.reading import MOST_GAMES
from shakespeare_env.play.agent import Player
from shakespeare_env.play.generators import GameGenerators

if TYPE_CHECKING:
    from rich.table import Table

MINUTES = 5.0
"""Length of a measurement unless games are counted."""
_FROZEN = (
    "version=1,considered={considered},utility=margin,sharpness=150,near_certain=0.99,"
    "horizon=1000,temperature=0"
)


@dataclass(frozen=True)
class Measurement(Shown):
    """An agent's place on the scale at each table, and what it takes to measure it again.

    Attributes:
        game: Its name.
        agent: As entered.
        options: Variants.
        seed: Decides the deals and the agents' draws.
        scale: The reference agents by playouts, below 1 by the share of the network's moves.
        scale_digest: The digest of their weights and code (see `identity.agent_digest`); figures
            of different scales do not compare.
        tables: One per number of seats.
    """

    FORMAT = 1

    game: str
    agent: str
    options: dict[str, bool]
    seed: int
    scale: dict[float, str]
    scale_digest: str
    tables: tuple[Placement, ...]

    def __getitem__(self, players: int) -> Placement:
        return {placement.players: placement for placement in self.tables}[players]

    def table(self) -> Table:
        """A row per table, 80 columns at most."""
        from rich.table import Table
        from rich.text import Text

        variants = "".join(f", {name}" for name, on in self.options.items() if on)
        table = Table(
            title=Text(f"{self.agent} in {self.game}{variants}, seed {self.seed}"),
            caption="Playouts: how many search needs to be as strong, 95 % interval.\n"
            "1: network 1 alone; below, the share of its moves, the others at random.\n"
            "Won: % against copies of that agent, and games." + self._deciding(),
            min_width=WIDTH,
        )
        table.add_column("Seats", justify="right")
        table.add_column("Playouts")
        table.add_column("Won", overflow="fold")
        table.add_column("Equal", justify="right")
        for placement in self.tables:
            won = (
                f"{one.playouts:,}: {100 * one.win_rate:.0f} ({one.games:,})"
                for one in placement.meetings
            )
            equal = f"{100 / placement.players:.0f} %"
            table.add_row(str(placement.players), str(placement), "; ".join(won), equal)
        return table

    def _deciding(self) -> str:
        """What games would tell more of tables where the scale ends too early."""
        return "".join(
            f"\n{one.players} seats: search with {one.deciding:,} playouts would decide."
            for one in self.tables
            if one.deciding
        )


class Softened:
    """Plays a share of its moves like the scale's network, and the others at random."""

    def __init__(self, game: Game, *, share: float = 0.5) -> None:
        self._share = share
        self._network, self._random = make(reference(1), game), RandomAgent()

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """See `Agent.act`."""
        by_chance = self._random.act(observations, masks, rng)
        chosen = self._network.act(observations, masks, rng)  # type: ignore[union-attr]
        return np.where(rng.random() < self._share, chosen, by_chance)


def reference(playouts: float) -> str:
    """The agent that a rung of the scale stands for.

    All of it is written out, so that no change of a default moves the scale: search over the first
    bundled network, with playouts to the end of the game; one playout is that network alone. Fewer
    playouts than twice the moves considered could not be shared among them. Below one playout the
    network plays that share of its moves, and the others are random.
    """
    if playouts == 0:
        return "random"
    if playouts < 1:
        return f"{Softened.__module__}:{Softened.__name__},share={playouts}"
    if playouts == 1:
        return "network,version=1"
    return f"search,simulations={playouts}," + _FROZEN.format(considered=min(int(playouts) // 2, 6))


def measure(
    agent: Entrant | Player,
    game: str = registry.DEFAULT,
    *,
    players: Sequence[int] | None = None,
    minutes: float | None = None,
    games: int | None = None,
    seed: int = 0,
    options: Mapping[str, bool] | None = None,
    threads: int = 1,
    on_progress: OnProgress | None = None,
    workers: Workers | None = None,
) -> Measurement:
    """Place an agent on the scale: the playouts with which search wins as often as it does.

    At each table it plays one seat against copies of a `reference` in the others, every deal from
    every seat. Which rung it meets next follows from the games before: it begins at one
    playout and moves up or down, then alternates between the two rungs around its place.

    Args:
        agent: Whatever plays (see `registry.make`), or `Entrant` with a name of your own.
        game: Its name.
        players: Numbers of seats; by default all that the game has, from two on.
        minutes: Minutes of play, shared among the tables; by default `MINUTES`, or no limit if
            `games` is given. At each table at least one deal is played.
        games: The most games at each table, rounded up to whole deals. Without `minutes` the same
            seed gives the same games.
        seed: Decides the deals and the agents' draws.
        options: Variants.
        threads: The threads that step the games; they change no result.
        on_progress: See `OnProgress`; counts begin anew with every rung and table.
        workers: They play the games (see `open_workers`), by default this process.

    Raises:
        KeyboardInterrupt: before a first deal is over; later it returns what it has.
        CheckpointError: the scale's network is not for the box in force.
        ValueError: a number is out of range, there is one seat, or as of `make`.
        TypeError: a number is not whole, or as of `make`.
        WorkerError: workers are lost, or an agent is another one there.
    """
    rules = registry.game(game)
    tables = tables_of(rules, players)
    if minutes is None:
        minutes = math.inf if games is not None else MINUTES
    if not minutes >= 0:
        raise ValueError(f"minutes={shown(minutes)} must be a number from 0 on")
    most = MOST_GAMES if games is None else checked_count("games", games, MOST_GAMES)
    (entrant,) = entrants_of([agent], rules)
    scale = {playouts: reference(playouts) for playouts in RUNGS}

    def games_against(seats: int, playouts: float) -> Callable[[int], Meetings]:
        name = f"{entrant.name} met {playouts} playouts"  # not the agent's own name
        rung = Entrant(name, make(scale[playouts], rules), scale[playouts])
        series = Series(
            [entrant, *[rung] * (seats - 1)],
            game,
            seed=_seed_of(seed, seats, playouts),
            options=options,
            threads=threads,
            on_progress=on_progress,
            workers=workers,
        )

        def play(deals: int) -> Meetings:
            series.play(deals)
            return _meetings(playouts, series)

        return play

    ends = time.monotonic() + 60 * minutes
    found: list[Placement] = []
    for number, seats in enumerate(tables):
        left = max(ends - time.monotonic(), 0) / (len(tables) - number)
        climb = Climb(seats, partial(games_against, seats))
        try:
            climb.play(-(-most // seats), left)
        except KeyboardInterrupt:
            if climb.deals:
                found.append(climb.placement())
            if not found:
                raise
            break
        found.append(climb.placement())
    top = scale[RUNGS[-1]]
    digest = agent_digest(top, make(top, rules), rules)
    return Measurement(game, entrant.name, dict(options or {}), seed, scale, digest, tuple(found))


def tables_of(rules: Game, players: Sequence[int] | None) -> list[int]:
    """The numbers of seats to play at, each once."""
    few = max(rules.min_seats, 2)
    if players is None:
        return list(range(few, rules.max_seats + 1))
    tables = [rules.check_players(seats) for seats in dict.fromkeys(players)]
    if not tables or 1 in tables:
        raise ValueError(f"players={shown(list(players))}: give {few} to {rules.max_seats} seats")
    return tables


def _seed_of(seed: int, seats: int, playouts: float) -> int:
    """The seed of the games against a rung; rungs and tables share no deals, hence no luck."""
    sequence = np.random.SeedSequence([int(check_seed(seed)), seats, *playouts.as_integer_ratio()])
    return int(sequence.generate_state(1, np.uint64)[0])


def _meetings(playouts: float, series: Series) -> Meetings:
    """The result of an agent alone against copies of a rung."""
    shares = series.shares()
    games = series.deals * series.games_a_deal
    variance = float(shares.var(ddof=1)) if len(shares) > 1 else 0.0
    return Meetings(playouts, series.deals, games, float(shares.mean()) * games, variance)
