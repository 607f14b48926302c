"""Facts that anybody who knows the rules of Figaro could state (`tests/contract/knowledge.py`)."""

from __future__ import annotations

import re
from typing import Any

_SECTIONS = {"A": 4, "B": 6, "C": 4, "D": 2}
"""Section of the rules -> number of its last rule."""
RULES = {f"{section}{n}" for section, last in _SECTIONS.items() for n in range(1, last + 1)}
SECRET_MOVES = False
"""A card is played face up, and everybody sees who takes."""
OWN_FIELDS: set[str] = set()
"""A hand stands outside the blocks of the seats; its size is in them (D2)."""

EXPLAINED_WITH_MOVE = PART_OF_TOPIC = re.compile("(?!)")
"""Never matches: all that moves name has a topic of the same name."""


def counters(position: dict[str, Any]) -> list[dict[str, int]]:
    """Return everything that can be counted of every seat."""
    return [
        {"points": -sum(road), "hand": sum(hand.values()), "taken": len(taken)}
        for road, hand, taken in zip(
            position["roads"], position["hands"], position["taken"], strict=True
        )
    ]
