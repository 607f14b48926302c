"""Games between agents, played side by side in the rows of a batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.making import Entrant
from shakespeare_agents.travel import AgentSet
from shakespeare_agents.workers import Progress, Workers
from shakespeare_arena.games.pace import Pace
from shakespeare_arena.games.seating import RunSettings, Seating
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import is_asynchronous
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup, OnStep, play_out

R = TypeVar("R")
GAMES_AT_ONCE = 16_384  # the most games played together, to bound memory; changes no result
_MOST_IN_SHARD = 65_536  # the most games of a shard, to bound memory
_MOST_UNREPORTED = 128
"""The most games of a shard that yields results only at its end. An interruption loses them all."""
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
