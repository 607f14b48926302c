"""The learner's opponents: itself, its own snapshots, and other agents.

Opponents stay for a whole game: swapping one would spoil trajectories and win rates. Snapshots are
drawn by prioritised fictitious self-play (AlphaStar, Vinyals et al. 2019), with weight (1 - x)^2
for a recent win rate x of the learner.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents import make
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import Network, Tensors
from shakespeare_agents.storage import StoredTensors
from shakespeare_env.checks.values import short_repr
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.batch import Batch
from shakespeare_env.extras import requires_extra
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import GameGenerators, next_unit
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup
from shakespeare_training.config import CURRENT, PAST

with requires_extra("train", "training needs"):
    from threadpoolctl import ThreadpoolController

_DECAY = 0.99
"""The factor by which each game reduces the weight of earlier ones, because the learner changes."""

MOST_GAMES = 1.01 / (1.0 - _DECAY)
"""The largest possible weighted number of games, with a little added for rounding."""


@dataclass(eq=False)
class Opponent:
    """An agent the learner plays against, and the learner's results against it.

    Attributes:
        name: The name of an agent or its folder, or a snapshot's age in decisions.
        agent: The agent that plays.
        tensors: A snapshot's weights; None for other agents.
        games: Weighted number of games against it; older ones count less.
        wins: The learner's wins, weighted likewise; a tie is half a win.
        retired: Whether it is no longer drawn and only finishes its games.
        stored: The file of a snapshot's weights, once they are saved.
    """

    name: str
    agent: AnyAgent
    tensors: Tensors | None = None
    games: float = 0.0
    wins: float = 0.0
    retired: bool = False
    stored: StoredTensors | None = None

    @property
    def win_rate(self) -> float:
        """The learner's win rate, 0 to 1, with one win and one loss added; 0.5 is parity."""
        return (self.wins + 1.0) / (self.games + 2.0)

    @property
    def weight(self) -> float:
        """The weight with which prioritised fictitious self-play draws the opponent."""
        return (1.0 - self.win_rate) ** 2


class FinishedGames(NamedTuple):
    """m games that have just ended.

    Attributes:
        seats: int32[m, S], who had which seat (`Lineup`).
        scores: int16[m, S], final scores.
    """

    seats: NDArray[np.int32]
    scores: NDArray[np.int16]


