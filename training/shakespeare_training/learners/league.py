"""The learner's opponents: itself, its own snapshots, and other agents.

Opponents stay for a whole game, because swapping one would spoil trajectories and win rates.
Snapshots are drawn by prioritised fictitious self-play (AlphaStar, Vinyals et al. 2019), with
weight (1 - x)^2, where x is the learner's recent win rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.making import make
from shakespeare_agents.naming import AgentSpec
from shakespeare_agents.networks.network import Tensors
from shakespeare_agents.networks.threads import one_thread
from shakespeare_agents.storage import StoredTensors
from shakespeare_env.checks.values import short_repr
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import AgentLike, AnyAgent
from shakespeare_env.play.generators import GameGenerators, next_unit
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup
from shakespeare_training.config import CURRENT, PAST
from shakespeare_training.group import ALONE, ProcessGroup

_DECAY = 0.99
"""The factor by which each game reduces the weight of earlier ones, because the learner changes."""

MOST_GAMES = 1.01 / (1.0 - _DECAY)
"""The limit of the weighted number of games against an opponent, with a margin for rounding."""

OpponentResults = list[tuple[int, NDArray[np.float64]]]
"""Results of finished games: an opponent's index in the league, and the learner's wins, float64[m],
in m games against it."""


@dataclass(eq=False)
class Opponent:
    """An agent that the learner plays against, and the learner's results in these games.

    Attributes:
        name: The agent's name, or the number of decisions before a snapshot was taken.
        agent: The agent that plays.
        tensors: A snapshot's weights; None for other agents.
        games: Weighted number of games; older games count less.
        wins: Weighted number of the learner's wins; a tie is half a win.
        retired: Whether the opponent is no longer drawn and only finishes its games.
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
    def given(self) -> AgentLike:
        """The agent's name, or the agent itself if it is a snapshot, for `AgentSet`."""
        return self.name if self.tensors is None else self.agent

    @property
    def win_rate(self) -> float:
        """The learner's win rate, 0 to 1, with one win and one loss added; 0.5 is parity."""
        return (self.wins + 1.0) / (self.games + 2.0)

    def add_results(self, wins: NDArray[np.float64]) -> None:
        """Add games that ended together, float64[m]: 1 is a win of the learner, 0.5 a tie."""
        weights = _DECAY ** np.arange(len(wins))[::-1]
        decay = _DECAY ** len(wins)
        self.games = self.games * decay + float(weights.sum())
        self.wins = self.wins * decay + float((weights * wins).sum())

    @property
    def weight(self) -> float:
        """The weight with which prioritised fictitious self-play draws the opponent."""
        return (1.0 - self.win_rate) ** 2


class FinishedGames(NamedTuple):
    """m games that have just ended.

    Attributes:
        seats: int32[m, S], the players at the seats, as in `Lineup.seats`.
        scores: int16[m, S], final scores.
    """

    seats: NDArray[np.int32]
    scores: NDArray[np.int16]


