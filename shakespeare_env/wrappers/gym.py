"""One seat of one game as a Gymnasium environment; agents play the other seats."""

from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core import registry
from shakespeare_env.wrappers.rendering import RENDER_FPS, RENDER_MODES, Renderer
from shakespeare_env.wrappers.single_agent_batch import Opponents, SingleAgentBatch
from shakespeare_env.wrappers.spaces import action_space, infos_of, observation_space

_ONLY_ROW = np.zeros(1, np.int64)


class SingleAgentEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """A game in which the learner has one seat; an episode is a game.

    The observation is int8[D], what the seat may know; `info["action_mask"]` and `action_masks()`
    say what it may do.  The reward is all that it received since its last decision.  At the end
    `info` also says how the game ended (`outcome.outcomes`), as Python numbers, and int16[L] and
    bool[L] by seat.  An illegal action ends the game with reward -1.

    Arguments are those of `SingleAgentBatch`; `players` None means as many as possible.  For
    `render_mode` see `Renderer`.

    Attributes:
        games: A `SingleAgentBatch` of one.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - a class attribute in Gymnasium's interface
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        game: str = registry.DEFAULT,
        players: int | None = None,
        seat: int | None = None,
        opponents: Opponents | None = None,
        reward: str = "win",
        render_mode: str | None = None,
        box: str | os.PathLike[str] | None = None,
        **options: bool,
    ) -> None:
        rules = registry.game(game, box)
        self.games = SingleAgentBatch(
            game,
            players=rules.max_seats if players is None else players,
            seat=seat,
            opponents=opponents,
            reward=reward,
            box=box,
            **options,
        )
        self.observation_space = observation_space(rules)
        self.action_space = action_space(rules)
        self.render_mode = render_mode
        self._renderer = Renderer(rules, render_mode)
        self._has_begun = False

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return int(self.games.seats[0])

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[A], a copy: the legal actions; none when over."""
        mask: NDArray[np.bool_] = self.games.action_masks()[0]
        return mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Start a game and let the others play until the learner is to decide.

        With a seed it is row 0 of a `SingleAgentBatch`, without one the next game.
        """
        super().reset(seed=seed)
        self.games.reset(seed)
        self._has_begun = True
        self._show()
        return self.games.batch.obs[0].copy(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play an action, then the others' until the learner decides again or the game is over.

        Truncated is always False.  ResetNeeded is raised if no game is in progress.
        """
        if not self._has_begun or self.games.over[0]:
            raise gymnasium.error.ResetNeeded("no game in progress: call reset() before step()")
        step = self.games.step(np.array([action]))
        self._show()
        reward, ended = float(step.rewards[0]), bool(step.ended[0])
        observation = self.games.observe(_ONLY_ROW)[0] if ended else self.games.batch.obs[0].copy()
        info = self._info()
        if ended:
            info |= infos_of(self.games.outcomes(_ONLY_ROW, step.illegal))[0]
        return observation, reward, ended, False, info

    def render(self) -> Any:
        """The position as text or picture; see `render_mode`."""
        return self._renderer.render(self.games.batch.save(slice(0, 1))[0])

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.games.action_masks()[0].astype(np.int8)}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
