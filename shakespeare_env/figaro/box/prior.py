"""The prior of plausible boxes: lengths of the road pieces, which no source gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shakespeare_env.boxes import Changes, Groups

_PIECES = 15
_LONGEST = 30


def road(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw fifteen lengths up to 30, evenly spread or closer together among the short ones."""
    bend = rng.uniform(1.0, 2.0)
    longest = int(rng.integers(_PIECES, _LONGEST + 1))
    even = longest * (np.arange(1, _PIECES + 1) / _PIECES) ** bend
    lengths: list[int] = []
    for length in np.rint(even + rng.normal(0, 0.3, _PIECES)).astype(int).tolist():
        least = lengths[-1] + 1 if lengths else 1
        lengths.append(max(length, least))
    yield ("road", "lengths"), lengths


GROUPS: Groups = {"road": road}
