"""The strength of an agent, measured as the playouts that search needs to win as often.

A **rung** of the scale is a reference agent, named by a number. Above 1 it is search with that
many playouts a move. Rung 1 is the network alone, without search. Below 1 the number is the share
of moves that this network plays. The other moves are random, so rung 0 is random play. From rung 1
on, a rung's place on the scale is log2 of its number.

An agent is as strong as a rung if its one seat wins 1/n of its games against copies of that rung in
the other seats. An agent meets the rungs of `RUNGS` first. Once its interval is narrower than the
gap between two rungs, it meets the one in their middle (see `climb`). So most games are against
rungs of nearly its own strength, and win rates against distant rungs hardly matter.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from shakespeare_agents.baselines import RandomAgent
from shakespeare_agents.capabilities import Recipe
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import Entrant, entrants_of, make
from shakespeare_agents.networks.checkpoint import bundled_checkpoint, check_fits, read_card
from shakespeare_agents.travel import workers_for_stored_games
from shakespeare_agents.workers import (
    ProgressCallback,
    Workers,
    cumulative,
    ignore_progress,
    increments,
)
from shakespeare_arena.games.deals import DealSeries, DealTable
from shakespeare_arena.games.recording import Recording
from shakespeare_arena.games.results import ResultsFolder, open_results
from shakespeare_arena.games.seating import SeatPlan
from shakespeare_arena.reports import WIDTH, Report
from shakespeare_arena.scale import (
    RUNGS,
    RungGames,
    RungResult,
    climb,
    fit_place,
    playouts_at,
    relative_cost,
)
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.reading import MOST_GAMES
from shakespeare_env.play.agent import AgentLike
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup

MINUTES = 5.0
"""The minutes of a measurement, unless its budget says otherwise."""
SCALE_VERSION = 3
"""The version of the scale. Raise it when a rung begins to play differently."""
_DECISION_S = 15e-6
"""The seconds that `ScaleGames.place` counts for a network's decision, as on a CPU of 2023."""
_FROZEN = (
    "version=1,considered={considered},utility=margin,sharpness=150,near_certain=0.99,"
    "horizon=1000,temperature=0"
)
"""The options of the search on all rungs."""


@dataclass(frozen=True)
class Budget:
    """The limits of a measurement. Whichever is reached first ends it.

    Attributes:
        minutes: Minutes of play, shared among the tables; by default `MINUTES`, or no limit if
            `games` is given. At each table at least one deal is played.
        games: The most games at each table, rounded up to whole deals. Without `minutes` the same
            seed gives the same games.

    Raises:
        ValueError: a number is out of range.
        TypeError: `games` is not whole.
    """

    minutes: float | None = None
    games: int | None = None

    def __post_init__(self) -> None:
        if self.minutes is not None and not self.minutes >= 0:
            raise ValueError(f"minutes={short_repr(self.minutes)} must be a number from 0 on")
        if self.games is not None:
            checked_count("games", self.games, MOST_GAMES)

    @property
    def seconds(self) -> float:
        """The seconds of play at all tables together."""
        if self.minutes is not None:
            return 60 * self.minutes
        return 60 * MINUTES if self.games is None else math.inf

    def deals(self, players: int) -> int:
        """Return the most deals at a table, each of which is played from every seat."""
        most = MOST_GAMES if self.games is None else self.games
        return math.ceil(most / players)


@dataclass(frozen=True)
class Placement:
    """An agent's strength at one table: the number of the rung that is as strong.

    From 1 on it counts playouts a move. Below 1 it is the share of moves that the network plays.
    The scale distinguishes no strengths beyond its ends: 0.0 stands for "0 or less", and None for
    "above 1,024".

    Attributes:
        players: The number of seats.
        playouts: The strength.
        low: The lower end of its 95 % interval.
        high: The upper end.
        games: The games played.
        rungs: The games by rung, the fewest playouts first.
    """

    players: int
    playouts: float | None
    low: float | None
    high: float | None
    games: int
    rungs: tuple[RungResult, ...]

    def __str__(self) -> str:
        """Write the strength as in `23 (12 to 41)`, `0.62 (0.55 to 0.7)`, or `above 1,024`."""
        if self.low == self.high == 0:
            return f"{_format_playouts(self.low)} or less"
        if self.low is None and self.high is None:
            return _format_playouts(None)
        low = _format_playouts(self.low)
        high = _format_playouts(self.high)
        return f"{_format_playouts(self.playouts)} ({low} to {high})"


