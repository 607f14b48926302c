"""Games between agents, played side by side. They yield rows of results, or final scores alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.making import Entrant
from shakespeare_agents.programs import Fault
from shakespeare_agents.travel import AgentSet
from shakespeare_agents.workers import Progress, ProgressCallback, Workers, cumulative
from shakespeare_arena.games.pace import Pace
from shakespeare_arena.games.referee import RefereedLineup
from shakespeare_arena.games.seating import RunSettings, Seating, SeatPlan, seat_plan
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.datasets.frames import RESULTS, frame, load_polars
from shakespeare_env.errors import AgentNote
from shakespeare_env.play.agent import Estimator, is_asynchronous
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup, OnStep, play_out
from shakespeare_env.version import version

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R")
Row = dict[str, Any]
"""A finished game, as a row of `RESULTS`."""

GAMES_AT_ONCE = 16_384  # the most games played together, to bound memory; changes no result
_MOST_IN_SHARD = 65_536  # the most games of a shard, to bound memory
_MOST_UNREPORTED = 128
"""The most games of a shard that yields results only at its end. An interruption loses them all."""
_DEALS_AT_A_TIME = 1024  # the deals whose seatings are worked out at a time, to bound memory
_LARGEST_REUSED = 31 * 2**20  # bytes; glibc learns from blocks of up to 32 MiB


@dataclass(frozen=True)
class GamesJob(Generic[R]):
    """The job of playing games under a run's settings, with the agents pickled separately.

    Attributes:
        agents: The agents, in the order of their digests.
        digests: The agents' digests.
        settings: The run's settings, whose `agents` the job fills in.
        play: The function that plays the games of a shard, such as `play_recorded`.
    """

    agents: AgentSet
    digests: tuple[str, ...]
    settings: RunSettings
    play: Callable[[Sequence[Seating], RunSettings], Iterator[Progress[R]]]

    def start(self) -> Callable[[Sequence[Seating]], Iterator[Progress[R]]]:
        """Make the agents, and return the function that plays a shard (see `Job.start`)."""
        agents = [entrant.agent for entrant in self.agents.entrants]
        by_digest = dict(zip(self.digests, agents, strict=True))
        settings = replace(self.settings, agents=by_digest)
        return lambda seatings: self.play(seatings, settings)


def shards_of(
    games: Iterable[Seating], count: int, workers: Workers, entrants: Iterable[Entrant] = ()
) -> Iterator[list[Seating]]:
    """Yield shards of games for some workers, at first large ones and at the end small ones.

    Workers that play side by side get every n-th game, so that games end about in their order. If
    an agent is asynchronous, all shards are large. It waits most of the time, so that many games
    take it about as long as one.

    Args:
        games: The games, which are taken as they are needed.
        count: The most games that there are.
        workers: The workers.
        entrants: The agents.
    """
    waits = any(is_asynchronous(entrant.agent) for entrant in entrants)
    source = iter(games)
    left = count
    while True:
        size = workers.size
        # Several workers share half of the games that are left, so that later shards are smaller.
        block = left if size == 1 or waits else max(math.ceil(left / 2), size)
        most = _MOST_UNREPORTED if workers.reports_at_the_end else _MOST_IN_SHARD
        taken = list(islice(source, min(block, size * most)))
        if not taken:
            return
        left = max(left - len(taken), 1)
        for first in range(min(size, len(taken))):
            yield taken[first::size]


class GameStream:
    """Games that are played at once, in the rows of a batch. Those that end make room for others.

    Each game's agents draw from a generator of that game. So a game depends on its seating, the
    seed and the agents, and not on the games played beside it.

    Args:
        seatings: The games, which begin in this order.
        settings: The run's settings.
        lineup_class: The class of the line-up.

    Attributes:
        batch: The games being played.
        lineup: Their line-up.
    """

    def __init__(
        self, seatings: Sequence[Seating], settings: RunSettings, lineup_class: type[Lineup]
    ) -> None:
        _reuse_freed_memory()
        most = min(len(seatings), GAMES_AT_ONCE)
        variants: dict[str, Any] = dict.fromkeys(settings.variants, True)
        players = [seating.match.players for seating in seatings[:most]]
        self.batch = Batch(settings.game, most, players=players, autoreset=False, **variants)
        digests = {digest for seating in seatings for digest in seating.match.lineup}
        self._index = {digest: number for number, digest in enumerate(sorted(digests))}
        self.lineup = lineup_class(
            [settings.agents[digest] for digest in self._index],
            np.full((most, self.batch.game.max_seats), NOBODY, np.int32),
            GameGenerators(np.zeros(most, np.uint64)),
            [settings.names[digest] for digest in self._index],
        )
        self._seatings = seatings
        self._seed = settings.seed
        self._begun = 0  # the number of games begun so far
        self._playing = np.zeros(0, np.int64)  # the rows of games in progress, increasing
        self._places = np.zeros(most, np.int64)  # the index of the game in each row
        self._pace = Pace(most)

    def seatings(self, rows: NDArray[np.int64]) -> list[Seating]:
        """Return the seatings of the games that are played in some rows, int64[m]."""
        return [self._seatings[place] for place in self._places[rows].tolist()]

    def steps(self, before_step: OnStep | None = None) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Play all games, a step at a time.

        Args:
            before_step: Called before every step (see `play_out`).

        Yields:
            The number of decisions of the step, and the rows of the games that have ended with it,
            int64[m], increasing. Their games give way to others once the iterator goes on.
        """
        while True:
            self._begin_games()
            playing = self._playing
            if not len(playing):
                return
            play_out(self.batch, self.lineup, playing, before_step=before_step, max_steps=1)
            self._pace.note(self.lineup.calls)
            is_left = self.lineup.to_move(self.batch, playing) == OUTSIDE  # forfeited
            is_over = is_left | (self.batch.to_move[playing] < 0)
            self._playing = playing[~is_over]
            yield len(playing), playing[is_over]

    def _begin_games(self) -> None:
        """Begin games in free rows, as many as the pace allows."""
        room = self._pace.games - len(self._playing)
        count = min(room, len(self._seatings) - self._begun)
        if count <= 0:
            return
        is_free = np.ones(self.batch.n, np.bool_)
        is_free[self._playing] = False
        rows = np.flatnonzero(is_free)[:count]
        self._places[rows] = np.arange(self._begun, self._begun + count)
        self._begun += count

        seatings = self.seatings(rows)
        matches = [seating.match for seating in seatings]
        players = np.array([match.players for match in matches])
        deals = np.array([match.deal for match in matches])
        self.batch.reset(self._seed, deals, rows, players)

        # All games of a seed are numbered, deal by deal and rotation by rotation.
        games_per_deal = np.array([len(match.rotations) for match in matches])
        rotations = np.array([seating.rotation for seating in seatings])
        numbers = deals * games_per_deal + rotations
        states = GameGenerators.of_games(self._seed, numbers).states
        seats = np.full((count, self.batch.game.max_seats), NOBODY, np.int32)
        for row, seating in enumerate(seatings):
            seats[row, : players[row]] = [self._index[digest] for digest in seating.digests]
        self.lineup.seat(rows, seats, states)
        self._playing = np.union1d(self._playing, rows)


