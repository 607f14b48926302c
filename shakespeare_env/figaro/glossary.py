"""What cards and moves do, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.figaro.tables import FULL


def topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Explanations by the name used in moves."""
    return {
        "take": "Take every card that lies face up; then play a card.",
        "total": f"A seat whose cards reach {FULL} takes every card that lies face up.",
    }
