"""The mode of the notebooks: they play all their games, or only enough to be checked."""

from __future__ import annotations

import os

VARIABLE = "NOTEBOOKS_FAST"
"""The environment variable that turns on the fast mode if it is 1."""


def is_fast() -> bool:
    """Return whether the notebooks are only checked.

    Raises:
        ValueError: The variable is neither 0 nor 1.
    """
    value = os.environ.get(VARIABLE, "0")
    if value not in ("0", "1"):
        raise ValueError(f"{VARIABLE}={value!r}: set it to 1 or 0, or leave it unset")
    return value == "1"


def size(full: int, fast: int) -> int:
    """Return a number of games: `full` for good figures, or `fast` in the fast mode."""
    return fast if is_fast() else full
