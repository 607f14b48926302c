"""One game as a PettingZoo environment, AEC or parallel."""

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
    observation_space,
)

Observation = dict[str, NDArray[np.int8]]
_ONLY_ROW = np.zeros(1, np.int64)


class raw_env(AECEnv):  # noqa: N801 - PettingZoo's name for it
    """A game on a `Batch` of one; seat k is the agent `player_k`.

    An observation is a dict: `observation`, int8[D], what the seat may know, and `action_mask`,
    int8[A], all 0 unless the agent is to decide.  Its info holds the mask, too, and at the end says
    how the game ended for it (`spaces.episode_outcomes`).  Copies continue the same game.

    Arguments are those of `Batch` for one game; `players` None means as many as possible.  For
    `render_mode` see `Renderer`.

    Attributes:
        state_space: Box of int32[K], the space of `state`.
        state_fields: Name of each field -> its slice of `state`.
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
        **options: Any,
    ) -> None:
        super().__init__()
        rules = registry.game(game, options.get("box"))
        players = rules.max_seats if players is None else players
        self._batch = Batch(game, n=1, players=players, autoreset=False, **options)
        # PettingZoo's wrappers add to the modes in place.
        modes = list(RENDER_MODES)
        self.metadata = {**type(self).metadata, "render_modes": modes, "name": f"{game}_v0"}
        self.render_mode = render_mode
        self._renderer = Renderer(rules, render_mode)
        self._view_state = StateView(rules)
        self.state_space, self.state_fields = self._view_state.space, self._view_state.fields
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        mask = gymnasium.spaces.Box(0, 1, (rules.actions.size,), np.int8)
        seen: dict[str, Any] = {"observation": observation_space(rules), "action_mask": mask}
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(seen) for agent in self.possible_agents
        }
        self.action_spaces = {agent: action_space(rules) for agent in self.possible_agents}
        self._no_action = np.zeros(rules.actions.size, np.int8)
        self._has_begun = False

    @property
    def game(self) -> Game:
        """The game played."""
        return self._batch.game

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """An agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """An agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start game 0 of a `Batch` with this seed; without one, the game after the last."""
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
        self._skip_agent_selection: str | None = None
        self._turn_to_decider()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What an agent may know and do."""
        self._check_begun("observe")
        batch, seat = self._batch, self._seat_of[agent]
        if seat == batch.to_move.item(0):
            seen, mask = batch.obs[0].copy(), batch.mask[0].astype(np.int8)
        else:
            seen, mask = batch.observe(np.array([seat]))[0], self._no_action.copy()
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move, None if it is done; IllegalMove changes nothing."""
        self._check_begun("step")
        agent = self.agent_selection
        if agent not in self.agents:
            raise gymnasium.error.ResetNeeded("everybody has left the game: call reset()")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._play(agent, action)
        # The mover has seen its rewards so far; those of others add up until their turn.
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()

    def _play(self, agent: str, action: int | None) -> None:
        rewards, done = self._batch.step(np.array([action]))
        self.rewards = dict(zip(self.possible_agents, rewards[0].tolist(), strict=False))
        if done[0]:
            self.terminations = dict.fromkeys(self.agents, True)
        self._turn_to_decider()
        if self.render_mode == "human":
            self.render()

    def state(self) -> NDArray[np.int32]:
        """int32[K], the whole game but chance to come, for critics; no agent should see it."""
        self._check_begun("state")
        return self._view_state(self._batch.save(slice(0, 1))[0])

    def render(self) -> Any:
        """The position as text or picture; see `render_mode`."""
        self._check_begun("render")
        return self._renderer.render(self._batch.save(slice(0, 1))[0])

    def close(self) -> None:
        """Nothing to release."""

    def _check_begun(self, what: str) -> None:
        if not self._has_begun:
            raise gymnasium.error.ResetNeeded(f"{what}() before reset(): start a game first")

    def _turn_to_decider(self) -> None:
        """Select the seat to decide, or the first agent to leave."""
        self.agent_selection = self.possible_agents[max(self._batch.to_move.item(0), 0)]
        self._inform()

    def _inform(self) -> None:
        """Put in every agent's info its mask and, at the end, how the game ended for it."""
        batch, seat = self._batch, self._batch.to_move.item(0)
        self.infos = {agent: {"action_mask": self._no_action.copy()} for agent in self.agents}
        # A seat that ended the game by an illegal action is still to decide, but may have left.
        if seat >= 0 and (agent := self.possible_agents[seat]) in self.infos:
            self.infos[agent]["action_mask"][:] = batch.mask[0]
        if True not in self.terminations.values():
            return
        seats = np.arange(len(self.possible_agents))
        ends = episode_outcomes(batch, np.zeros_like(seats), seats)
        for agent, end in zip(self.possible_agents, as_infos(ends), strict=True):
            if agent in self.infos:
                self.infos[agent] |= end


class env(raw_env):  # noqa: N801 - PettingZoo's name for it
    """`raw_env` in which an illegal action ends the game: the agent gets -1, the others 0.

    An action outside the space is an AssertionError.  That is what PettingZoo's wrappers do, which
    would take longer than the game.
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
        self._deads_step_first()
        self._inform()


def parallel_env(*positional: Any, **arguments: Any) -> ParallelEnv[str, Observation, int | None]:
    """`env` in PettingZoo's own conversion for games played in turns.

    `step` takes a dict of actions and plays that of the agent to decide, the only one with a legal
    action in its mask; the others' are ignored.  After a step every info names the next one
    as `active_agent`.  Arguments are those of `env`.
    """
    return turn_based_aec_to_parallel(env(*positional, **arguments))
