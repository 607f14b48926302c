"""One game as a PettingZoo environment whose agents decide one at a time (AEC)."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from shakespeare_env.batch import Batch

Observation = dict[str, NDArray[np.int8]]

ILLEGAL_REWARD = -1.0
"""What an illegal move costs in `env`, which ends the game on it: as much as a defeat."""


def env(**arguments: Any) -> Any:
    """The environment as it is meant to be used: with checks for order, bounds and legality.

    An illegal action ends the game: the agent gets -1, the others 0.  An action outside the action
    space is an AssertionError.

    Args:
        **arguments: As `raw_env` takes them.

    Returns:
        The wrapped environment; `unwrapped` is the `raw_env`.
    """
    wrapped: Any = raw_env(**arguments)
    wrapped = TerminateIllegalWrapper(wrapped, illegal_reward=ILLEGAL_REWARD)
    wrapped = AssertOutOfBoundsWrapper(wrapped)
    return OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv, EzPickle):  # noqa: N801 - PettingZoo's name for it
    """A game on a `Batch` of one; seat k is the agent `player_k`.

    An observation is a dict: `observation`, int8[D], what the seat may know, and `action_mask`,
    int8[A], 1 for each legal action.  The mask of an agent that is not to decide is all zero.  It
    is in the agent's info, too.

    Args:
        game: Name of the game.
        players: Seats.
        reward: `win`, `margin` or `rank`, given as the game ends, or `prestige`, given at every
            step.
        render_mode: None; "ansi": `render` returns the position as text; "human": the position is
            printed after every step.
        **options: Variants of the game.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - a class attribute in PettingZoo's interface
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str = "shakespeare",
        players: int = 4,
        reward: str = "win",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        EzPickle.__init__(self, game, players, reward, render_mode, **options)
        super().__init__()
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode={render_mode!r}: choose None, 'ansi' or 'human'")
        self.metadata = {**type(self).metadata, "name": f"{game}_v0"}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._batch = Batch(game, n=1, players=players, autoreset=False, reward=reward, **options)
        self._seeds = np.random.default_rng()
        self.game = self._batch.game
        layout, actions = self.game.layout, self.game.actions.size
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": gymnasium.spaces.Box(layout.low, layout.high, dtype=np.int8),
                    "action_mask": gymnasium.spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(actions) for agent in self.possible_agents
        }
        self._no_action = np.zeros(actions, np.int8)

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """The space of an agent's observations, the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """The space of an agent's actions, the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: The game is game 0 of a `Batch` with this seed.  None goes on with the seeds that
                follow from the last one given.
            options: Not used.
        """
        if seed is None:
            seed = int(self._seeds.integers(2**63))
        else:
            self._seeds = np.random.default_rng(seed)
        self._batch.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._turn_to_decider()

    def observe(self, agent: str) -> Observation:
        """What an agent may know now, and what it may do."""
        seat = self.possible_agents.index(agent)
        return {
            "observation": self._batch.observe(np.array([seat]))[0],
            "action_mask": self._mask(agent).copy(),
        }

    def step(self, action: int | None) -> None:
        """Play an action of the agent whose turn it is; every agent gets its reward.

        Args:
            action: An action id; None, and only that, for an agent whose game is over.

        Raises:
            IllegalMove: the action is not legal; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        rewards, done = self._batch.step(np.array([action]))
        # Whoever acts has seen what it got so far; the others' rewards add up until their turn.
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {
            player: float(rewards[0, seat]) for seat, player in enumerate(self.possible_agents)
        }
        if done[0]:
            self.terminations = dict.fromkeys(self.agents, True)
        self._turn_to_decider()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The position as a table: returned in mode "ansi", printed in mode "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; make the environment with one")
            return None
        table = self.game.draw(self.game.to_dict(self._batch.save(np.array([0]))[0]))
        if self.render_mode == "ansi":
            return table
        print(table)
        return None

    def close(self) -> None:
        """Nothing to give back."""

    def _turn_to_decider(self) -> None:
        """Select the seat to decide, or, when the game is over, the first agent to leave."""
        self.agent_selection = self.possible_agents[max(int(self._batch.to_move[0]), 0)]
        self.infos = {agent: {"action_mask": self._mask(agent)} for agent in self.agents}

    def _mask(self, agent: str) -> NDArray[np.int8]:
        """int8[A]; zero for all but the deciding seat, and for all when the game is over."""
        if self.possible_agents.index(agent) != self._batch.to_move[0]:
            return self._no_action
        mask: NDArray[np.int8] = self._batch.mask[0].astype(np.int8)
        return mask