@dataclass(frozen=True)
class StrengthResult(Report):
    """An agent's place on the scale at each table, and the settings that measure it again.

    Attributes:
        game: The game's name.
        agent: The agent's name, as entered.
        options: The variants.
        seed: The seed of the deals and the agents' draws.
        scale: The names of the reference agents by the numbers of their rungs: those of `RUNGS`,
            and others that the agent has met.
        scale_digest: A digest of the scale's version, the agents of `RUNGS` and the network.
            Results on different scales do not compare.
        tables: One placement per number of seats.
    """

    FORMAT = 3

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
        """Return the results as a table of at most 80 columns, a row per number of seats."""
        variants = "".join(f", {name}" for name, is_on in self.options.items() if is_on)
        table = Table(
            title=Text(f"{self.agent} in {self.game}{variants}, seed {self.seed}"),
            caption="Playouts: how many search needs to be as strong, 95 % interval.\n"
            "1: network 1 alone; below, the share of its moves, the others at random.\n"
            "Won: % against copies of that agent, and games.",
            min_width=WIDTH,
        )
        table.add_column("Seats", justify="right")
        table.add_column("Playouts")
        table.add_column("Won", overflow="fold")
        table.add_column("Equal", justify="right")
        for placement in self.tables:
            won = "; ".join(
                f"{rung.playouts:,}: {100 * rung.win_rate:.0f} ({rung.games:,})"
                for rung in placement.rungs
            )
            equal = f"{100 / placement.players:.0f} %"
            table.add_row(str(placement.players), str(placement), won, equal)
        return table


class Softened:
    """An agent that plays a share of its moves like the scale's network, the others at random."""

    def __init__(self, game: Game, *, share: float = 0.5) -> None:
        self._share = share
        self._network: Any = make(reference(1), game)
        self._random = RandomAgent()

    def identity(self) -> list[Any]:
        """Return the agent's kind, its share and its network's digest."""
        return ["softened", self._share, self._network.network.digest()]

    def recipe(self) -> Recipe:
        """Return a recipe for another agent of this share."""
        return partial(Softened, share=self._share)

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """Choose an action in each of n games (see `Agent.act`)."""
        by_chance = self._random.act(observations, masks, rng)
        by_network = self._network.act(observations, masks, rng)
        return np.where(rng.random() < self._share, by_network, by_chance)


