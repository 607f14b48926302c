"""Named facts of a position, read from observations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.game import ObservationLayout


def field(
    layout: ObservationLayout, name: str, observations: NDArray[np.int8]
) -> NDArray[np.int16]:
    """int16[n]: a fact as a number, from int8[n, D] observations.

    Args:
        layout: The layout of the observations.
        name: A field, `seat0.pounds`, or one of its named numbers, `seat0.metrics.stage_spaces`. A
            one-hot field gives its 1's place, from 1, or 0.
        observations: int8[n, D].

    Raises:
        KeyError: no such field or number.
        ValueError: the field has several numbers.
    """
    if name in layout.fields:
        found = layout[name]
        numbers = observations[:, found.slice].astype(np.int16)
        if found.size == 1:
            return numbers[:, 0]
        if found.description.startswith("one-hot:"):
            return np.where(numbers.any(axis=1), numbers.argmax(axis=1) + 1, 0).astype(np.int16)
        listed = ", ".join(_listed(found.description, found.size)) or "without names"
        raise ValueError(f"{name!r} has {found.size} numbers: {listed}")
    whole, _, part = name.rpartition(".")
    found = layout[whole]
    names = _listed(found.description, found.size)
    if part not in names:
        raise KeyError(f"{whole!r} has no number {part!r}; there are {', '.join(names) or 'none'}")
    return observations[:, found.start + names.index(part)].astype(np.int16)


def _listed(description: str, size: int) -> list[str]:
    """The names at the end of a description; empty unless there is one per number."""
    names = description.rpartition(": ")[2].split(", ")
    return names if len(names) == size else []
