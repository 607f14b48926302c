"""One game as a PettingZoo environment, with the AEC or the parallel interface."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.env_logger import EnvLogger

from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import fresh_seed
from shakespeare_env.core.row_rules import ILLEGAL_REWARD
from shakespeare_env.wrappers.spaces import (
    RENDER_FPS,
    RENDER_MODES,
    Renderer,
    StateView,
    action_space,
    as_infos,
    episode_outcomes,
    observation_parts,
)

Observation = dict[str, NDArray[Any]]
_ONLY_ROW = np.zeros(1, np.int64)


class raw_env(AECEnv):  # noqa: N801 - PettingZoo's name for it
    """A PettingZoo AEC environment of one game, in which seat k is the agent `player_k`.

    An observation is a dict. Its `observation`, int8[D], holds what the seat may know. Its
    `action_mask`, int8[A], marks the legal actions and is all 0 unless it is the agent's turn. With
    `history=k` it also has the last k decisions (`Batch.history`). The agent's info
    holds the mask as well, and at the end how the game ended for the agent
    (`spaces.episode_outcomes`). A copy of the environment continues the same game.

    Args:
        game: The game's name.
        players: The number of seats. None means as many as the game allows.
        render_mode: See `Renderer`.
        history: The number of last decisions in observations.
        options: Further arguments of `Batch`.

    Attributes:
        state_space: The space of `state`, a Box of int32[K].
        state_fields: The slice of `state` that each field of the record takes, by name.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - a class attribute in PettingZoo's interface
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str = registry.DEFAULT,
        players: int | None = None,
        *,
        render_mode: str | None = None,
        history: int = 0,
        **options: Any,
    ) -> None:
        super().__init__()
        loaded = registry.game(game, options.get("box"))
        players = loaded.max_seats if players is None else players
        self._batch = Batch(game, n=1, players=players, autoreset=False, **options)
        self._batch.keep_history(history)
        # PettingZoo's wrappers append to the list of modes, so each environment needs its own.
        modes = list(RENDER_MODES)
        self.metadata = {**type(self).metadata, "render_modes": modes, "name": f"{game}_v0"}
        self.render_mode = render_mode
        self._renderer = Renderer(loaded, render_mode)
        self._view_state = StateView(loaded)
        self.state_space = self._view_state.space
        self.state_fields = self._view_state.fields
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        mask = gymnasium.spaces.Box(0, 1, (loaded.actions.size,), np.int8)
        parts: dict[str, Any] = {
            **observation_parts(loaded, self._batch.history_length),
            "action_mask": mask,
        }
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(parts) for agent in self.possible_agents
        }
        self.action_spaces = {agent: action_space(loaded) for agent in self.possible_agents}
        self._empty_mask = np.zeros(loaded.actions.size, np.int8)
        self._has_begun = False

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self._batch.game

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """Return an agent's observation space, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """Return an agent's action space, the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the game that a seed decides. Without a seed, start the next game."""
        if seed is None and self._has_begun:
            self._batch.restart(_ONLY_ROW)
        else:
            self._batch.reset(fresh_seed() if seed is None else seed)
        self._has_begun = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: str | None = None  # PettingZoo's methods for dead agents use it
        self._select_next_agent()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation and action mask."""
        self._check_begun("observe")
        batch = self._batch
        seat = self._seat_of[agent]
        if seat == batch.to_move.item(0):
            observation = batch.obs[0].copy()
            mask = batch.mask[0].astype(np.int8)
        else:
            observation = batch.observe(np.array([seat]))[0]
            mask = self._empty_mask.copy()
        seen: Observation = {"observation": observation, "action_mask": mask}
        if batch.history_length:
            seen["history"] = batch.history([seat])[0]
        return seen

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, or None to let it leave a finished game.

        Raises:
            IllegalMove: The action is not legal. The game has not changed.
            gymnasium.error.ResetNeeded: No game is in progress.
        """
        self._check_begun("step")
        agent = self.agent_selection
        if agent not in self.agents:
            raise gymnasium.error.ResetNeeded("every agent has left the game: call reset()")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._play(agent, action)
        # The agent that acted saw its rewards in `last()`. Others' rewards add up until their turn.
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()

    def _play(self, agent: str, action: int | None) -> None:
        rewards, done = self._batch.step(np.array([action]))
        # A row of rewards has an entry for each seat of the largest table that the game allows.
        self.rewards = dict(zip(self.possible_agents, rewards[0].tolist(), strict=False))
        if done[0]:
            self.terminations = dict.fromkeys(self.agents, True)
        self._select_next_agent()
        if self.render_mode == "human":
            self.render()

    def state(self) -> NDArray[np.int32]:
        """Return the game's record without its random state, int32[K].

        The record holds secrets, so it is for a centralised critic and not for agents.
        """
        self._check_begun("state")
        return self._view_state(self._batch.save(slice(0, 1))[0])

    def render(self) -> Any:
        """Return or print the position, as `render_mode` says."""
        self._check_begun("render")
        return self._renderer.render(self._batch.save(slice(0, 1))[0])

    def close(self) -> None:
        """Do nothing, as there is nothing to release."""

    def _check_begun(self, method: str) -> None:
        if not self._has_begun:
            raise gymnasium.error.ResetNeeded(
                f"{method}() was called before reset(): start a game first"
            )

    def _select_next_agent(self) -> None:
        """Select the agent that decides next or, at the end, the first one to leave."""
        seat = self._batch.to_move.item(0)  # -1 once the game is over
        self.agent_selection = self.possible_agents[max(seat, 0)]
        self._write_infos()

    def _write_infos(self) -> None:
        """Write every agent's info: its mask and, at the end, how the game ended for it."""
        batch = self._batch
        seat = batch.to_move.item(0)
        self.infos = {agent: {"action_mask": self._empty_mask.copy()} for agent in self.agents}
        if seat >= 0:
            agent = self.possible_agents[seat]
            if agent in self.infos:  # it may have left, if its illegal action ended the game
                self.infos[agent]["action_mask"][:] = batch.mask[0]

        if not any(self.terminations.values()):
            return
        seats = np.arange(len(self.possible_agents))
        outcomes = episode_outcomes(batch, np.zeros_like(seats), seats)
        for agent, outcome in zip(self.possible_agents, as_infos(outcomes), strict=True):
            if agent in self.infos:
                self.infos[agent] |= outcome


class env(raw_env):  # noqa: N801 - PettingZoo's name for it
    """A `raw_env` in which an illegal action ends the game: the agent gets -1, the others 0.

    An action outside the action space raises AssertionError. PettingZoo has wrappers for both, but
    they take more time than the game itself.
    """

    def _play(self, agent: str, action: int | None) -> None:
        assert self.action_space(agent).contains(action), "action is not in action space"
        if self._batch.mask[0, action]:
            super()._play(agent, action)
            return
        EnvLogger.warn_on_illegal_move()
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = {**dict.fromkeys(self.agents, 0.0), agent: ILLEGAL_REWARD}
        self.agent_selection = self.possible_agents[0]  # the first one to leave
        self._write_infos()


def parallel_env(*positional: Any, **arguments: Any) -> ParallelEnv[str, Observation, int | None]:
    """Return an `env` with the parallel interface, by PettingZoo's conversion of turn-based games.

    `step` takes a dict of actions. It plays the action of the agent whose turn it is, and ignores
    the other agents' actions. Their masks have no legal action. After a step, every info names the
    next agent to decide as `active_agent`. Arguments are those of `env`.
    """
    return turn_based_aec_to_parallel(env(*positional, **arguments))
