"""A batch of games in which the learner has one seat and agents play the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import is_integer
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import Integers, as_actions, checked_rows
from shakespeare_env.core.rng import fresh_seed
from shakespeare_env.core.row_rules import ILLEGAL_REWARD
from shakespeare_env.play.agent import AgentLike, agent_for, name_of
from shakespeare_env.play.generators import GameGenerators, draw_columns
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup, play_out
from shakespeare_env.wrappers.spaces import Observations, episode_outcomes

Opponents = AgentLike | Sequence[AgentLike] | Mapping[AgentLike, float]
"""One agent for all other seats, one for each, or weights to draw each seat's agent by."""


class SingleAgentBatch:
    """A batch of n games, each seen from the learner's seat.

    A step leads from one decision of the learner to its next. Agents play the other seats of all
    games together. Everybody keeps their seat until the end of a game. A game depends only on the
    seed and its row. `batch.obs` and `batch.mask` are the learner's observations and action masks,
    and every step rewrites them. A finished game stays as it is until `restart` or `reset`.

    Args:
        game: The game's name.
        n: The number of games.
        players: The number of seats of all tables, or of each. None means as many as possible.
        seat: The learner's seat. None moves the learner around the table from game to game, and row
            i begins with seat i.
        opponents: The agents at the other seats. One agent plays all of them. A sequence has
            `players - 1` agents, seated in order after the learner. A mapping gives each agent a
            weight, by which an agent is drawn for every seat of every game. An agent is a name
            (`shakespeare_agents.names`), a checkpoint's folder, an agent object, or a function like
            `Agent.act`. None means the strongest bundled agent.
        seed: The seed of all random events and of the opponents' draws. None means a fresh seed.
        history: The number of last decisions in the learner's observations.
        options: Further arguments of `Batch`.

    Attributes:
        batch: The games.
        seats: The learner's seats, int8[n].
        over: Which games are over and wait for `restart`, bool[n].
        history_length: The number of last decisions in the learner's observations.
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
        history: int = 0,
        **options: Any,
    ) -> None:
        if players is None:
            players = registry.game(game, options.get("box")).max_seats
        self.batch = Batch(game, n, players=players, autoreset=False, **options)
        fewest = self.batch.players.min()
        if seat is not None and not (is_integer(seat) and 0 <= seat < fewest):
            raise ValueError(
                f"seat={seat!r}: give a seat from 0 to {fewest - 1}, or None for all in turn"
            )
        self._fixed_seat = seat
        self._lineup, self._weights = _lineup(opponents, self.batch)
        self.seats = np.zeros(n, np.int8)
        self.over = np.zeros(n, np.bool_)
        self._games_begun = np.zeros(n, np.int64)
        self._pending_rewards = np.zeros(n, np.float32)
        self._every_row = np.arange(n)
        self.batch.keep_history(history)
        self.history_length = self.batch.history_length  # opponents may observe more
        # Whether a row still has the game that `reset` deals here, before any step of the learner.
        # `reset` itself sets this to False, so it becomes True only afterwards.
        self._is_first_deal = np.zeros(n, np.bool_)
        self.reset(fresh_seed() if seed is None else seed)
        self._is_first_deal = np.ones(n, np.bool_)

    def reset(self, seed: int | None = None, rows: Integers | None = None) -> None:
        """Deal all games again, or the games of some increasing rows, int[m].

        A seed decides all random events and the opponents' draws. Without a seed, the next games
        are dealt. In that case, games that were dealt when this object was made are kept if they
        have not been stepped or reset since.
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
            self._begin_games(chosen)

    def restart(self, rows: Integers) -> None:
        """Deal the next game in some increasing rows. The old games need not be over."""
        chosen = checked_rows(self.batch.n, rows)
        self._is_first_deal[chosen] = False
        self.batch.restart(chosen)
        self._begin_games(chosen)

    def step(
        self, actions: Integers, rows: Integers | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play the learner's actions, then the opponents' until the learner decides again.

        An illegal action is not played. It ends the game with reward `ILLEGAL_REWARD`.

        Args:
            actions: An action for each game to play in, int[m].
            rows: The games to play in, increasing, int[m]. None means all.

        Returns:
            The rewards that the learner has received since its last decision, float32[n], which are
            0 for games that are not in `rows`; and which games the step has ended, bool[n].

        Raises:
            ValueError: A game is over. `restart` it first.
            IllegalMove: An opponent chose an illegal action. The learner's action has been played.
        """
        batch = self.batch
        played = self._every_row if rows is None else checked_rows(batch.n, rows)
        over = self.over[played]
        if over.any():
            raise ValueError(
                f"games {played[over].tolist()} are over; restart them before you step"
            )
        ready = self._ready[played]
        if not ready.all():
            raise RuntimeError(
                f"an opponent failed in games {played[~ready].tolist()}; call reset()"
            )
        chosen = as_actions(actions, len(played))
        self._is_first_deal[played] = False
        legal = (chosen >= 0) & (chosen < batch.actions.size)
        # Of the actions that exist, those that the mask allows.
        legal[legal] = batch.mask[played[legal], chosen[legal]]
        stepped = played[legal]
        batch.step(chosen[legal], stepped)
        self._add_rewards(stepped, chosen)
        play_out(batch, self._lineup, stepped, after_step=self._add_rewards)
        rewards = np.zeros(batch.n, np.float32)
        rewards[played] = self._pending_rewards[played]
        self._pending_rewards[played] = 0.0
        rewards[played[~legal]] = ILLEGAL_REWARD
        ended = np.zeros(batch.n, np.bool_)
        ended[played] = ~legal | (batch.to_move[played] < 0)
        self.over |= ended
        return rewards, ended

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a copy of the masks of the learner's legal actions, bool[n, A].

        Where a game is over, all actions are set. No action is played there, but a masked
        distribution needs at least one.
        """
        masks: NDArray[np.bool_] = self.batch.mask & self._ready[:, None]
        masks |= self.over[:, None]
        return masks

    def observe(self, rows: NDArray[np.int64] | None = None) -> Observations:
        """Return the learner's observations of all games, or of increasing rows, int[m].

        Finished games are included. With `history=k`, the observations are a dict of
        `observation`, int8[m, D], and `history`, int16[m, k, 2].
        """
        chosen = self._every_row if rows is None else rows
        batch = self.batch
        observations: NDArray[np.int8] = batch.obs[chosen]
        over = np.flatnonzero(self.over[chosen])
        if len(over):
            observations[over] = batch.observe(self.seats[chosen[over]], chosen[over])
        if not self.history_length:
            return observations
        history = batch.history(self.seats[chosen], chosen)
        return {"observation": observations, "history": history[:, : self.history_length]}

    def outcomes(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return how finished games, int[m], ended for the learner (`spaces.episode_outcomes`)."""
        return episode_outcomes(self.batch, rows, self.seats[rows])

    @property
    def _ready(self) -> NDArray[np.bool_]:
        """Whether each game waits for the learner or is over, bool[n]; False if an agent failed."""
        ready: NDArray[np.bool_] = (self.batch.to_move == self.seats) | (self.batch.to_move < 0)
        return ready

    def _begin_games(self, rows: NDArray[np.int64]) -> None:
        """Seat everybody in new games, and play until the learner decides."""
        while len(rows):
            if self._fixed_seat is None:
                self.seats[rows] = (rows + self._games_begun[rows]) % self.batch.players[rows]
            else:
                self.seats[rows] = self._fixed_seat
            self._games_begun[rows] += 1
            self._seat_opponents(rows)
            self._pending_rewards[rows] = 0.0
            play_out(self.batch, self._lineup, rows, after_step=self._add_rewards)
            self.over[rows] = False
            # A game that ends before the learner's first decision is replaced by the next game.
            rows = rows[self.batch.to_move[rows] < 0]
            if len(rows):
                self.batch.restart(rows)

    def _seat_opponents(self, rows: NDArray[np.int64]) -> None:
        lineup = self._lineup
        learner = self.seats[rows]
        players = self.batch.players[rows, None]
        lineup.generators[rows].forget()

        # The index in `lineup.agents` of each seat's agent: in order from the seat after the
        # learner's, or drawn by weight. A single agent has index 0 at every seat.
        seat = np.arange(lineup.seats.shape[1])
        agent_of_seat = (seat - learner[:, None] - 1) % players % max(len(lineup.agents), 1)
        if self._weights is not None:
            weights = np.tile(self._weights, (len(rows), 1))
            for column in range(len(seat)):
                agent_of_seat[:, column] = draw_columns(weights, lineup.generators[rows].random())
        agent_of_seat[seat >= players] = NOBODY
        agent_of_seat[np.arange(len(rows)), learner] = OUTSIDE
        lineup.seats[rows] = agent_of_seat

    def _add_rewards(self, rows: NDArray[np.int64], _actions: NDArray[np.integer]) -> None:
        self._pending_rewards[rows] += self.batch.rewards[rows, self.seats[rows]]


def _lineup(opponents: Opponents | None, batch: Batch) -> tuple[Lineup, NDArray[np.float64] | None]:
    """Return a line-up in which nobody is seated yet, and the opponents' probabilities, if any."""
    probabilities = None
    chosen: list[Any] = [opponents]
    if isinstance(opponents, Mapping):
        chosen = list(opponents)
        weights = np.array(list(opponents.values()), np.float64)
        if not weights.any() or not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError(
                f"opponents={dict(opponents)!r}: every weight must be 0 or more, and one above 0"
            )
        probabilities = weights / weights.sum()
    elif isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes):
        chosen = list(opponents)
        other_seats = batch.players - 1
        if (other_seats != len(chosen)).any():
            raise ValueError(
                f"{len(chosen)} opponents for {other_seats.max()} seats: give one for each other "
                "seat, one for all of them, or weights to draw by"
            )
    agents = [agent_for(agent, batch.game) for agent in chosen]
    names = ["the default agent" if agent is None else name_of(agent) for agent in chosen]
    seats = np.full((batch.n, batch.game.max_seats), NOBODY, np.int32)
    generators = GameGenerators.of_games(0, np.arange(batch.n))  # `reset` seeds them
    return Lineup(agents, seats, generators, names), probabilities
