"""Games in which the learner has one seat and agents play the others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import is_whole
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import Integers, as_actions, checked_rows
from shakespeare_env.core.rng import fresh_seed
from shakespeare_env.core.row_rules import ILLEGAL_REWARD
from shakespeare_env.play.agent import Player, agent_for, name_of
from shakespeare_env.play.generators import GameGenerators, draw_columns
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup, play_out
from shakespeare_env.wrappers.spaces import NO_OFFENDER, outcomes

Opponents = Player | Sequence[Player] | Mapping[Player, float]
"""One player for all seats, one for each, or weights to draw each seat's player from."""


class OpponentPool:
    """Seats opponents, None meaning the strongest bundled agent, in the games of a batch.

    Attributes:
        lineup: Who sits where; one seat of each game is the learner's.
    """

    def __init__(self, opponents: Opponents | None, batch: Batch) -> None:
        self._batch = batch
        self._weights: NDArray[np.float64] | None = None
        self._in_order = False
        chosen: list[Player | None]
        if isinstance(opponents, Mapping):
            chosen = list(opponents)
            self._weights = _shares(opponents)
        elif isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes):
            chosen = list(opponents)
            self._in_order = True
            wanted = batch.players - 1
            if (wanted != len(chosen)).any():
                raise ValueError(
                    f"{len(chosen)} opponents for {wanted.max()} seats: give one for each other "
                    "seat, one for all of them, or weights to draw by"
                )
        else:
            chosen = [opponents]
        seats = np.full((batch.n, batch.game.max_seats), NOBODY, np.int32)
        agents = [agent_for(player, batch.game) for player in chosen]
        names = ["the default agent" if one is None else name_of(one) for one in chosen]
        generators = GameGenerators.of_games(0, np.arange(batch.n))
        self.lineup = Lineup(agents, seats, generators, names)

    def reset(self, seed: int, rows: NDArray[np.int64]) -> None:
        """Reseed the generators of some rows."""
        self.lineup.generators.states[rows] = GameGenerators.of_games(seed, rows).states

    def seat(self, rows: NDArray[np.int64], outside: NDArray[np.int8]) -> None:
        """Seat opponents in games just started, around the learner at `outside`, int8[m]."""
        self.lineup.generators[rows].forget()
        players = self._batch.players[rows, None]
        seat = np.arange(self.lineup.seats.shape[1])
        seats = np.zeros((len(rows), len(seat)), np.int32)
        if self._weights is not None:
            weights = np.tile(self._weights, (len(rows), 1))
            for column in range(len(seat)):
                seats[:, column] = draw_columns(weights, self.lineup.generators[rows].random())
        elif self._in_order:
            seats[:] = (seat - outside[:, None] - 1) % players
        seats[seat >= players] = NOBODY
        seats[np.arange(len(rows)), outside] = OUTSIDE
        self.lineup.seats[rows] = seats


def _shares(weights: Mapping[Any, float]) -> NDArray[np.float64]:
    given = np.array(list(weights.values()), np.float64)
    if not given.any() or not (np.isfinite(given) & (given >= 0)).all():
        raise ValueError(
            f"opponents={dict(weights)!r}: give every player a weight of 0 or more, and one above 0"
        )
    shares: NDArray[np.float64] = given / given.sum()
    return shares


@dataclass(frozen=True)
class Step:
    """What a step brought the learner's seat.

    Attributes:
        rewards: float32[n], received since its last decision; 0 in games not played in.
        ended: bool[n], the games that it ended.
        illegal: bool[n], the games that an illegal action ended.
    """

    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]
    illegal: NDArray[np.bool_]


