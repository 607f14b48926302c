"""Games in which the learner has one seat and agents play the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import is_whole
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import Integers, as_actions, checked_rows
from shakespeare_env.core.rng import fresh_seed
from shakespeare_env.core.row_rules import ILLEGAL_REWARD
from shakespeare_env.play.agent import AgentLike, agent_for, name_of
from shakespeare_env.play.generators import GameGenerators, draw_columns
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup, play_out
from shakespeare_env.wrappers.spaces import episode_outcomes

Opponents = AgentLike | Sequence[AgentLike] | Mapping[AgentLike, float]
"""One player for all seats, one for each, or weights to draw each seat's player from."""


class SingleAgentBatch:
    """N games, each seen from one seat: a step leads from a decision of the learner to its next.

    Agents play the other seats, in all games together.  Seats are kept for a whole game, which
    depends on the seed and its row alone.  `batch.obs` and `batch.mask` are what the learner sees;
    every step rewrites them.  A finished game stays as it is until `restart` or `reset`.

    Args:
        game: As for `Batch`, like `n` and `options`.
        players: Seats at the tables; None means as many as possible.
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
        players: int | Integers | None = None,
        seat: int | None = None,
        opponents: Opponents | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        if players is None:
            players = registry.game(game, options.get("box")).max_seats
        self.batch = Batch(game, n, players=players, autoreset=False, **options)
        fewest = self.batch.players.min()
        if seat is not None and not (is_whole(seat) and 0 <= seat < fewest):
            raise ValueError(
                f"seat={seat!r}: the seats are 0 to {fewest - 1}, or None for all in turn"
            )
        self._fixed_seat = seat
        self._lineup, self._weights = _lineup(opponents, self.batch)
        self.seats = np.zeros(n, np.int8)
        self.over = np.zeros(n, np.bool_)
        self._games_begun = np.zeros(n, np.int64)
        self._owed = np.zeros(n, np.float32)
        self._every_row = np.arange(n)
        self._is_first_deal = np.zeros(n, np.bool_)
        self.reset(fresh_seed() if seed is None else seed)
        self._is_first_deal = np.ones(n, np.bool_)

    def reset(self, seed: int | None = None, rows: Integers | None = None) -> None:
        """Deal all games, or those of increasing rows, int[m], again.

        A seed decides chance and opponents' draws.  None deals the games that follow, but leaves a
        new batch, which nobody has reset or stepped yet, with the games that it was made with.
        """
        chosen = self._every_row if rows is None else checked_rows(self.batch.n, rows)
        is_first_deal = self._is_first_deal[chosen]
        self._is_first_deal[chosen] = False
        if seed is None:
            self.restart(chosen[~is_first_deal])
        else:
            self.batch.reset(seed, rows=chosen)
            self._lineup.generators.states[chosen] = GameGenerators.of_games(seed, chosen).states
            self._games_begun[chosen] = 0
            self._open(chosen)

    def restart(self, rows: Integers) -> None:
        """Deal the next game in some rows, increasing, over or not; chance continues."""
        chosen = checked_rows(self.batch.n, rows)
        self._is_first_deal[chosen] = False
        self.batch.restart(chosen)
        self._open(chosen)

    def step(
        self, actions: Integers, rows: Integers | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play the learner's actions, int[m], then the opponents' until it decides again.

        An illegal action is not played: it ends the game with reward `ILLEGAL_REWARD`.  Increasing
        rows, int[m], are the games to play in; None means all.

        Returns:
            Rewards, float32[n], that the learner has received since its last decision, 0 in games
            not played in, and bool[n], which games the step has ended.

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
        self._is_first_deal[played] = False
        legal = (chosen >= 0) & (chosen < batch.actions.size)
        legal[legal] = batch.mask[played[legal], chosen[legal]]
        stepped = played[legal]
        batch.step(chosen[legal], stepped)
        self._add_rewards(stepped, chosen)
        play_out(batch, self._lineup, stepped, after_step=self._add_rewards)
        rewards = np.zeros(batch.n, np.float32)
        rewards[played] = self._owed[played]
        self._owed[played] = 0.0
        rewards[played[~legal]] = ILLEGAL_REWARD
        ended = np.zeros(batch.n, np.bool_)
        ended[played] = ~legal | (batch.to_move[played] < 0)
        self.over |= ended
        return rewards, ended

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[n, A], a copy: the learner's legal actions.

        All are set where a game is over, since no action is played there and distributions over the
        actions of a mask need one.
        """
        masks: NDArray[np.bool_] = self.batch.mask & self._ready[:, None]
        masks |= self.over[:, None]
        return masks

    def observe(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """int8[m, D]: what the learner sees of some games, finished ones included."""
        return self.batch.observe(self.seats[rows], rows)

    def outcomes(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """How games that are over, int[m], ended for the learner; see `spaces.episode_outcomes`."""
        return episode_outcomes(self.batch, rows, self.seats[rows])

    @property
    def _ready(self) -> NDArray[np.bool_]:
        """bool[n], games that wait for the learner or are over: all, unless an opponent failed."""
        ready: NDArray[np.bool_] = (self.batch.to_move == self.seats) | (self.batch.to_move < 0)
        return ready

    def _open(self, rows: NDArray[np.int64]) -> None:
        """Seat everybody in games just started and play until the learner decides."""
        while len(rows):
            if self._fixed_seat is None:
                self.seats[rows] = (rows + self._games_begun[rows]) % self.batch.players[rows]
            else:
                self.seats[rows] = self._fixed_seat
            self._games_begun[rows] += 1
            self._seat_opponents(rows)
            self._owed[rows] = 0.0
            play_out(self.batch, self._lineup, rows, after_step=self._add_rewards)
            self.over[rows] = False
            # A game that ends before the learner's first decision is replaced.
            rows = rows[self.batch.to_move[rows] < 0]
            if len(rows):
                self.batch.restart(rows)

    def _seat_opponents(self, rows: NDArray[np.int64]) -> None:
        lineup, learner = self._lineup, self.seats[rows]
        players = self.batch.players[rows, None]
        lineup.generators[rows].forget()
        seat = np.arange(lineup.seats.shape[1])
        seats = (seat - learner[:, None] - 1) % players % max(len(lineup.agents), 1)
        if self._weights is not None:
            weights = np.tile(self._weights, (len(rows), 1))
            for column in range(len(seat)):
                seats[:, column] = draw_columns(weights, lineup.generators[rows].random())
        seats[seat >= players] = NOBODY
        seats[np.arange(len(rows)), learner] = OUTSIDE
        lineup.seats[rows] = seats

    def _add_rewards(self, rows: NDArray[np.int64], _actions: NDArray[np.integer]) -> None:
        self._owed[rows] += self.batch.rewards[rows, self.seats[rows]]


def _lineup(opponents: Opponents | None, batch: Batch) -> tuple[Lineup, NDArray[np.float64] | None]:
    """Opponents that are not seated yet, and the shares to draw them by, if they are drawn."""
    shares = None
    chosen: list[Any] = [opponents]
    if isinstance(opponents, Mapping):
        chosen = list(opponents)
        weights = np.array(list(opponents.values()), np.float64)
        if not weights.any() or not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError(
                f"opponents={dict(opponents)!r}: give every player a weight of 0 or more, and one "
                "above 0"
            )
        shares = weights / weights.sum()
    elif isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes):
        chosen = list(opponents)
        wanted = batch.players - 1
        if (wanted != len(chosen)).any():
            raise ValueError(
                f"{len(chosen)} opponents for {wanted.max()} seats: give one for each other seat, "
                "one for all of them, or weights to draw by"
            )
    agents = [agent_for(player, batch.game) for player in chosen]
    names = ["the default agent" if player is None else name_of(player) for player in chosen]
    seats = np.full((batch.n, batch.game.max_seats), NOBODY, np.int32)
    return Lineup(agents, seats, GameGenerators.of_games(0, np.arange(batch.n)), names), shares
