"""Facts of a position by name, read from observations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.game import ObservationLayout


def field(
    layout: ObservationLayout, name: str, observations: NDArray[np.int8]
) -> NDArray[np.int16]:
    """A fact as a number.

    Args:
        layout: Of the observations.
        name: A field, `seat0.pounds`; or one number of a field whose description lists names,
            `seat0.metrics.stage_spaces`.  A one-hot field gives the place of its 1, from 1, or 0
            where there is none.
        observations: int8[n, D].

    Returns:
        int16[n].

    Raises:
        KeyError: there is no such field, or no such number in it.
        ValueError: the field has several numbers; names them.
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
    """The names a description ends with; none unless there is one for each number."""
    names = description.rpartition(": ")[2].split(", ")
    return names if len(names) == size else []
