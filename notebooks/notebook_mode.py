"""The notebooks' mode: they play in full, or only enough to be checked."""

from __future__ import annotations

import os

VARIABLE = "NOTEBOOKS_FAST"
"""The environment variable that makes the notebooks play little if it is 1."""


def is_fast() -> bool:
    """Return whether the notebooks are only checked; ValueError unless the variable is 0 or 1."""
    value = os.environ.get(VARIABLE, "0")
    if value not in ("0", "1"):
        raise ValueError(f"{VARIABLE}={value!r} must be 1, 0 or unset")
    return value == "1"


def size(full: int, fast: int) -> int:
    """Return how much to play: in full for the figures, or just enough to check."""
    return fast if is_fast() else full
