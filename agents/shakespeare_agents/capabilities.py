"""Capabilities of agents beyond choosing actions: identity, recipe for workers, GPU policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AnyAgent

Recipe = Callable[[Game], AnyAgent]
"""A picklable function that rebuilds an agent in another process, for the game as it is there."""


@runtime_checkable
class SelfDescribing(Protocol):
    """Says what decides how an agent plays, and how it travels to workers.

    This holds for the class that defines the methods; a subclass may play otherwise.
    """

    def identity(self) -> list[Any] | None:
        """Return the JSON values that decide how the agent plays, its kind first.

        None means that its name and options decide instead.
        """
        ...

    def recipe(self) -> Recipe | None:
        """Return a recipe for the agent; None if it travels by its name, or pickled."""
        ...


@dataclass(frozen=True)
class RulePolicy:
    """A compiled rule that chooses an action.

    Attributes:
        owner: The folder of its machine code.
        choose: Compiled (observation int8[D], mask bool[A], draw from 0 up to 1) -> action.
    """

    owner: str
    choose: Callable[[Any, Any, float], int]


@dataclass(frozen=True)
class NetworkPolicy:
    """A network that chooses an action.

    Attributes:
        tensors: The network's weights, by name.
        greedy: Whether it plays the likeliest action rather than a draw.
    """

    tensors: Mapping[str, NDArray[np.float32]]
    greedy: bool


@runtime_checkable
class PlaysOnDevice(Protocol):
    """An agent that can also decide on a GPU."""

    def device_policy(self) -> RulePolicy | NetworkPolicy:
        """Return how the agent decides, as code on a GPU needs it."""
        ...