def reference(playouts: float) -> str:
    """Return the name of the agent that plays as a rung of the scale.

    From four playouts on it is search over the first bundled network, with playouts to the end of
    the game. It considers up to six moves, but no more than half as many as it has playouts, since
    fewer playouts could not be shared among them. There is no rung between 1 and 4. One playout is
    that network alone. Below one playout the network plays that share of its moves, and the others
    are random. All options are written out, so that no change of a default moves the scale.
    """
    if playouts == 0:
        return "random"
    if playouts < 1:
        return f"{Softened.__module__}:{Softened.__name__},share={playouts}"
    if playouts == 1:
        return "network,version=1"
    return f"search,simulations={playouts}," + _FROZEN.format(considered=min(int(playouts) // 2, 6))


def measure(
    agent: Entrant | AgentLike,
    game: str = registry.DEFAULT,
    *,
    players: Sequence[int] | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    options: Mapping[str, bool] | None = None,
    on_progress: ProgressCallback | None = None,
    workers: Workers | None = None,
    results: Path | None = None,
) -> StrengthResult:
    """Measure an agent's strength as the playouts with which search wins as often.

    At each table the agent plays one seat against copies of a `reference` in the others, every deal
    from every seat. The rung that it meets next follows from the games before (see `climb`).

    Args:
        agent: An agent, however it is given (see `making.make`), or `Entrant` with a name of your
            own.
        game: The game's name.
        players: Numbers of seats; by default every table of the game, from two seats on.
        budget: How long to play; by default `MINUTES` for all tables together.
        seed: Decides the deals and the agents' draws.
        options: The variants.
        on_progress: Called with the decisions made and the games finished so far.
        workers: The workers that play the games (see `open_workers`), by default this process.
        results: A folder in which the games are kept (see `results.open_results`). Games that it
            holds are not played again.

    Raises:
        KeyboardInterrupt: it is interrupted before the first deal is over. If it is interrupted
            later, it returns the result of the deals that are complete.
        CheckpointError: the scale's network is not for the game's present box (the file of its
            cards and numbers).
        ValueError: a number is out of range, there is one seat, `make` raises it, or names do not
            tell the agents of the folder apart.
        TypeError: a number is not whole, `make` raises it, or the agent has no digest, by which its
            games in the folder are found.
        WorkerError: workers are lost, or an agent differs from its copy on a worker.
        ArenaError, DatasetError, OSError: the folder cannot be used.
        ModuleNotFoundError: there is a folder, and a package of the extra `data` is missing.
    """
    contract = registry.game(game)  # the `Game`, of which `game` is the name
    tables = table_sizes(contract, players)
    limits = budget or Budget()
    (entrant,) = entrants_of([agent], contract)

    add_progress = cumulative(on_progress)
    deadline = time.monotonic() + limits.seconds
    met: dict[int, dict[float, RungResult]] = {seats: {} for seats in tables}
    with ExitStack() as opened:
        kept_games = None
        if results is not None:
            kept_games = opened.enter_context(open_results(results, game))
            workers = opened.enter_context(workers_for_stored_games(workers, [entrant]))
        try:
            for number, seats in enumerate(tables):
                seconds = max(deadline - time.monotonic(), 0) / (len(tables) - number)
                games = ScaleGames(
                    entrant,
                    game,
                    seats,
                    seed=seed,
                    options=options,
                    add_progress=add_progress,
                    workers=workers,
                    results=kept_games,
                )
                climb(met[seats], seats, games.against, limits.deals(seats), seconds)
        except KeyboardInterrupt:
            if not any(met.values()):
                raise
    placements = tuple(placement_of(rungs, seats) for seats, rungs in met.items() if rungs)
    playouts_met = {playouts for rungs in met.values() for playouts in rungs}
    return StrengthResult(
        game=game,
        agent=entrant.name,
        options=dict(options or {}),
        seed=seed,
        scale={playouts: reference(playouts) for playouts in sorted({*RUNGS, *playouts_met})},
        scale_digest=scale_digest(contract),
        tables=placements,
    )


class ScaleGames:
    """The games of an agent at one table, against copies of the rungs of the scale.

    Args:
        entrant: The agent.
        game: The game's name.
        players: The number of seats.
        seed: Decides the deals and the agents' draws.
        options: The variants.
        add_progress: Called with the decisions made and the games finished since the last call.
        workers: The workers that play the games (see `open_workers`), by default this process.
        results: A folder in which the games are kept. Games that it holds are not played again.
    """

    def __init__(
        self,
        entrant: Entrant,
        game: str,
        players: int,
        *,
        seed: int,
        options: Mapping[str, bool] | None = None,
        add_progress: ProgressCallback = ignore_progress,
        workers: Workers | None = None,
        results: ResultsFolder | None = None,
    ) -> None:
        self._entrant = entrant
        self._game = game
        self._players = players
        self._seed = int(check_seed(seed))
        self._options = options
        self._add_progress = add_progress
        self._workers = workers
        self._results = results
        self._decisions = 0.0  # so far, as `place` counts them

    def place(self, decisions: float) -> Placement:
        """Place the agent by games with about this many decisions of networks.

        A decision of a search counts as the number of network decisions that take as long. Time
        is not measured, so the same agent and seed give the same games on every machine. At least
        one deal is played.
        """
        met: dict[float, RungResult] = {}
        seconds = _DECISION_S * decisions
        climb(met, self._players, self.against, MOST_GAMES, seconds, self._clock)
        return placement_of(met, self._players)

    def _clock(self) -> float:
        return _DECISION_S * self._decisions

    def against(self, playouts: float) -> RungGames:
        """Return the games against a rung (see `climb`)."""
        # Rungs and tables share no deals, hence no luck.
        facts = [self._seed, self._players, *playouts.as_integer_ratio()]
        seed = int(np.random.SeedSequence(facts).generate_state(1, np.uint64)[0])
        entrants = [self._entrant, *[self._rung(playouts)] * (self._players - 1)]
        cost = relative_cost(playouts, self._players)

        def add_progress(decisions: int, games: int) -> None:
            self._decisions += cost * decisions
            self._add_progress(decisions, games)

        seats: SeatPlan
        play_into: Callable[..., int]  # of a table, a progress callback and workers
        if self._results is None:
            series = DealSeries(entrants, self._game, seed=seed, options=self._options)
            seats = series.seats
            play_into = series.play_into
        else:
            recording = Recording(
                entrants, self._game, seed=seed, options=self._options, lineup_class=Lineup
            )
            seats = recording.seats
            play_into = partial(recording.play_into, self._results)

        def play(table: DealTable) -> int:
            played: int = play_into(table, increments(add_progress), self._workers)
            return played

        return _RungGames(playouts, seats, play)

    def _rung(self, playouts: float) -> Entrant:
        """Return the agent that plays as a rung.

        Seats of one name share a result, so the rung has a name of its own. Where games are kept, a
        digest tells it from the agent. If the agent plays exactly like the rung, they share a name.
        """
        contract = registry.game(self._game)
        agent: Any = make(reference(playouts), contract)
        name = f"{self._entrant.name} met {playouts} playouts"
        if self._results is not None:
            own = agent_digest(self._entrant.given, self._entrant.agent, contract)
            is_rung = agent_digest(agent, agent, contract) == own
            name = self._entrant.name if is_rung else reference(playouts)
        # All rungs describe themselves, so they need no name to be rebuilt elsewhere.
        return Entrant(name, agent=agent, given=agent)


class _RungGames:
    """The games against copies of one rung, which are played a few deals at a time.

    Args:
        playouts: The rung's playouts.
        seats: The seats in every game.
        play: Plays the games of a table's deals, and returns how many of them were played now.
    """

    def __init__(self, playouts: float, seats: SeatPlan, play: Callable[[DealTable], int]) -> None:
        self._playouts = playouts
        self._seats = seats
        self._play = play
        self._begun = 0  # deals
        self._shares: list[float] = []  # the agent's mean share of the victory, by complete deal

    def play(self, deals: int) -> int:
        """Play the next deals, as `RungGames.play` asks."""
        numbers = range(self._begun, self._begun + deals)
        self._begun += deals
        table = DealTable(self._seats.places(numbers), numbers)
        try:
            return self._seats.deals_for(self._play(table))
        finally:
            played = table.complete()
            # The agent is the first entrant, hence number 0 in `seating`. If the others are its
            # copies, it has every seat, and a deal is a single game.
            is_own = played.seating == 0
            if self._seats.games_per_deal == 1:
                is_own[:] = True
            won = (victory_shares(played.winners) * is_own).sum(axis=2) / is_own.sum(axis=2)
            self._shares.extend(won.mean(axis=1).tolist())

    def result(self) -> RungResult | None:
        """Return the result of all complete deals, as `RungGames.result` asks."""
        count = len(self._shares)
        if not count:
            return None
        games = count * self._seats.games_per_deal
        variance = float(np.var(self._shares, ddof=1)) if count > 1 else 0.0
        wins = float(np.mean(self._shares)) * games
        return RungResult(self._playouts, count, games, wins, variance)


def scale_digest(game: Game) -> str:
    """Return a digest of the scale of a game: of its version, its rungs and their network."""
    network: Any = make(reference(1), game)
    facts = " ".join([str(SCALE_VERSION), *map(reference, RUNGS), network.network.digest()])
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def reason_without_scale(game: Game) -> str | None:
    """Return why a game has no scale with its present box. Return None if it has one."""
    try:
        folder = bundled_checkpoint(game, version=1)
        card = read_card(folder)
        check_fits(card, game, folder)
    except ValueError as fault:  # no network is bundled, or it is for other actions
        return str(fault)
    return registry.box_mismatch(game.name, card.box_digest)


def table_sizes(game: Game, players: Sequence[int] | None) -> list[int]:
    """Return the numbers of seats to play at, each once. By default they are all from two on.

    Raises:
        ValueError: there is one seat, or the game has no such table.
    """
    fewest = max(game.min_seats, 2)
    if players is None:
        return list(range(fewest, game.max_seats + 1))
    tables = [game.check_players(seats) for seats in dict.fromkeys(players)]
    if not tables or 1 in tables:
        raise ValueError(
            f"players={short_repr(list(players))}: alone nobody wins; give {fewest} to "
            f"{game.max_seats} seats"
        )
    return tables


def placement_of(met: Mapping[float, RungResult], players: int) -> Placement:
    """Return the placement of an agent at a table where it has met one rung or more."""
    estimate = fit_place(met.values(), players)
    return Placement(
        players=players,
        playouts=playouts_at(estimate.place),
        low=playouts_at(estimate.low),
        high=playouts_at(estimate.high),
        games=sum(result.games for result in met.values()),
        rungs=tuple(met[rung] for rung in sorted(met)),
    )


def _format_playouts(playouts: float | None) -> str:
    if playouts is None:
        return f"above {RUNGS[-1]:,}"
    if playouts < 1:
        return f"{playouts:.2g}"
    return f"{playouts:.1f}" if playouts < 10 else f"{playouts:,.0f}"