class SingleAgentBatch:
    """N games, each seen from one seat: a step leads from a decision of the learner to its next.

    Agents play the other seats, in all games together.  Seats are kept for a whole game, which
    depends on the seed and its row alone.  `batch.obs` and `batch.mask` are what the learner sees;
    every step rewrites them.  A finished game stays as it is until `restart` or `reset`.

    Args:
        game: As for `Batch`, like `n`, `players`, `threads`, `reward`, `box` and `options`.
        seat: The learner's; None moves it around the table from game to game, from seat i in row i.
        opponents: The other seats' players: one for all; a sequence of `players - 1`, seated in
            order after the learner; or a mapping from player to weight, by which each seat draws
            one for every game.  A player is a name (`shakespeare_agents.names`), a checkpoint's
            folder, an agent, or a function like `Agent.act`.  None means the strongest bundled
            agent.
        seed: Decides chance and opponents' draws; None means a fresh one.

    Attributes:
        batch: The games.
        seats: int8[n], the learner's seats.
        over: bool[n], the games that wait for `restart`.
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
        whole = is_whole(seat)
        if seat is not None and not (whole and 0 <= seat < self.batch.players.min()):
            raise ValueError(
                f"seat={seat!r}: the seats are 0 to {self.batch.players.min() - 1}, "
                "or None for all in turn"
            )
        self._fixed_seat = seat
        self._opponents = OpponentPool(opponents, self.batch)
        self.seats = np.zeros(n, np.int8)
        self.over = np.zeros(n, np.bool_)
        self._games_begun = np.zeros(n, np.int64)
        self._owed = np.zeros(n, np.float32)
        self._every_row = np.arange(n)
        self._untouched = np.zeros(n, np.bool_)
        self._seat_all(first_seed, self._every_row)

    def reset(self, seed: int | None = None, rows: Integers | None = None) -> None:
        """Deal all games, or some, again.

        Args:
            seed: Decides chance and opponents' draws.  None deals the games that follow; games that
                have not been stepped since they were reset stay as dealt.
            rows: int[m], increasing; None means all games.
        """
        chosen = self._every_row if rows is None else checked_rows(self.batch.n, rows)
        if seed is not None:
            self._untouched[chosen] = False
            self.batch.reset(seed, rows=chosen)
            self._seat_all(seed, chosen)
            return
        chosen = chosen[~self._untouched[chosen]]
        if len(chosen):
            self.restart(chosen)
            self._untouched[chosen] = True

    def _seat_all(self, seed: int, rows: NDArray[np.int64]) -> None:
        """Seat everybody in games that a seed has just dealt."""
        self._opponents.reset(seed, rows)
        self._games_begun[rows] = 0
        self._open(rows)
        self.over[rows] = False
        self._untouched[rows] = True

    def restart(self, rows: Integers) -> None:
        """Deal the next game in some rows, increasing, over or not; chance continues."""
        chosen = checked_rows(self.batch.n, rows)
        self._untouched[chosen] = False
        self.batch.restart(chosen)
        self._open(chosen)
        self.over[chosen] = False

    def step(self, actions: Integers, rows: Integers | None = None) -> Step:
        """Play the learner's actions, then the opponents' until it decides again.

        An illegal action is not played: it ends the game with reward `ILLEGAL_REWARD`.

        Args:
            actions: int[m], one for each game played in.
            rows: int[m], increasing; None means all games.

        Raises:
            ValueError: a game is over; `restart` it first.
            IllegalMove: an opponent's choice; the learner's action has been played.
        """
        batch = self.batch
        played = self._every_row if rows is None else checked_rows(batch.n, rows)
        if (over := self.over[played]).any():
            raise ValueError(f"games {played[over].tolist()} are over; restart them")
        if not (ready := self._ready[played]).all():
            raise RuntimeError(f"an opponent failed in games {played[~ready].tolist()}; call reset")
        chosen = as_actions(actions, len(played))
        self._untouched[played] = False
        legal = (chosen >= 0) & (chosen < batch.actions.size)
        legal[legal] = batch.mask[played[legal], chosen[legal]]
        stepped = played[legal]
        batch.step(chosen[legal], stepped)
        self._add_rewards(stepped, chosen)
        self._play_others(stepped)
        rewards = np.zeros(batch.n, np.float32)
        rewards[played] = self._owed[played]
        self._owed[played] = 0.0
        illegal = np.zeros(batch.n, np.bool_)
        illegal[played[~legal]] = True
        rewards[illegal] = ILLEGAL_REWARD
        ended = illegal.copy()
        ended[played] |= batch.to_move[played] < 0
        self.over |= ended
        return Step(rewards, ended, illegal)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[n, A], a copy: the learner's legal actions; none when over."""
        return self.batch.mask & (self._ready & ~self.over)[:, None]

    def observe(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """int8[m, D]: what the learner sees of some games, finished ones included."""
        return self.batch.observe(self.seats[rows], rows)

    def results(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Scores, int16[m, L], and winners, bool[m, L], none after an illegal action.

        L is the number of seats at the longest table of all games.
        """
        longest = int(self.batch.players.max())
        played_out = self.batch.to_move[rows] < 0
        winners = self.batch.final_winners[rows] & played_out[:, None]
        return self.batch.scores(rows)[:, :longest], winners[:, :longest]

    def outcomes(self, rows: NDArray[np.int64], illegal: NDArray[np.bool_]) -> dict[str, Any]:
        """How some games ended for the learner; see `outcome.outcomes`.

        Args:
            rows: int[m], games that are over.
            illegal: bool[m], those that an illegal action ended.
        """
        batch, seats = self.batch, self.seats[rows]
        offenders = np.where(illegal, seats, NO_OFFENDER)
        return outcomes(batch.game, seats, batch.players[rows], *self.results(rows), offenders)

    @property
    def _ready(self) -> NDArray[np.bool_]:
        """bool[n], games that wait for the learner or are over: all, unless an opponent failed."""
        ready: NDArray[np.bool_] = (self.batch.to_move == self.seats) | (self.batch.to_move < 0)
        return ready

    def _open(self, rows: NDArray[np.int64]) -> None:
        """Seat everybody in games just started and play until the learner decides."""
        while len(rows):
            players = self.batch.players[rows]
            if self._fixed_seat is None:
                self.seats[rows] = (rows + self._games_begun[rows]) % players
            else:
                self.seats[rows] = self._fixed_seat
            self._games_begun[rows] += 1
            self._opponents.seat(rows, self.seats[rows])
            self._owed[rows] = 0.0
            self._play_others(rows)
            # A game that ends before the learner's first decision is replaced.
            rows = rows[self.batch.to_move[rows] < 0]
            if len(rows):
                self.batch.restart(rows)

    def _play_others(self, rows: NDArray[np.int64]) -> None:
        play_out(self.batch, self._opponents.lineup, rows, after_step=self._add_rewards)

    def _add_rewards(self, rows: NDArray[np.int64], _actions: NDArray[np.integer]) -> None:
        self._owed[rows] += self.batch.rewards[rows, self.seats[rows]]
