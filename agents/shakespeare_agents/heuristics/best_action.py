"""Plays the action a game's rules of thumb score best, compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.capabilities import RulePolicy
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.kernels import as_kernel_array
from shakespeare_env.play.generators import GameGenerators

_TIE = 1e-9


class BestAction:
    """Plays the action with the highest immediate worth; ties break at random.

    `score` gives a legal action's worth, compiled, by observation and action, and `best` an action
    by observation, mask and draw, for kernels on any device; `owner` names machine code's folder.
    """

    def __init__(self, owner: str, score: Callable[[Any, int], float]) -> None:
        self.owner = owner
        self.best, self._choose = _chooser(owner, score)

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """See `Agent.act`."""
        actions = np.empty(len(masks), np.int64)
        self._choose(
            as_kernel_array(observations, np.int8),
            as_kernel_array(masks, np.bool_),
            rng.random(),
            actions,
        )
        return actions

    def device_policy(self) -> RulePolicy:
        """Return the compiled rule that chooses the action."""
        return RulePolicy(self.owner, self.best)


@cache  # nothing frees machine code
def _chooser(owner: str, score: Callable[[Any, int], float]) -> tuple[Any, Any]:

    @rule
    def best_score(seen: Any, mask: Any) -> float:
        best = -np.inf
        for action in range(mask.size):
            if mask[action]:
                best = max(best, score(seen, action))
        return best

    @rule
    def best(seen: Any, mask: Any, draw: float) -> int:
        """The best action of a decision; a draw from 0 up to 1 breaks ties."""
        least = best_score(seen, mask) - _TIE
        equals = 0
        for action in range(mask.size):
            equals += mask[action] and score(seen, action) >= least
        left = int(draw * equals)
        for action in range(mask.size):
            if mask[action] and score(seen, action) >= least:
                if left == 0:
                    return action
                left -= 1
        return -1

    @kernel(owner, purpose="an agent's rules of thumb (choices)")
    def choose(observations: Any, masks: Any, draws: Any, actions: Any) -> None:
        for i in range(len(masks)):
            actions[i] = best(observations[i], masks[i], draws[i])

    return best, choose


def make_evaluator(
    owner: str, worth: Callable[[Any], float]
) -> Callable[[NDArray[np.int8]], NDArray[np.float64]]:
    """An `Evaluation` for `GreedyAgent`, in float64, from a compiled (observation) -> float."""

    @kernel(owner, purpose="an agent's rules of thumb (ratings)")
    def write_worth(observations: Any, out: Any) -> None:
        for i in range(len(out)):
            out[i] = worth(observations[i])

    def evaluate(observations: NDArray[np.int8]) -> NDArray[np.float64]:
        out = np.empty(len(observations))
        write_worth(as_kernel_array(observations, np.int8), out)
        return out

    return evaluate
