"""Games as vector environments of Stable-Baselines3, without Python code per game."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.extras import needing
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.spaces import (
    NO_OFFENDER,
    RENDER_FPS,
    Renderer,
    action_space,
    infos_of,
    observation_space,
    outcomes,
)

with needing("train", "shakespeare_env.wrappers.sb3 needs"):
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

_Played = tuple[NDArray[np.float32], NDArray[np.bool_], dict[str, NDArray[Any]]]
"""Rewards, the games that ended, and what their infos say."""


class SB3VecEnv(VecEnv):
    """The base of the environments here, which are rows of arrays, not lists of environments.

    When a game ends, the next one starts in the same step; the info of its row then holds
    `terminal_observation`, int8[D], and says how the game ended (`spaces.outcomes`).  With
    `render_mode` "rgb_array", `render` returns a picture of game 0.
    """

    def __init__(self, batch: Batch, render_mode: str | None) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode={render_mode!r}: choose None or 'rgb_array'")
        self.batch = batch
        self.render_mode = render_mode
        self._renderer = Renderer(batch.game, render_mode)
        super().__init__(batch.n, observation_space(batch.game), action_space(batch.game))
        about: dict[str, Any] = {**self.metadata, "render_fps": RENDER_FPS}
        self.metadata = about

    @abstractmethod
    def action_masks(self) -> NDArray[np.bool_]:
        """bool[n, A], a copy: the legal actions of each row."""

    @abstractmethod
    def _play(self, actions: NDArray[Any]) -> _Played:
        """Play int[n], one action in each game, and start the next ones."""

    @abstractmethod
    def _begin(self, seed: int | None) -> None: ...

    def reset(self) -> NDArray[np.int8]:
        """int8[n, D]: deal new games, from a seed given to `seed`; unplayed ones stay as dealt."""
        self._begin(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return self.batch.obs.copy()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions, int[n], for `step_wait`."""
        self._actions = np.asarray(actions).reshape(self.num_envs)

    def step_wait(self) -> VecEnvStepReturn:
        """Play the actions; rewards are float32[n], observations of the seats now to decide."""
        rewards, ended, final = self._play(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row, info in zip(np.flatnonzero(ended), infos_of(final), strict=bool(final)):
            infos[row] = info
        return self.batch.obs.copy(), rewards, ended, infos

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A picture of game 0."""
        picture: Any = self._renderer.render(self.batch.save(slice(0, 1))[0])
        return [picture]

    def close(self) -> None:
        """Nothing to release."""

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the games that `reset` deals; None deals those that follow."""
        self._seeds = [seed] * self.num_envs
        return self._seeds

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """This environment's attribute, per game asked for."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raise AttributeError: the games are rows of one batch."""
        raise AttributeError(f"{attr_name!r} cannot be set for single games of a batch")

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Rows of `action_masks`, which MaskablePPO asks for; else AttributeError."""
        if method_name != "action_masks":
            raise AttributeError(f"{method_name!r} is not a method of single games of a batch")
        rows = self.action_masks()
        return [rows[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """False for every game."""
        return [False for _ in self._get_indices(indices)]


class SB3SingleAgentVecEnv(SB3VecEnv):
    """The learner has one seat in every game, agents play the others.

    An illegal action ends its game with reward -1.
    """

    def __init__(self, games: SingleAgentBatch, render_mode: str | None = None) -> None:
        self.games = games
        super().__init__(games.batch, render_mode)

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[n, A], a copy: the learner's legal actions."""
        return self.games.action_masks()

    def _begin(self, seed: int | None) -> None:
        self.games.reset(seed)

    def _play(self, actions: NDArray[Any]) -> _Played:
        games = self.games
        step = games.step(actions)
        ended = np.flatnonzero(step.ended)
        final: dict[str, NDArray[Any]] = {}
        if len(ended):
            final["terminal_observation"] = games.observe(ended)
            final |= games.outcomes(ended, step.illegal[ended])
            games.restart(ended)
        return step.rewards, step.ended, final


class SB3SelfPlayVecEnv(SB3VecEnv):
    """Self-play: a row is a game, and the learner plays all its seats.

    Observation and mask are those of the seat to move, so a learner must not treat a row as one
    player: `step` returns the last mover's reward beside the next seat's observation.  Self-play
    learners read `seats` before a step and `seat_rewards` after it, and follow each seat's own
    decisions, as `shakespeare_training.ppo` does.

    The info of a game that ended is the last mover's.  An illegal action raises `IllegalMove` and
    changes no game.  The batch must have `autoreset=False`.

    Attributes:
        seat_rewards: float32[n, S], what each seat received in the last step.
    """

    def __init__(self, batch: Batch, render_mode: str | None = None) -> None:
        if batch.autoreset:
            raise ValueError(
                "autoreset=True: make the Batch with autoreset=False; the environment starts the "
                "next games itself, once it has seen the end of the last ones"
            )
        shape = batch.n, batch.game.max_seats
        self.seat_rewards: NDArray[np.float32] = np.zeros(shape, np.float32)
        self._untouched = True
        self._rows = np.arange(batch.n)
        self._first_places = self._rows * batch.game.max_seats
        self._longest = int(batch.players.max())
        super().__init__(batch, render_mode)

    @property
    def seats(self) -> NDArray[np.int8]:
        """int8[n], the seats to decide; the batch's own array, rewritten by `step`."""
        return self.batch.to_move

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[n, A], a copy: the legal actions of the seats to decide."""
        return self.batch.mask.copy()

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self.batch.reset(seed)
        elif not self._untouched:
            self.batch.restart(self._rows)
        self._untouched = True
        self.seat_rewards = np.zeros_like(self.seat_rewards)

    def _play(self, actions: NDArray[Any]) -> _Played:
        batch = self.batch
        movers = batch.to_move.copy()
        rewards, dones = batch.step(actions)
        self._untouched = False
        self.seat_rewards, dones = rewards.copy(), dones.copy()
        ended = np.flatnonzero(dones)
        final: dict[str, NDArray[Any]] = {}
        if len(ended):
            final["terminal_observation"] = batch.observe(movers[ended], ended)
            final |= outcomes(
                batch.game,
                movers[ended],
                batch.players[ended],
                batch.final_scores[ended][:, : self._longest],
                batch.final_winners[ended][:, : self._longest],
                np.full(len(ended), NO_OFFENDER),
            )
            batch.restart(ended)
        return self.seat_rewards.take(self._first_places + movers), dones, final