def restore_generator(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Put a generator into a saved state.

    Raises:
        ValueError, TypeError: the state is not one of this kind of generator.
    """
    rng.bit_generator.state = state
    if rng.bit_generator.state != state:
        raise ValueError(f"{short_repr(state)} is not a state of a random generator")


@rule
def seat_players(
    game: int, states: Any, weights: Any, by_kind: Any, players: Any, seats: Any
) -> None:
    """Draw the kind of a new game and the learner's seat, and give the opponent all other seats.

    `by_kind` holds the opponent in each kind of game. The learner is written as `OUTSIDE`. A kind
    with a weight of 0 is never drawn, whatever the rounding.
    """
    total = 0.0
    for weight in weights:
        total += weight
    remaining = next_unit(states, game) * total
    kind = 0
    for candidate in range(len(weights)):
        if weights[candidate] > 0:
            kind = candidate
            remaining -= weights[candidate]
            if remaining < 0:
                break
    learner_seat = int(next_unit(states, game) * players[game])
    opponent = by_kind[kind] if players[game] > 1 else OUTSIDE
    for seat in range(seats.shape[1]):
        seats[game, seat] = OUTSIDE if seat == learner_seat else opponent
        if seat >= players[game]:
            seats[game, seat] = NOBODY


@kernel("training", purpose="seats")
def _seat_all(rows: Any, states: Any, weights: Any, by_kind: Any, players: Any, seats: Any) -> None:
    for game in rows:
        seat_players(game, states, weights, by_kind, players, seats)


class League:
    """The opponents of one learner, and the players at the seats of a batch of games.

    Args:
        opponents: The weight of each kind of game. Its key says whom the learner plays: `current`
            is itself, `past` is a snapshot, and any other key is an agent's name.
        batch: The games.
        max_snapshots: The most snapshots that may be drawn.
        seed: Decides every draw.
        numbers: int64[n], the numbers of the games among those of all processes.
        rank: The number of this process.

    Attributes:
        opponents: The named agents, then the snapshots, oldest first.
        specs: The parsed names of the named agents.
        lineup: The players at the seats: `OUTSIDE` is the learner, others are indices of
            `opponents`.
        weights: float64[k], how often each kind of game is played: self-play, against the active
            snapshot, and against each named agent.
        active: The snapshot that plays in new games, if any.
        finished: The number of games finished so far.
        own_results: The results of this process's games that other processes do not know yet.
        rng: Generator that draws the active snapshot; each game's generator draws the rest.
    """

    def __init__(
        self,
        opponents: Mapping[str, float],
        batch: Batch,
        *,
        max_snapshots: int,
        seed: int,
        numbers: NDArray[np.int64] | None = None,
        rank: int = 0,
    ) -> None:
        self.batch = batch
        self.max_snapshots = max_snapshots
        self.finished = 0
        # Process 0 draws as if it were alone, because zeros at the end do not change a seed.
        self.rng = np.random.default_rng([seed, 1, rank])
        self.active: Opponent | None = None
        self._active_until = 0
        named = [name for name in opponents if name not in (CURRENT, PAST)]
        self.specs = {name: AgentSpec.parse(name) for name in named}
        self.opponents = [
            Opponent(name, make(spec, batch.game)) for name, spec in self.specs.items()
        ]
        self.weights = np.array([opponents.get(name, 0.0) for name in (CURRENT, PAST, *named)])
        self._all_rows = np.arange(batch.n)
        seats = np.full((batch.n, batch.game.max_seats), NOBODY, np.int32)
        numbers = self._all_rows if numbers is None else numbers
        generators = GameGenerators.of_games(seed, numbers)
        self.lineup = Lineup([], seats, generators)
        self._set_agents()
        self.own_results: OpponentResults = []
        self._shared = [(0.0, 0.0)] * len(self.opponents)
        self.assign_seats(self._all_rows)

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
        # The generators also keep what agents remember of the games that have ended.
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

        Call it once for games that begin together, because it may draw another active snapshot.
        """
        return np.array([OUTSIDE, self._active_index(), *range(len(self.named))], np.int32)

    def _active_index(self) -> int:
        """Return the index of the active snapshot; the learner itself if there is none.

        Another snapshot is drawn once as many games have finished as are played in parallel. Only
        one is active at a time, because reading the weights of many networks in every step would
        take longer than everything else.
        """
        pool = self.pool
        if pool and (self.active is None or self.finished >= self._active_until):
            weights = np.array([snapshot.weight for snapshot in pool])
            self.active = pool[int(self.rng.choice(len(pool), p=weights / weights.sum()))]
            self._active_until = self.finished + self.batch.n
        return OUTSIDE if self.active is None else self.opponents.index(self.active)

    def learner_to_move(self) -> NDArray[np.bool_]:
        """Return whether the learner is to move in each game, bool[n]."""
        movers = self.lineup.to_move(self.batch, self._all_rows)
        is_learner: NDArray[np.bool_] = movers == OUTSIDE
        return is_learner

    def decide(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the opponents' actions, int64[m], in games in which they are to move, int64[m]."""
        # The project's networks use no BLAS threads, but users' agents may multiply with NumPy,
        # whose second thread would spin on a core that PyTorch needs.
        with one_thread():
            return self.lineup.decide(self.batch, rows)

    def finished_games(self, rows: NDArray[np.int64]) -> FinishedGames:
        """Return the seats and scores of games of the batch that have just ended, int64[m]."""
        return FinishedGames(self.lineup.seats[rows], self.batch.final_scores[rows])

    def record_results(self, finished: FinishedGames) -> None:
        """Add finished games to the results against their opponents."""
        self.finished += len(finished.seats)
        # The learner sits in every game, and OUTSIDE is below every opponent's index.
        opponent_indices = finished.seats.max(axis=1)
        for index in np.unique(opponent_indices[opponent_indices != OUTSIDE]).tolist():
            seats = finished.seats[opponent_indices == index]
            scores = finished.scores[opponent_indices == index]
            is_opponent = seats == index
            is_learner = seats == OUTSIDE

            own_scores = (scores * is_learner).sum(axis=1, keepdims=True)
            own_scores = own_scores / is_learner.sum(axis=1, keepdims=True)
            points = np.where(own_scores > scores, 1.0, np.where(own_scores == scores, 0.5, 0.0))
            wins = (points * is_opponent).sum(axis=1) / is_opponent.sum(axis=1)
            self.opponents[index].add_results(wins)
            self.own_results.append((index, wins))

    def take_results(self, results_by_rank: Iterable[OpponentResults]) -> None:
        """Take over the results of all processes since the last call, in place of its own.

        Afterwards the learner's win rates are equal in all processes.

        Args:
            results_by_rank: The `own_results` of every process, by rank.
        """
        for opponent, (games, wins) in zip(self.opponents, self._shared, strict=True):
            opponent.games = games
            opponent.wins = wins
        for results in results_by_rank:
            for index, own_wins in results:
                self.opponents[index].add_results(own_wins)
        self._begin_sharing()

    def _begin_sharing(self) -> None:
        self.own_results = []
        self._shared = [(opponent.games, opponent.wins) for opponent in self.opponents]

    def add_snapshot(
        self, name: str, agent: AnyAgent, tensors: Tensors, group: ProcessGroup = ALONE
    ) -> None:
        """Add a snapshot of the learner to the pool, and retire one if there are too many.

        Args:
            name: The number of decisions that the learner has made.
            agent: An agent that plays as the learner does now, and goes on to do so.
            tensors: The learner's weights.
            group: The processes whose leagues add it together. A retired snapshot stays until its
                games are over in all of them, so that the opponents' indices are equal in all.
        """
        self.opponents.append(Opponent(name, agent, tensors))
        older = self.pool[:-1]  # the newest stays, because it has not played yet
        if len(older) >= self.max_snapshots:
            easiest = min(older, key=lambda snapshot: snapshot.weight)
            easiest.retired = True
            if easiest is self.active:
                self.active = None
        self._forget_retired_snapshots(group)
        self._begin_sharing()

    def _forget_retired_snapshots(self, group: ProcessGroup) -> None:
        """Remove the retired snapshots whose games are over, and renumber the seats."""
        seats = self.lineup.seats
        playing = group.union(np.unique(seats).tolist())
        kept = [
            index
            for index, opponent in enumerate(self.opponents)
            if not opponent.retired or index in playing
        ]
        new_index = np.zeros(len(self.opponents), seats.dtype)
        new_index[kept] = np.arange(len(kept))
        is_opponent = seats >= 0
        seats[is_opponent] = new_index[seats[is_opponent]]
        self.opponents = [self.opponents[index] for index in kept]
        self._set_agents()

    def _set_agents(self) -> None:
        self.lineup.agents = [opponent.agent for opponent in self.opponents]
        self.lineup.names = [opponent.name for opponent in self.opponents]
        self.batch.keep_history(self.lineup.history_length)

    def win_rates(self) -> dict[str, float]:
        """Return the learner's win rate against each opponent met; the pool counts as one."""
        groups = {opponent.name: [opponent] for opponent in self.named} | {PAST: self.pool}
        rates = {}
        for name, group in groups.items():
            games = sum(opponent.games for opponent in group)
            if games:
                rates[name] = sum(opponent.wins for opponent in group) / games
        return rates

    def to_json(self) -> dict[str, Any]:
        """Return the state of the league without its arrays, for `restore`."""
        opponents = [
            {
                "name": opponent.name,
                "games": opponent.games,
                "wins": opponent.wins,
                "retired": opponent.retired,
            }
            for opponent in self.opponents
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
        snapshots: Sequence[tuple[AnyAgent, Tensors]],
        seats: NDArray[np.int32],
        generators: NDArray[np.uint64],
    ) -> None:
        """Take over the state of another league with the same named opponents.

        Args:
            data: The other league's `to_json`.
            snapshots: The agents and the weights of its snapshots.
            seats: int32[n, S], the seats of its line-up.
            generators: uint64[n], the states of the generators of its line-up.

        Raises:
            LookupError, TypeError, ValueError: no league can be in this state.
        """
        restored = [Opponent("", agent, tensors) for agent, tensors in snapshots]
        self.opponents = self.named + restored
        for opponent, entry in zip(self.opponents, data["opponents"], strict=True):
            # Restored snapshots have no name yet. A snapshot's name is a number of decisions.
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
        self._begin_sharing()
        self.lineup.seats[:] = seats
        self.lineup.generators.states[:] = generators