def _reuse_freed_memory() -> None:
    """Let the process keep the memory that a step frees, for the next step.

    Every step copies observations and masks of some MB. By default, glibc returns such memory to
    the system and asks for it again, page by page, which takes longer than some agents think. Once
    a large block has been freed, glibc keeps freed memory of up to twice its size. The block
    itself is never touched and takes no memory. Other allocators ignore all this.
    """
    np.empty(_LARGEST_REUSED, np.uint8)


# ------------------------------------------------------------------------------- to final scores


class FinalScores(NamedTuple):
    """The outcomes of n games.

    Attributes:
        deals: int64[n], the games' deals.
        rotations: int64[n], their numbers among the games of a deal.
        scores: int16[n, S], final scores by seat.
        winners: bool[n, S], whether the seat won, alone or with others.
    """

    deals: NDArray[np.int64]
    rotations: NDArray[np.int64]
    scores: NDArray[np.int16]
    winners: NDArray[np.bool_]


class PlayedDeals(NamedTuple):
    """All games of some deals, by deal, game of the deal, and seat.

    Attributes:
        seating: int8[deals, G, P], the agents by seat, as indices of `DealSeries.names`.
        scores: int16[deals, G, P], final scores.
        winners: bool[deals, G, P], whether the seat won.
    """

    seating: NDArray[np.int8]
    scores: NDArray[np.int16]
    winners: NDArray[np.bool_]


