"""Boxes in which a seat begins with more prestige than in the game's own (S2)."""

from typing import Any

OLD = "starting_prestige = 5"
NEW = (("starting_prestige = 7", 7), ("starting_prestige = 9", 9))


def fact(position: dict[str, Any]) -> int:
    """Return the most prestige that a seat has."""
    return max(int(seat["prestige"]) for seat in position["seats"])
