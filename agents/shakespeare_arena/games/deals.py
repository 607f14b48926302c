"""A series of deals, each played with balanced seats, and the final scores of its games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.making import Entrant
from shakespeare_agents.travel import AgentSet
from shakespeare_agents.workers import Progress, ProgressCallback, Workers, cumulative
from shakespeare_arena.games.playing import GamesJob, GameStream, shards_of
from shakespeare_arena.games.seating import RunSettings, Seating, SeatPlan, seat_plan
from shakespeare_env.core import registry
from shakespeare_env.play.lineup import Lineup

_DEALS_AT_A_TIME = 1024  # the deals whose seatings are worked out at a time, to bound memory


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
