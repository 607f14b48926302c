"""Facts known to anybody who knows the rules of Shakespeare (`tests/contract/knowledge.py`)."""

from __future__ import annotations

import re
from typing import Any

_SECTIONS = {
    "S": 6, "W": 4, "T": 18, "M": 3, "R": 2, "U": 3, "P": 4, "F": 4, "V": 4, "D": 3,
}  # fmt: skip
"""Section of the rules -> number of its last rule."""
RULES = {f"{section}{n}" for section, last in _SECTIONS.items() for n in range(1, last + 1)}
RULES.add("F1a")
SECRET_MOVES = True
"""Wagers, objectives and, without the variant, what a character rests (D2)."""
OWN_FIELDS = {"wager"}
"""Its seat alone sees it before it is revealed (D2)."""

EXPLAINED_WITH_MOVE = re.compile(r"(?:quill|back|queen)[:>].*")
"""Moves that name an act or a gift, which the move's own topic explains (T6, M2, T17)."""
PART_OF_TOPIC = re.compile(r"\+3$|[0-9]+$")
"""The token beside a craftsman, the number of a copy: no part of their topics' names."""


def counters(position: dict[str, Any]) -> list[dict[str, int]]:
    """Return the counters of every seat."""
    return [_counted(position, seat) for seat in range(position["players"])]


def _counted(position: dict[str, Any], seat: int) -> dict[str, int]:
    mine = position["seats"][seat]
    amounts = {name: mine[name] for name in ("pounds", "tokens", "mood", "cylinders")}
    spaces = {
        f"act {act}": int(space)
        for act, piles in position["piles"].items()
        for space, discs in piles.items()
        if seat in discs
    }
    return {
        "points": mine["prestige"],
        **amounts,
        **spaces,
        "troupe": len(mine["troupe"]),
        "resting": sum(member["rest"] for member in mine["troupe"]),
        "objectives": len(mine["objectives"]),
        "stage": len(mine["stage"]),
        "costumes": sum(len(member["costume"]) for member in mine["troupe"]),
    }
