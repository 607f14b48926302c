"""Printed facts as numbers, and what in observations and actions they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NONE = -1
"""Stands where an entity has no such input or action."""


@dataclass(frozen=True, eq=False)
class FactTable:
    """What is printed about the entities of one kind, such as cards, in each box in force.

    A network that multiplies these facts with what it sees of the entities needs no weights of its
    own for each box (`shakespeare_agents.networks.facts`).

    Attributes:
        name: Of the kind.
        facts: int16[B, E, F], of E entities in B boxes.
        inputs: int64[K, E], numbers of the observation that say something about the entities, a row
            for each thing that is said, such as "in the seat's troupe"; or `NONE`.
        actions: int64[M, E], actions that choose an entity, a row for each thing done; or `NONE`.
    """

    name: str
    facts: npt.NDArray[np.int16]
    inputs: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]


def index_rows(rows: Sequence[npt.ArrayLike], entities: int) -> npt.NDArray[np.int64]:
    """int64[k, E] of k rows, also of none."""
    return np.array(rows, np.int64).reshape(-1, entities)
