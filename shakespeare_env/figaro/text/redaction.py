"""What others do not see of positions and moves (Rules D2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.core.game import UNKNOWN


def seen_by(position: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """A position as a seat sees it: other hands by size only."""
    hands = [
        hand if other == seat else _unknown(hand) for other, hand in enumerate(position["hands"])
    ]
    return {**position, "hands": hands}


def _unknown(hand: Mapping[str, int]) -> dict[str, int]:
    return {UNKNOWN: sum(hand.values())} if hand else {}


def is_secret(position: Mapping[str, Any], move: str) -> bool:
    """Whether others cannot see this move: every card is played face up (Rules B1)."""
    return False
