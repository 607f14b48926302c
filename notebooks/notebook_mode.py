"""How much the notebooks play: all of it, or little, to check that they run."""

from __future__ import annotations

import os

VARIABLE = "NOTEBOOKS_FAST"
"""Set this environment variable to 1 and the notebooks play little."""


def is_fast() -> bool:
    """Whether the notebooks are only to be checked.

    Raises:
        ValueError: the variable is neither 0 nor 1.
    """
    value = os.environ.get(VARIABLE, "0")
    if value not in ("0", "1"):
        raise ValueError(f"{VARIABLE}={value!r} must be 1, 0 or unset")
    return value == "1"


def size(full: int, fast: int) -> int:
    """How many games, positions or decisions to play.

    Args:
        full: Where the figures are read.
        fast: Where it is enough that there are some.
    """
    return fast if is_fast() else full
