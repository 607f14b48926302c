"""Boxes with a longer road piece than the game's own box has (A2)."""

from itertools import chain
from typing import Any

_SHORTER = "lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14"
OLD = f"{_SHORTER}, 15]"
NEW = ((f"{_SHORTER}, 17]", 17), (f"{_SHORTER}, 19]", 19))


def fact(position: dict[str, Any]) -> int:
    """Return the longest piece of all rounds; six seats play with all fifteen pieces (A3)."""
    return int(max(chain.from_iterable(position["pieces"])))
