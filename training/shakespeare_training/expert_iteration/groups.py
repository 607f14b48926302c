"""Groups of games, which workers play, some ahead of learning, and the learner takes in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from shakespeare_agents.networks.network import Tensors
from shakespeare_agents.storage import StoredTensors
from shakespeare_agents.workers import Shared, Workers
from shakespeare_training.expert_iteration.playing import Part, Played, SearchedGames
from shakespeare_training.league import League

_GAMES_A_PART = 8
"""Games that one worker plays together, whatever the number of workers, since users' agents may
round differently in other batches."""


@dataclass(eq=False)
class Order:
    """A group that is to be played.

    Attributes:
        tensors: The weights that play it.
        is_searched: Whether they search rather than play by their policy alone.
        stored: The file of the weights.
    """

    tensors: Tensors
    is_searched: bool
    stored: StoredTensors | None = None


class Groups:
    """Groups that workers play.

    Args:
        workers: The workers that play.
        job: The job that the groups share.
    """

    def __init__(self, workers: Workers, job: SearchedGames) -> None:
        self._workers = workers
        self._waiting: deque[Part] = deque()
        self._results = workers.run(job, _Queue(self._waiting), self._tell)
        self._parts: dict[int, int] = {}
        self._arrived: dict[int, list[Played]] = {}
        self._shared: dict[int, list[Shared]] = {}
        self._under_way = 0
        self._follow: Callable[[], None] = lambda: None

    def give(self, group: int, order: Order, league: League, rows: NDArray[np.int64]) -> None:
        """Have a group played: the league's games int64[n], which must just have begun."""
        shared = self._shared[group] = [self._share(order.tensors)]
        batch, lineup = league.batch, league.lineup
        opponents: dict[int, int | tuple[str, Shared]] = {}
        for place in np.unique(lineup.seats[rows][lineup.seats[rows] >= 0]).tolist():
            one = league.opponents[place]
            if one.tensors is None:
                opponents[place] = place
            else:
                shared.append(self._share(one.tensors))
                opponents[place] = one.name, shared[-1]
        parts = np.split(np.arange(len(rows)), range(_GAMES_A_PART, len(rows), _GAMES_A_PART))
        for part in parts:
            some = rows[part]
            seats = lineup.seats[some]
            met = np.unique(seats[seats >= 0])
            self._waiting.append(
                Part(
                    group,
                    part,
                    batch.save(some),
                    lineup.generators.states[some],
                    np.where(seats >= 0, np.searchsorted(met, seats), seats).astype(np.int32),
                    tuple(opponents[place] for place in met.tolist()),
                    shared[0],
                    order.is_searched,
                )
            )
        self._parts[group] = len(parts)
        self._arrived[group] = []

    def take(self, group: int, follow: Callable[[int], None]) -> Iterator[Played]:
        """The parts of a group, as they come; those of later groups wait.

        `follow` is called now and then with the result of `made`.
        """
        self._follow = lambda: follow(self.made(group))
        arrived = self._arrived[group]
        taken = 0
        while True:
            yield from arrived[taken:]
            taken = len(arrived)
            if taken == self._parts[group]:
                break
            _, played = next(self._results)
            self._under_way -= len(played.decisions.rows)
            self._arrived[played.group].append(played)
        del self._parts[group], self._arrived[group]
        for shared in self._shared.pop(group):
            self._workers.release(shared)

    def made(self, group: int) -> int:
        """The learner's known decisions in a group so far."""
        return self._under_way + sum(len(part.decisions.rows) for part in self._arrived[group])

    def _tell(self, decisions: int, _games: int) -> None:
        # They belong to the part that arrives next, or that this process is playing.
        self._under_way += decisions
        self._follow()

    def close(self) -> None:
        """Drop groups that are not played."""
        self._results.close()
        for group in self._shared.values():
            for shared in group:
                self._workers.release(shared)
        self._shared.clear()

    def _share(self, tensors: Tensors) -> Shared:
        return self._workers.share(safetensors.numpy.save(dict(tensors)))


class _Queue(Iterator[Part]):
    """Takes parts from the left and goes on when more are added."""

    def __init__(self, waiting: deque[Part]) -> None:
        self._waiting = waiting

    def __next__(self) -> Part:
        if not self._waiting:
            raise StopIteration
        return self._waiting.popleft()
