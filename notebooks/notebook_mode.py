"""How much the notebooks play: all of it, or little, for a check that they run."""

from __future__ import annotations

import os

VARIABLE = "NOTEBOOKS_FAST"
"""Set to 1, this environment variable has the notebooks play little."""


def is_fast() -> bool:
    """Whether the notebooks are only to be checked.

    Raises:
        ValueError: the variable is set to something else than 0 or 1.
    """
    value = os.environ.get(VARIABLE, "0")
    if value not in ("0", "1"):
        raise ValueError(f"{VARIABLE}={value!r} must be 1, 0 or unset")
    return value == "1"


def size(full: int, fast: int) -> int:
    """One of two numbers of games, positions or decisions.

    Args:
        full: Where figures are to be read.
        fast: Where it is enough that they are made.
    """
    return fast if is_fast() else full
