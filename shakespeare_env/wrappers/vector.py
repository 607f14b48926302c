"""One seat in each of many games as a native vector environment of Gymnasium."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from shakespeare_env.checks.values import shown
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import Integers, as_actions
from shakespeare_env.wrappers.rendering import RENDER_FPS, Renderer
from shakespeare_env.wrappers.single_agent_batch import Opponents, SingleAgentBatch
from shakespeare_env.wrappers.spaces import action_space, observation_space


class SingleAgentVectorEnv(VectorEnv[NDArray[np.int8], NDArray[Any], NDArray[Any]]):
    """N games, stepped together; the learner has one seat in each.

    Every row is a `SingleAgentEnv`.  What follows the end of a row's game is up to
    `autoreset_mode`, an `AutoresetMode` or its name, as in Gymnasium's own vector environments:

    - `NEXT_STEP`: the next step starts the next game, whatever the row's action, with reward 0;
    - `SAME_STEP`: the next game starts in the same step, so that none is lost on it.  The
      observation is the new game's; the infos hold `final_obs`, object[n], what the seat saw at the
      end, int8[D], or None, and `final_info`, the last game's infos;
    - `DISABLED`: `reset(options={"reset_mask": mask})` starts it.

    The info of a game's end says how it ended (`outcome.outcomes`), int or float[n], int16[n, L]
    and bool[n, L].  Beside each key `_key`, bool[n], says which rows it is for.
    `infos["action_mask"]`, int8[n, A], is always present, all 0 in a game that is over.

    Arguments are those of `SingleAgentBatch`; `players` None means as many as possible.
    `render_mode` is None, "ansi" or "rgb_array".

    Attributes:
        games: The `SingleAgentBatch`.
        autoreset_mode: The `AutoresetMode` asked for.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - a class attribute in Gymnasium's interface
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
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
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: bool,
    ) -> None:
        rules = registry.game(game, box)
        if render_mode == "human":
            raise ValueError("render_mode='human' shows one game: use the single environment")
        known = AutoresetMode.__members__
        if isinstance(autoreset_mode, AutoresetMode):
            self.autoreset_mode = autoreset_mode
        elif autoreset_mode in known:
            self.autoreset_mode = known[autoreset_mode]
        else:
            raise ValueError(f"autoreset_mode={autoreset_mode!r}: choose {', '.join(known)}")
        # Wrappers of Gymnasium add to the modes in place.
        modes = list(type(self).metadata["render_modes"])
        self.metadata = {
            **type(self).metadata,
            "render_modes": modes,
            "autoreset_mode": self.autoreset_mode,
        }
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
        """Start games and let the others play until the learner is to decide.

        Args:
            seed: Every row draws from its own stream under it; None deals the games that follow.
            options: `reset_mask`, bool[n], the rows to start; without it all are.
        """
        rows = None
        if options is not None and "reset_mask" in options:
            rows = _masked_rows(options["reset_mask"], self.num_envs)
            if not self._has_begun:
                raise ResetNeeded("no games in progress: call reset() without a reset_mask first")
        super().reset(seed=seed)
        self.games.reset(seed, rows)
        self._has_begun = True
        return self._observations(), self._infos()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action, int[n], in every game, then the others' until the learner decides again.

        Rewards are float32[n], truncations always False.

        Raises:
            ResetNeeded: there was no reset, or in mode `DISABLED` none of a game that is over.
        """
        if not self._has_begun:
            raise ResetNeeded("no game in progress: call reset() before step()")
        games = self.games
        over = np.flatnonzero(games.over)
        if not len(over):
            step = games.step(actions)
        elif self.autoreset_mode is AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"games {over.tolist()} are over: call reset(options={{'reset_mask': mask}}) with "
                "True for them before step()"
            )
        else:
            chosen, running = as_actions(actions, self.num_envs), np.flatnonzero(~games.over)
            games.reset(rows=over)
            step = games.step(chosen[running], running)
        ended = np.flatnonzero(step.ended)
        final: dict[str, Any] = {}
        if len(ended):
            ends = self._by_row(games.outcomes(ended, step.illegal[ended]), ended)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final = self._final(ended, ends)
                games.reset(rows=ended)
            else:
                final = ends
        never = np.zeros(self.num_envs, np.bool_)
        return self._observations(), step.rewards, step.ended, never, self._infos() | final

    def render(self) -> Any:
        """A tuple with every game as text or picture; see `render_mode`."""
        return tuple(self._renderer.render(record) for record in self.games.batch.save(slice(None)))

    def _observations(self) -> NDArray[np.int8]:
        """int8[n, D], a copy: what the learner sees."""
        seen = self.games.batch.obs.copy()
        over = np.flatnonzero(self.games.over)
        if len(over):
            seen[over] = self.games.observe(over)
        return seen

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self.games.action_masks().astype(np.int8),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }

    def _by_row(
        self, values: dict[str, NDArray[Any]], rows: NDArray[np.int64]
    ) -> dict[str, NDArray[Any]]:
        """Values of some rows in arrays of all, and beside each the rows that it is for."""
        which = np.zeros(self.num_envs, np.bool_)
        which[rows] = True
        infos = {}
        for name, of_rows in values.items():
            infos[name] = np.zeros((self.num_envs, *of_rows.shape[1:]), of_rows.dtype)
            infos[name][rows] = of_rows
            infos[f"_{name}"] = which.copy()
        return infos

    def _final(self, ended: NDArray[np.int64], ends: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """The infos of games just ended, before the next ones replace them."""
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(ended, self.games.observe(ended), strict=True):
            observations[row] = observation
        over = np.zeros((len(ended), self.games.batch.actions.size), np.int8)
        which = ends["_won"]
        return {
            "final_obs": observations,
            "_final_obs": which.copy(),
            "final_info": self._by_row({"action_mask": over}, ended) | ends,
            "_final_info": which.copy(),
        }


def _masked_rows(mask: object, n: int) -> NDArray[np.int64]:
    """The rows to start, as Gymnasium takes them: bool[n], at least one True."""
    given = np.asarray(mask)
    if given.dtype != np.bool_ or given.shape != (n,) or not given.any():
        raise ValueError(f"reset_mask={shown(mask)}: give {n} bools, at least one of them True")
    return np.flatnonzero(given)
