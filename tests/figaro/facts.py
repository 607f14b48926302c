"""Facts known to anybody who knows the rules of Figaro (`tests/contract/knowledge.py`)."""

from __future__ import annotations

import re
from typing import Any

_SECTIONS = {"A": 4, "B": 6, "C": 4, "D": 2}
"""Section of the rules -> number of its last rule."""
RULES = {f"{section}{n}" for section, last in _SECTIONS.items() for n in range(1, last + 1)}
SECRET_MOVES = False
"""Cards are played face up, and everybody sees who takes."""
OWN_FIELDS: set[str] = set()
"""No field of a seat's block is for that seat alone: its hand stands outside the blocks (D2)."""

EXPLAINED_WITH_MOVE = PART_OF_TOPIC = re.compile("(?!)")
"""Never matches, since everything that moves name has a topic of the same name."""


def counters(position: dict[str, Any]) -> list[dict[str, int]]:
    """Return the counters of every seat."""
    return [
        {"points": -sum(road), "hand": sum(hand.values()), "taken": len(taken)}
        for road, hand, taken in zip(
            position["roads"], position["hands"], position["taken"], strict=True
        )
    ]
