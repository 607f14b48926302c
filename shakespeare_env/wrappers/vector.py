"""One seat in each of many games as a native vector environment of Gymnasium."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from shakespeare_env import registry
from shakespeare_env.arguments import check_arguments
from shakespeare_env.batch_checks import Integers, checked_count
from shakespeare_env.memory import require_memory
from shakespeare_env.wrappers.opponents import Opponents
from shakespeare_env.wrappers.rendering import RENDER_FPS, Renderer
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.spaces import action_space, observation_space

_COPIES = 6
"""Of observations and masks: the batch's, what a step returns, and the bounds of the spaces."""


class SingleAgentVectorEnv(VectorEnv[NDArray[np.int8], NDArray[Any], NDArray[Any]]):
    """N games, stepped together, in each of which the learner has one seat.

    Every row is a `SingleAgentEnv`.  When a game ends, the next one starts in the same step
    (`AutoresetMode.SAME_STEP`): the observation is the new game's, and the infos hold, as in
    Gymnasium's own,

    - `final_obs`: object[n], what the seat saw at the end, int8[D], or None;
    - `final_info`: `final_scores`, int16[n, S], `winners`, bool[n, S], and `illegal_action`,
      bool[n];
    - `_final_obs`, `_final_info`: bool[n], the rows concerned.

    `infos["action_mask"]`, int8[n, A], is always present.  Arguments are those of
    `SingleAgentBatch`; `players` None means as many as possible.  `render_mode` is None, "ansi" or
    "rgb_array".

    Attributes:
        games: The `SingleAgentBatch`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - a class attribute in Gymnasium's interface
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        game: str = registry.DEFAULT,
        players: int | Integers | None = None,
        seat: int | None = None,
        opponents: Opponents | None = None,
        reward: str = "win",
        threads: int = 1,
        render_mode: str | None = None,
        box: str | os.PathLike[str] | None = None,
        **options: bool,
    ) -> None:
        rules = registry.game(game, box)
        check_arguments(SingleAgentVectorEnv.__init__, rules.options, options)
        if render_mode == "human":
            raise ValueError("render_mode='human' shows one game: use the single environment")
        require_memory(
            f"num_envs={checked_count('num_envs', num_envs)}",
            num_envs * (rules.state.itemsize + _COPIES * (rules.layout.size + rules.actions.size)),
            "use fewer environments",
        )
        self.games = SingleAgentBatch(
            game,
            num_envs,
            players=rules.max_seats if players is None else players,
            seat=seat,
            opponents=opponents,
            threads=threads,
            reward=reward,
            box=box,
            **options,
        )
        self.num_envs = num_envs
        self.single_observation_space = observation_space(rules)
        self.single_action_space = action_space(rules)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.render_mode = render_mode
        self._renderer = Renderer(rules, render_mode)
        self._has_begun = False

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[n, A], a copy: the legal actions of every row."""
        return self.games.action_masks()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Start all games and let the others play until the learner is to decide.

        Every row draws from its own stream under the one seed; None deals the games that follow.
        """
        super().reset(seed=seed)
        self.games.reset(seed)
        self._has_begun = True
        return self.games.batch.obs.copy(), self._infos()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action, int[n], in every game, then the others' until the learner decides again.

        Rewards are float32[n], truncations always False.  ResetNeeded is raised before a reset.
        """
        if not self._has_begun:
            raise ResetNeeded("no game in progress: call reset() before step()")
        games = self.games
        step = games.step(actions)
        ended = np.flatnonzero(step.ended)
        final = self._final(ended, step.illegal) if len(ended) else {}
        if len(ended):
            games.restart(ended)
        infos = self._infos() | final
        never = np.zeros(self.num_envs, np.bool_)
        return games.batch.obs.copy(), step.rewards, step.ended, never, infos

    def render(self) -> Any:
        """A tuple with every game as text or picture; see `render_mode`."""
        return tuple(self._renderer.render(record) for record in self.games.batch.save(slice(None)))

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self.games.action_masks().astype(np.int8),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }

    def _final(self, ended: NDArray[np.int64], illegal: NDArray[np.bool_]) -> dict[str, Any]:
        """The infos of games just ended, before the next ones replace them."""
        games, batch = self.games, self.games.batch
        which = np.zeros(self.num_envs, np.bool_)
        which[ended] = True
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(ended, games.observe(ended), strict=True):
            observations[row] = observation
        scores = np.zeros_like(batch.final_scores)
        winners = np.zeros_like(batch.final_winners)
        scores[ended], winners[ended] = games.results(ended)
        info = {
            "action_mask": np.zeros((self.num_envs, batch.actions.size), np.int8),
            "final_scores": scores,
            "winners": winners,
            "illegal_action": illegal,
        }
        return {
            "final_obs": observations,
            "_final_obs": which,
            "final_info": info | {f"_{name}": which.copy() for name in info},
            "_final_info": which.copy(),
        }