class DealSeries:
    """A numbered series of deals, each played in the games of `SeatPlan`.

    The arguments are those of `evaluate`, with one entrant per seat.

    Attributes:
        names: The entrants' names.
        seats: The seats in every game of every deal.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        game: str,
        *,
        seed: int,
        options: Mapping[str, bool] | None = None,
    ) -> None:
        self.names = tuple(entrant.name for entrant in entrants)
        self.seats = seat_plan(entrants, seed)
        # No result is stored, so the identity of an agent's object serves as its digest.
        digests = tuple(str(id(entrant.agent)) for entrant in entrants)
        variants = tuple(name for name, is_on in (options or {}).items() if is_on)
        names = dict(zip(digests, self.names, strict=True))
        settings = RunSettings(game, variants, seed, agents={}, names=names)
        agents = AgentSet(registry.game(game), entrants)
        self._job = GamesJob(agents, digests, settings, play_to_scores)

    def play_into(
        self,
        table: DealTable,
        on_progress: ProgressCallback | None = None,
        workers: Workers | None = None,
    ) -> int:
        """Play all games of a table's deals, and return their number.

        An interruption leaves the finished games in the table. See `evaluate` for the arguments.
        """
        report = cumulative(on_progress)
        chosen_workers = workers or Workers()
        games = seatings_of(self.seats, table.deals, self._job.digests)
        count = len(table.deals) * self.seats.games_per_deal
        shards = shards_of(games, count, chosen_workers, self._job.agents.entrants)
        with closing(chosen_workers.run(self._job, shards)) as progress:
            for step in progress:
                if step.result is not None:
                    table.add(step.result)
                report(step.decisions, step.games)
        return count


class DealTable:
    """A table of the games of some deals, to be filled in as they end.

    Attributes:
        deals: The deals.
    """

    def __init__(self, seating: NDArray[np.int8], deals: range) -> None:
        self.deals = deals
        self._seating = seating
        self._scores = np.zeros(seating.shape, np.int16)
        self._winners = np.zeros(seating.shape, np.bool_)
        self._is_played = np.zeros(seating.shape[:2], np.bool_)

    @property
    def games(self) -> int:
        """The number of games that have been added."""
        return int(self._is_played.sum())

    def add(self, ended: FinalScores) -> None:
        """Add games that have ended."""
        at = ended.deals - self.deals.start, ended.rotations
        players = self._seating.shape[2]
        self._scores[at] = ended.scores[:, :players]
        self._winners[at] = ended.winners[:, :players]
        self._is_played[at] = True

    def complete(self) -> PlayedDeals:
        """Return the deals of which all games have been played."""
        is_complete = self._is_played.all(axis=1)
        if is_complete.all():
            return PlayedDeals(self._seating, self._scores, self._winners)
        return PlayedDeals(
            self._seating[is_complete], self._scores[is_complete], self._winners[is_complete]
        )


def seatings_of(seats: SeatPlan, deals: range, digests: Sequence[str]) -> Iterator[Seating]:
    """Yield all games of some deals, given the agents' digests."""
    for first in range(0, len(deals), _DEALS_AT_A_TIME):
        yield from seats.seatings(deals[first : first + _DEALS_AT_A_TIME], digests)


