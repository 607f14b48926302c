"""Optional methods of agents: their identity, a recipe for workers, and a policy for the GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AnyAgent

Recipe = Callable[[Game], AnyAgent]
"""A picklable function that rebuilds an agent in another process, given that process's game."""


@runtime_checkable
class SelfDescribing(Protocol):
    """An agent that states what decides how it plays, and how to rebuild it in a worker.

    A subclass that only inherits the methods does not count, because it may play differently.
    """

    def identity(self) -> list[Any] | None:
        """Return the JSON values that decide how the agent plays, starting with its kind.

        None means that a part of the agent is the user's own. Then its name or version decides.
        """
        ...

    def recipe(self) -> Recipe | None:
        """Return a recipe for the agent. None means that it is sent by its name, or pickled."""
        ...


@dataclass(frozen=True)
class RulePolicy:
    """A compiled rule that chooses an action.

    Attributes:
        owner: What the rule belongs to, such as the game's name. The name of the folder that keeps
            its machine code begins with it.
        choose: Compiled (observation int8[D], mask bool[A], random number in [0, 1)) -> action.
    """

    owner: str
    choose: Callable[[Any, Any, float], int]


@dataclass(frozen=True)
class NetworkPolicy:
    """A network that chooses an action.

    Attributes:
        tensors: The network's weights by name.
        greedy: Whether the likeliest action is played. Otherwise actions are sampled.
    """

    tensors: Mapping[str, NDArray[np.float32]]
    greedy: bool


@runtime_checkable
class PlaysOnDevice(Protocol):
    """An agent that can also decide on a GPU."""

    def device_policy(self) -> RulePolicy | NetworkPolicy:
        """Return the agent's policy in a form that can run on a GPU."""
        ...
