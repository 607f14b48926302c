"""A compiled agent that plays the action with the highest score by a game's heuristic."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.capabilities import Recipe, RulePolicy
from shakespeare_agents.heuristics import heuristic_agent
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.kernels import as_kernel_array
from shakespeare_env.play.generators import GameGenerators

_TIE = 1e-9  # scores that differ by at most this count as equal


class BestAction:
    """Plays the legal action that a game's heuristic scores highest; ties break at random.

    Args:
        owner: The beginning of the name of the folder that keeps the agent's machine code, such as
            `"heuristic-figaro"`.
        score: Compiled (observation int8[D], action) -> float.
    """

    def __init__(self, owner: str, score: Callable[[Any, int], float]) -> None:
        self.owner = owner
        # `best` is a rule that chooses in one game; `_choose` is a kernel that chooses in many.
        self.best, self._choose = _chooser(owner, score)

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """Choose the best action in each game, as `Agent.act` asks."""
        actions = np.empty(len(masks), np.int64)
        self._choose(
            as_kernel_array(observations, np.int8),
            as_kernel_array(masks, np.bool_),
            rng.random(),
            actions,
        )
        return actions

    def identity(self) -> list[Any]:
        """Return the agent's kind alone, since a game has one heuristic."""
        return ["heuristic", {}]

    def recipe(self) -> Recipe:
        """Return a recipe for the agent of the game's heuristic."""
        return heuristic_agent

    def device_policy(self) -> RulePolicy:
        """Return the compiled rule that chooses the action."""
        return RulePolicy(self.owner, self.best)


@cache  # nothing frees machine code
def _chooser(owner: str, score: Callable[[Any, int], float]) -> tuple[Any, Any]:
    """Compile a rule that chooses an action in one game, and a kernel that does so in many."""

    @rule
    def best_score(seen: Any, mask: Any) -> float:
        best = -np.inf
        for action in range(mask.size):
            if mask[action]:
                best = max(best, score(seen, action))
        return best

    @rule
    def best_action(seen: Any, mask: Any, draw: float) -> int:
        """Return the best action of a decision. `draw`, a random number in [0, 1), breaks ties."""
        least = best_score(seen, mask) - _TIE
        equals = 0
        for action in range(mask.size):
            if mask[action] and score(seen, action) >= least:
                equals += 1
        # Return the tied action that comes after this many other tied actions.
        left = int(draw * equals)
        for action in range(mask.size):
            if mask[action] and score(seen, action) >= least:
                if left == 0:
                    return action
                left -= 1
        return -1  # no action is legal

    @kernel(owner, purpose="an agent's heuristic (choices)")
    def choose(observations: Any, masks: Any, draws: Any, actions: Any) -> None:
        for i in range(len(masks)):
            actions[i] = best_action(observations[i], masks[i], draws[i])

    return best_action, choose


class HeuristicEvaluator:
    """Evaluates positions by a game's heuristic.

    Args:
        owner: The beginning of the name of the folder that keeps the evaluator's machine code, such
            as `"heuristic-figaro"`.
        value: Compiled (observation int8[D]) -> float.
    """

    def __init__(self, owner: str, value: Callable[[Any], float]) -> None:
        @kernel(owner, purpose="an agent's heuristic (values)")
        def write_values(observations: Any, out: Any) -> None:
            for i in range(len(out)):
                out[i] = value(observations[i])

        self._write_values = write_values

    def __call__(self, observations: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the values of positions, int8[n, D] -> float64[n]; more is better."""
        values = np.empty(len(observations))
        self._write_values(as_kernel_array(observations, np.int8), values)
        return values