def play_to_scores(
    seatings: Sequence[Seating], settings: RunSettings
) -> Iterator[Progress[FinalScores]]:
    """Play games without a referee, and yield the outcomes of those that a step has ended."""
    games = GameStream(seatings, settings, Lineup)
    for decisions, ended in games.steps():
        outcomes = None
        if len(ended):
            over = games.seatings(ended)
            outcomes = FinalScores(
                deals=np.array([seating.match.deal for seating in over]),
                rotations=np.array([seating.rotation for seating in over]),
                scores=games.batch.final_scores[ended],
                winners=games.batch.final_winners[ended],
            )
        yield Progress(decisions, len(ended), outcomes)


# ------------------------------------------------------------------------------ to rows of results


def play_recorded(
    seatings: Sequence[Seating],
    settings: RunSettings,
    *,
    lineup_class: type[Lineup] = RefereedLineup,
    estimates: bool = False,
) -> Iterator[Progress[list[Row]]]:
    """Play games, and yield the rows of those that a step has ended.

    Args:
        seatings: The games.
        settings: What the games of the run share.
        lineup_class: `RefereedLineup`, under which an agent that fails loses its game, or `Lineup`,
            under which its error ends the run.
        estimates: Whether to record the estimates of agents that make some (see `Estimator`).
    """
    games = GameStream(seatings, settings, lineup_class)
    batch = games.batch
    lineup = games.lineup
    referee = lineup if isinstance(lineup, RefereedLineup) else None
    is_estimator = [estimates and isinstance(agent, Estimator) for agent in lineup.agents]
    estimators = np.flatnonzero(is_estimator).tolist()
    log = _DecisionLog(batch)

    def before_step(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        for call in lineup.calls:
            log.seconds[call.rows, batch.to_move[call.rows]] += call.seconds
        if referee is not None:
            # No agent chose the action of a game that has just been forfeited.
            is_chosen = ~referee.forfeited[rows]
            rows = rows[is_chosen]
            actions = actions[is_chosen]
        movers = lineup.to_move(batch, rows)
        values = np.full(len(rows), np.nan, np.float32)
        for index in estimators:
            is_mover = movers == index
            if is_mover.any():
                values[is_mover] = _estimate(lineup, index, batch.obs[rows[is_mover]])
        log.add(rows, actions, values)

    try:
        for decisions, ended in games.steps(before_step):
            over = []
            for row, seating in zip(ended.tolist(), games.seatings(ended), strict=True):
                seats = slice(seating.match.players)
                scores = batch.final_scores[row, seats].tolist()
                forfeit = None
                if referee is not None and row in referee.forfeits:
                    lost = referee.forfeits[row]
                    scores = lost.scores
                    forfeit = (lost.seat, lost.fault)
                made = slice(int(log.made[row]))
                over.append(
                    result_row(
                        seating,
                        settings,
                        scores=scores,
                        winners=batch.final_winners[row, seats],
                        forfeit=forfeit,
                        seconds=log.seconds[row, seats].tolist(),
                        decisions=log.decisions[row, seats].tolist(),
                        actions=log.actions[row, made].copy(),
                        values=log.values[row, made].copy() if estimates else None,
                    )
                )
            log.clear(ended)
            if referee is not None and len(ended):
                referee.end(ended)
            yield Progress(decisions, len(ended), over or None)
    finally:
        if referee is not None:
            referee.end(np.arange(batch.n))


class _DecisionLog:
    """The thinking times, decisions and estimates so far in n games in progress."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        by_seat = (batch.n, batch.game.max_seats)
        self.seconds = np.zeros(by_seat)  # of thinking
        self.decisions = np.zeros(by_seat, np.int32)
        self.made = np.zeros(batch.n, np.int64)  # decisions of all seats
        self.actions = np.zeros((batch.n, 64), np.int32)  # in the order in which they were made
        self.values = np.zeros((batch.n, 64), np.float32)  # the agents' estimates of them

    def add(
        self, rows: NDArray[np.int64], actions: NDArray[np.int64], values: NDArray[np.float32]
    ) -> None:
        """Add a decision of each of m games."""
        made = self.made[rows]
        if len(made) and made.max() == self.actions.shape[1]:  # full, so double the room
            self.actions = np.concatenate([self.actions, np.zeros_like(self.actions)], axis=1)
            self.values = np.concatenate([self.values, np.zeros_like(self.values)], axis=1)
        self.actions[rows, made] = actions
        self.values[rows, made] = values
        self.made[rows] += 1
        self.decisions[rows, self._batch.to_move[rows]] += 1

    def clear(self, rows: NDArray[np.int64]) -> None:
        """Forget games that are over."""
        self.made[rows] = 0
        self.seconds[rows] = 0.0
        self.decisions[rows] = 0


def results_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Return finished games as a frame, `RESULTS`."""
    results = frame(RESULTS, {name: [row[name] for row in rows] for name in RESULTS})
    nan_to_null = load_polars().element().fill_nan(None)
    return results.with_columns(load_polars().col("values").list.eval(nan_to_null))


def _estimate(lineup: Lineup, index: int, observations: NDArray[np.int8]) -> NDArray[np.float32]:
    """Ask an agent for its estimates of m decisions, float32[m]. If it fails, a note names it."""
    agent: Any = lineup.agents[index]
    try:
        values = np.asarray(agent.values(observations), np.float32)
        if values.shape != (len(observations),):
            raise ValueError(f"values of shape {values.shape}, not ({len(observations)},)")
    except Exception as fault:
        games = "1 game" if len(observations) == 1 else f"{len(observations)} games"
        note = f"The agent {lineup.name(index)} failed to estimate {games}."
        fault.add_note(AgentNote(note))
        raise
    return values


def result_row(
    seating: Seating,
    settings: RunSettings,
    scores: Sequence[int],
    winners: NDArray[np.bool_],
    forfeit: tuple[int, Fault | None] | None,
    **decision_columns: Any,
) -> Row:
    """Return a finished game as a row of `RESULTS`.

    Args:
        seating: The game.
        settings: The run's settings.
        scores: Scores by seat at the end, or when the game was forfeited.
        winners: bool[P], whether the seat won.
        forfeit: The seat that lost the game by a fault, if one did, and the fault, if it is known.
        decision_columns: The columns `seconds`, `decisions`, `actions` and `values`.
    """
    match = seating.match
    seat, fault = forfeit or (None, None)
    if seat is None:
        places = places_of(np.array([scores]), winners[None])[0].tolist()
    else:  # the seat at fault comes last, and the others share place 1
        places = [match.players if other == seat else 1 for other in range(match.players)]
    return {
        "key": settings.key(seating),
        "match": settings.match_key(match),
        "game": settings.game,
        "box_digest": registry.box_digest(settings.game),
        "package_version": version(),
        "variants": list(settings.variants),
        "players": match.players,
        "seed": settings.seed,
        "deal": match.deal,
        "rotation": seating.rotation,
        "agents": [settings.names[digest] for digest in seating.digests],
        "digests": seating.digests,
        "scores": scores,
        "places": places,
        "forfeited_by": seat,
        "fault": None if fault is None else fault.kind,
        "fault_details": None if fault is None else fault.details,
        **decision_columns,
    }


def places_of(scores: NDArray[Any], winners: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return finishing places by seat, int[m, P]: winners share place 1, others go by score.

    Equal scores share the best of their places, since the game's tie-breaks decide only who wins.

    Args:
        scores: int[m, P].
        winners: bool[m, P].
    """
    worth = np.where(winners, np.iinfo(np.int64).max, scores.astype(np.int64))
    # [m, P, P], whether the seat of the last axis is better than that of the middle axis.
    is_better = worth[:, None, :] > worth[:, :, None]
    better: NDArray[np.int64] = is_better.sum(axis=2)
    return better + 1
