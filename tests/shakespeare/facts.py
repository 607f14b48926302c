"""Facts known to anybody who knows the rules of Shakespeare (`tests/contract/knowledge.py`)."""

from __future__ import annotations

import re
from typing import Any

_SECTIONS = {
    "S": 6, "W": 4, "T": 18, "M": 3, "R": 2, "U": 3, "P": 4, "F": 4, "V": 4, "D": 3,
}  # fmt: skip
"""The number of each section's last rule."""
RULES = {f"{section}{n}" for section, last in _SECTIONS.items() for n in range(1, last + 1)}
RULES.add("F1a")
SECRET_MOVES = True
"""Wagers, objectives and, without strategic rest, rest choices are secret (D2)."""
OWN_FIELDS = {"wager"}
"""Fields of a seat's block that only this seat sees before they are revealed (D2)."""

EXPLAINED_WITH_MOVE = re.compile(r"(?:quill|back|queen)[:>].*")
"""Matches moves whose own topic explains the act or gift that they name (T6, M2, T17)."""
PART_OF_TOPIC = re.compile(r"\+3$|[0-9]+$")
"""The token beside a craftsman, the number of a copy: no part of their topics' names."""


def counters(position: dict[str, Any]) -> list[dict[str, int]]:
    """Return the counters of every seat."""
    return [_counted(position, seat) for seat in range(position["players"])]


def _counted(position: dict[str, Any], seat: int) -> dict[str, int]:
    entry = position["seats"][seat]
    amounts = {name: entry[name] for name in ("pounds", "tokens", "mood", "cylinders")}
    spaces = {
        f"act {act}": int(space)
        for act, piles in position["piles"].items()
        for space, discs in piles.items()
        if seat in discs
    }
    return {
        "points": entry["prestige"],
        **amounts,
        **spaces,
        "troupe": len(entry["troupe"]),
        "resting": sum(member["rest"] for member in entry["troupe"]),
        "objectives": len(entry["objectives"]),
        "stage": len(entry["stage"]),
        "costumes": sum(len(member["costume"]) for member in entry["troupe"]),
    }
