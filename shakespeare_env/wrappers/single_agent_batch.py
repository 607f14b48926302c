"""Games in which one seat is played from outside and agents play the others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shakespeare_agents
from shakespeare_agents import AnyAgent, Player
from shakespeare_env import registry
from shakespeare_env.batch import Batch
from shakespeare_env.batch_checks import Integers, as_actions, checked_rows
from shakespeare_env.errors import IllegalMove
from shakespeare_env.rewards import ILLEGAL_REWARD
from shakespeare_env.rng import fresh_seed

Opponents = Player | Sequence[Player] | Mapping[Player, float]
"""One player for all seats, one for each, or a pool to draw from."""

_LEARNER = -1


@dataclass(frozen=True)
class Step:
    """What a step brought to the learner's seat.

    Attributes:
        rewards: float32[n], what the seat received since its last decision.
        ended: bool[n], which games are over.
        illegal: bool[n], which of them because the action was not legal.
    """

    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]
    illegal: NDArray[np.bool_]


class SingleAgentBatch:
    """N games, each shown only when the learner's seat is to decide.

    Between two decisions of the learner the other seats are played by agents, all games together:
    an agent is asked once for all games that wait for it.  Who plays which seat is settled as a
    game begins and stays so until it ends.

    `batch.obs` and `batch.mask` are the learner's view; they are rewritten by every step.  A game
    that has ended stays as it is until `restart` or `reset`.

    With opponents that decide by what they see alone, a game depends on the seed and its row only;
    opponents that draw random numbers share a generator, so that what they draw also depends on the
    other games.

    Args:
        game: Name of the game.
        n: Number of games.
        players: Seats of every game, or n numbers.
        seat: The learner's seat; None lets it go around the table, game after game, beginning
            in row i with seat i.
        opponents: Who plays the others: one player for all of them; a sequence of `players - 1`,
            seated in order after the learner; or a mapping from player to weight, from which each
            seat draws its own for every game.  A player is a name (`shakespeare_agents.names`), the folder of a
            checkpoint, an agent, or a function with the arguments of `Agent.act`.
        seed: Decides chance in the games and the opponents' draws; None asks the operating system
            for one.
        threads: How many threads share a step.
        reward: A name of `rewards.py`.
        box: A component file; see `Batch`.
        **options: Variants of the game.

    Attributes:
        batch: The games.
        seats: int8[n], the learner's seat in each.
        over: bool[n], which of them have ended and wait for `restart`.
    """

    def __init__(
        self,
        game: str = registry.DEFAULT,
        n: int = 1,
        *,
        players: int | Integers,
        seat: int | None = None,
        opponents: Opponents | None = None,
        seed: int | None = None,
        threads: int = 1,
        reward: str = "win",
        box: str | os.PathLike[str] | None = None,
        **options: bool,
    ) -> None:
        first_seed = fresh_seed() if seed is None else seed
        self.batch = Batch(
            game,
            n,
            players=players,
            seed=first_seed,
            threads=threads,
            autoreset=False,
            reward=reward,
            box=box,
            **options,
        )
        whole = isinstance(seat, int | np.integer) and not isinstance(seat, bool)
        if seat is not None and not (whole and 0 <= seat < self.batch.players.min()):
            raise ValueError(
                f"seat={seat!r}: the seats are 0 to {self.batch.players.min() - 1}, "
                "or None for all in turn"
            )
        self._fixed_seat = seat
        self._crowd = OpponentPool(opponents, self.batch)
        self.seats = np.zeros(n, np.int8)
        self.over = np.zeros(n, np.bool_)
        self._begun = np.zeros(n, np.int64)
        self._owed = np.zeros(n, np.float32)
        self._every_row = np.arange(n)
        self._seat_all(first_seed)

    def reset(self, seed: int) -> None:
        """Begin all games anew from a seed; seats and opponents begin anew, too."""
        self._untouched = False
        self.batch.reset(seed)
        self._seat_all(seed)

    def _seat_all(self, seed: int) -> None:
        """Settle who plays in games that the batch has just begun from a seed."""
        self._crowd.reset(seed)
        self._begun[:] = 0
        self._open(self._every_row)
        self.over[:] = False
        self._untouched = True

    def begin(self, seed: int | None) -> None:
        """Begin games as environments do in `reset`.

        Args:
            seed: None goes on with the games that follow; games that nobody has touched since they
                were dealt are left as they are.
        """
        if seed is not None:
            self.reset(seed)
        elif not self._untouched:
            self.restart(self._every_row)
            self._untouched = True

    def restart(self, rows: Integers) -> None:
        """Begin the next game in some rows; chance goes on where it stands.

        Args:
            rows: Increasing indices of games, over or not.
        """
        chosen = checked_rows(self.batch.n, rows)
        self._untouched = False
        self.batch.restart(chosen)
        self._open(chosen)
        self.over[chosen] = False

    def step(self, actions: Integers) -> Step:
        """Play the learner's action in every game, then the opponents' until it decides again.

        An action that is not legal is not played: it ends the game with a reward of
        `ILLEGAL_REWARD`.

        Args:
            actions: Integers[n].

        Raises:
            ValueError: a game is over; `restart` it first.
            IllegalMove: an opponent's choice; the learner's action has been played.
        """
        batch = self.batch
        if self.over.any():
            raise ValueError(f"games {np.flatnonzero(self.over).tolist()} are over; restart them")
        if not self._ready.all():
            stuck = np.flatnonzero(~self._ready).tolist()
            raise RuntimeError(f"an opponent failed in games {stuck}; call reset")
        self._untouched = False
        chosen = as_actions(actions, batch.n)
        illegal = (chosen < 0) | (chosen >= batch.actions.size)
        illegal[~illegal] = ~batch.mask[~illegal, chosen[~illegal]]
        rows = np.flatnonzero(~illegal)
        batch.step(chosen[rows], rows)
        self._owed[rows] += batch.rewards[rows, self.seats[rows]]
        self._play_others(rows)
        rewards = self._owed.copy()
        rewards[illegal] = ILLEGAL_REWARD
        self._owed[:] = 0.0
        self.over = illegal | (batch.to_move < 0)
        return Step(rewards, self.over.copy(), illegal)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[n, A], a copy: what the learner may do; nothing in a game that is over."""
        return self.batch.mask & (self._ready & ~self.over)[:, None]

    def observe(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """int8[m, D]: what the learner sees of some games, also of those that are over."""
        return self.batch.observe(self.seats[rows], rows)

    def results(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """How some games ended: int16[m, S] scores and bool[m, S] winners.

        A game that an illegal action ended shows the scores as they stood, and no winners.
        """
        played_out = self.batch.to_move[rows] < 0
        return self.batch.scores(rows), self.batch.final_winners[rows] & played_out[:, None]

    @property
    def _ready(self) -> NDArray[np.bool_]:
        """bool[n], which games wait for the learner or are over: all, unless an opponent failed."""
        ready: NDArray[np.bool_] = (self.batch.to_move == self.seats) | (self.batch.to_move < 0)
        return ready

    def _open(self, rows: NDArray[np.int64]) -> None:
        """Seat everybody in games that have just begun and play until the learner decides."""
        while len(rows):
            players = self.batch.players[rows]
            if self._fixed_seat is None:
                self.seats[rows] = (rows + self._begun[rows]) % players
            else:
                self.seats[rows] = self._fixed_seat
            self._begun[rows] += 1
            self._crowd.sit_down(rows, self.seats[rows])
            self._owed[rows] = 0.0
            self._play_others(rows)
            # A game that ends before the learner has decided is none of its games.
            rows = rows[self.batch.to_move[rows] < 0]
            if len(rows):
                self.batch.restart(rows)

    def _play_others(self, rows: NDArray[np.int64]) -> None:
        """Let the opponents play in some games until the learner decides or the game is over."""
        batch = self.batch
        while True:
            rows = rows[(batch.to_move[rows] >= 0) & (batch.to_move[rows] != self.seats[rows])]
            if not len(rows):
                return
            actions = self._crowd.choose(rows)
            try:
                batch.step(actions, rows)
            except IllegalMove as fault:
                fault.add_note("An opponent chose it.")
                raise
            self._owed[rows] += batch.rewards[rows, self.seats[rows]]


class OpponentPool:
    """The opponents: who they are, where they sit, and the generators they draw from."""

    def __init__(self, opponents: Opponents | None, batch: Batch) -> None:
        self._batch = batch
        if opponents is None:
            opponents = shakespeare_agents.default(batch.game)
        self._weights: NDArray[np.float64] | None = None
        self._in_order = False
        if isinstance(opponents, Mapping):
            chosen = list(opponents)
            self._weights = _shares(opponents)
        elif isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes):
            chosen = list(opponents)
            self._in_order = True
            wanted = batch.players - 1
            if (wanted != len(chosen)).any():
                raise ValueError(
                    f"{len(chosen)} opponents for {wanted.max()} seats: give one for each seat but "
                    "the learner's, one for all of them, or a mapping to draw from"
                )
        else:
            chosen = [opponents]
        self._agents: list[AnyAgent] = [shakespeare_agents.make(player, batch.game) for player in chosen]
        # By game and seat: which agent plays it.
        self._lineup = np.full((batch.n, batch.game.max_seats), _LEARNER, np.int16)
        self._draws = np.random.default_rng(0)
        self._generators: list[np.random.Generator] = []

    def reset(self, seed: int) -> None:
        """Begin anew all that opponents draw from."""
        self._draws, *self._generators = (
            np.random.default_rng([seed, index]) for index in range(len(self._agents) + 1)
        )

    def sit_down(self, rows: NDArray[np.int64], seats: NDArray[np.int8]) -> None:
        """Settle who plays which seat of some games, the learner's left out."""
        lineup = np.zeros((len(rows), self._lineup.shape[1]), np.int16)
        if self._weights is not None:
            lineup[:] = self._draws.choice(len(self._agents), lineup.shape, p=self._weights)
        elif self._in_order:
            seat = np.arange(lineup.shape[1])
            lineup[:] = (seat - seats[:, None] - 1) % self._batch.players[rows, None]
        lineup[np.arange(len(rows)), seats] = _LEARNER
        self._lineup[rows] = lineup

    def choose(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The opponents' actions in games where one of them is to decide."""
        batch = self._batch
        who = self._lineup[rows, batch.to_move[rows]]
        return shakespeare_agents.decide_together(self._agents, self._generators, batch, rows, who)


def _shares(weights: Mapping[Any, float]) -> NDArray[np.float64]:
    """Weights as probabilities; ValueError if they are none."""
    try:
        given = np.array(list(weights.values()), np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if not len(given) or not np.isfinite(given).all() or (given < 0).any() or not given.sum():
        raise ValueError(
            f"opponents={dict(weights)!r}: give every player a weight of 0 or more, and one above 0"
        )
    shares: NDArray[np.float64] = given / given.sum()
    return shares