def restore_generator(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Put a generator into a saved state.

    Raises:
        ValueError, TypeError: it is no state of this kind of generator.
    """
    rng.bit_generator.state = state
    if rng.bit_generator.state != state:
        raise ValueError(f"{short_repr(state)} is not a state of a random generator")


@rule
def seat_players(
    game: int, states: Any, weights: Any, by_kind: Any, players: Any, seats: Any
) -> None:
    """Draw the kind of a new game and the learner's seat, and seat the opponent elsewhere."""
    total = 0.0
    for weight in weights:
        total += weight
    left = next_unit(states, game) * total
    kind = 0
    for place in range(len(weights)):
        if weights[place] > 0:
            kind = place
            left -= weights[place]
            if left < 0:
                break
    own = int(next_unit(states, game) * players[game])
    opponent = by_kind[kind] if players[game] > 1 else OUTSIDE
    for seat in range(seats.shape[1]):
        seats[game, seat] = OUTSIDE if seat == own else opponent
        if seat >= players[game]:
            seats[game, seat] = NOBODY


@kernel("training", purpose="seats")
def _seat_all(rows: Any, states: Any, weights: Any, by_kind: Any, players: Any, seats: Any) -> None:
    for game in rows:
        seat_players(game, states, weights, by_kind, players, seats)


class _BlasLimit:
    """A limit of one thread for NumPy's matrix products, shared by all threads that ask for it.

    The number belongs to the whole process: if each thread restored what it had found, the limit of
    another one could stay for good.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._limit: Any = None

    @contextmanager
    def held(self, libraries: ThreadpoolController) -> Iterator[None]:
        """Keep the limit for the length of the block."""
        with self._lock:
            if not self._holders:
                self._limit = libraries.limit(limits=1, user_api="blas")
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._limit.restore_original_limits()


one_blas_thread = _BlasLimit().held
"""Keeps NumPy to one thread for the length of a block."""


class League:
    """The opponents of one learner, and who has which seat in the games of a batch.

    Args:
        opponents: Weights of kinds of games by name: `current`, `past`, or an agent's name or
            folder.
        batch: The games.
        max_snapshots: Snapshots that may be drawn.
        seed: Decides every draw.

    Attributes:
        opponents: The named agents, then the snapshots, oldest first.
        lineup: Who has which seat; the learner is `OUTSIDE`, others are indices of `opponents`.
        weights: float64[k], how often each kind of game is played: self-play, against the active
            snapshot, and against each named agent.
        active: The snapshot that plays in new games, if any.
        finished: The number of games finished so far.
        rng: Generator that draws the active snapshot; each game's own draws everything else.
    """

    def __init__(
        self, opponents: Mapping[str, float], batch: Batch, *, max_snapshots: int, seed: int
    ) -> None:
        self.batch = batch
        self.max_snapshots = max_snapshots
        self.finished = 0
        self.rng = np.random.default_rng([seed, 1])
        self.active: Opponent | None = None
        self._active_until = 0
        named = [name for name in opponents if name not in (CURRENT, PAST)]
        self.opponents = [Opponent(name, make(name, batch.game)) for name in named]
        self.weights = np.array([opponents.get(name, 0.0) for name in (CURRENT, PAST, *named)])
        self._every_row = np.arange(batch.n)
        seats = np.full((batch.n, batch.game.max_seats), NOBODY, np.int32)
        generators = GameGenerators.of_games(seed, self._every_row)
        self.lineup = Lineup([], seats, generators)
        self._set_agents()
        self._blas = ThreadpoolController()
        self.assign_seats(self._every_row)

    @property
    def snapshots(self) -> list[Opponent]:
        """The snapshots, retired ones included, oldest first."""
        return [opponent for opponent in self.opponents if opponent.tensors is not None]

    @property
    def named(self) -> list[Opponent]:
        """The opponents that are not snapshots."""
        return [opponent for opponent in self.opponents if opponent.tensors is None]

    @property
    def pool(self) -> list[Opponent]:
        """The snapshots that may be drawn, oldest first."""
        return [opponent for opponent in self.snapshots if not opponent.retired]

    def assign_seats(self, rows: NDArray[np.int64]) -> None:
        """Seat the learner and its opponents in games that have just begun, int64[m]."""
        lineup = self.lineup
        lineup.generators[rows].forget()
        _seat_all(
            rows,
            lineup.generators.states,
            self.weights,
            self.opponents_by_kind(),
            self.batch.players,
            lineup.seats,
        )

    def opponents_by_kind(self) -> NDArray[np.int32]:
        """Return the opponent in each kind of game, int32[k], in the order of `weights`.

        Call it once for the games that begin together: it may draw another active snapshot.
        """
        return np.array([OUTSIDE, self._active_index(), *range(len(self.named))], np.int32)

    def _active_index(self) -> int:
        """Return the index of the active snapshot; the learner itself if there is none.

        A snapshot is drawn anew once as many games have finished as are played in parallel. Only
        one is active, because reading many networks' weights in every step would take longer than
        all else.
        """
        pool = self.pool
        if pool and (self.active is None or self.finished >= self._active_until):
            weights = np.array([snapshot.weight for snapshot in pool])
            self.active = pool[int(self.rng.choice(len(pool), p=weights / weights.sum()))]
            self._active_until = self.finished + self.batch.n
        return OUTSIDE if self.active is None else self.opponents.index(self.active)

    def learner_to_move(self) -> NDArray[np.bool_]:
        """Return whether the learner is to move in each game, bool[n]."""
        own: NDArray[np.bool_] = self.lineup.to_move(self.batch, self._every_row) == OUTSIDE
        return own

    def decide(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the opponents' actions, int64[m], in games where one is to move, int64[m]."""
        # Networks here wake no BLAS thread, but users' own agents may multiply with NumPy, whose
        # second thread would spin on a core that PyTorch needs.
        with one_blas_thread(self._blas):
            return self.lineup.decide(self.batch, rows)

    def finished_games(self, rows: NDArray[np.int64]) -> FinishedGames:
        """Return the seats and scores of games of the batch that have just ended, int64[m]."""
        return FinishedGames(self.lineup.seats[rows], self.batch.final_scores[rows])

    def record_results(self, finished: FinishedGames) -> None:
        """Add finished games to the results against their opponents."""
        self.finished += len(finished.seats)
        met = np.where(finished.seats >= 0, finished.seats, OUTSIDE).max(axis=1)
        for index in np.unique(met[met >= 0]).tolist():
            seats = finished.seats[met == index]
            scores = finished.scores[met == index]
            is_opponent = seats == index
            is_learner = seats == OUTSIDE

            own = (scores * is_learner).sum(axis=1) / is_learner.sum(axis=1)
            is_tie = own[:, None] == scores
            wins = ((own[:, None] > scores) + 0.5 * is_tie) * is_opponent
            share = wins.sum(axis=1) / is_opponent.sum(axis=1)

            weights = _DECAY ** np.arange(len(seats))[::-1]
            faded = _DECAY ** len(seats)
            opponent = self.opponents[index]
            opponent.games = opponent.games * faded + float(weights.sum())
            opponent.wins = opponent.wins * faded + float((weights * share).sum())

    def add_snapshot(self, name: str, tensors: Tensors) -> None:
        """Add the current learner, named by its decisions, to the pool of snapshots."""
        self.opponents.append(self._snapshot(name, tensors))
        *tried, _newest = self.pool  # the newest stays, because nothing is known of it yet
        if len(tried) >= self.max_snapshots:
            easiest = min(tried, key=lambda snapshot: snapshot.weight)
            easiest.retired = True
            if easiest is self.active:
                self.active = None
        # Forget retired snapshots whose games are over.
        seats = self.lineup.seats
        kept = [i for i, o in enumerate(self.opponents) if not o.retired or (seats == i).any()]
        new_index = np.zeros(len(self.opponents), seats.dtype)
        new_index[kept] = np.arange(len(kept))
        seats[seats >= 0] = new_index[seats[seats >= 0]]
        self.opponents = [self.opponents[index] for index in kept]
        self._set_agents()

    def _snapshot(self, name: str, tensors: Tensors) -> Opponent:
        network = Network(tensors, self.batch.game.layout)
        return Opponent(name, NetworkAgent(network, greedy=False), tensors)

    def _set_agents(self) -> None:
        self.lineup.agents = [opponent.agent for opponent in self.opponents]
        self.lineup.names = [opponent.name for opponent in self.opponents]

    def win_rates(self) -> dict[str, float]:
        """Return the learner's win rate against each opponent met; the pool counts as one."""
        groups = {opponent.name: [opponent] for opponent in self.named} | {PAST: self.pool}
        games = {name: sum(it.games for it in group) for name, group in groups.items()}
        met = {name: group for name, group in groups.items() if games[name]}
        return {name: sum(it.wins for it in met[name]) / games[name] for name in met}

    def to_json(self) -> dict[str, Any]:
        """Return everything but arrays, for `restore`."""
        opponents = [
            {"name": it.name, "games": it.games, "wins": it.wins, "retired": it.retired}
            for it in self.opponents
        ]
        return {
            "opponents": opponents,
            "active": None if self.active is None else self.opponents.index(self.active),
            "active_until": self._active_until,
            "finished": self.finished,
            "rng": self.rng.bit_generator.state,
        }

    def restore(
        self,
        data: Mapping[str, Any],
        snapshots: Sequence[Tensors],
        seats: NDArray[np.int32],
        generators: NDArray[np.uint64],
    ) -> None:
        """Take over the state of a league of the same named opponents.

        Args:
            data: The result of its `to_json`.
            snapshots: The weights of its `snapshots`.
            seats: int32[n, S], the seats of its `lineup`.
            generators: uint64[n], the states of generators in its `lineup`.

        Raises:
            LookupError, TypeError, ValueError: no such league can have been.
        """
        self.opponents = self.named + [self._snapshot("", tensors) for tensors in snapshots]
        for opponent, entry in zip(self.opponents, data["opponents"], strict=True):
            if opponent.tensors is not None and entry["name"].isdecimal():
                opponent.name = entry["name"]
            if opponent.name != entry["name"]:
                raise ValueError(f"{short_repr(entry['name'])} is not an opponent of this league")
            opponent.games = float(entry["games"])
            opponent.wins = float(entry["wins"])
            if opponent.wins > opponent.games:
                raise ValueError(f"more games against {opponent.name} were won than played")
            opponent.retired = bool(entry["retired"])
        self.active = None if data["active"] is None else self.opponents[data["active"]]
        if self.active is not None and self.active.tensors is None:
            raise ValueError(f"{self.active.name} is active but not a snapshot")
        self._active_until = int(data["active_until"])
        self.finished = int(data["finished"])
        restore_generator(self.rng, data["rng"])
        self._set_agents()
        self.lineup.seats[:] = seats
        self.lineup.generators.states[:] = generators
