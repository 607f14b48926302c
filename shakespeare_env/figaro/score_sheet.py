"""What a score is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """A row per road piece, long to short, a column per seat; a road counts against its seat."""
    roads = position["roads"]
    return [
        (f"piece {number + 1}", [-road[number] if number < len(road) else 0 for road in roads])
        for number in range(max(1, *map(len, roads)))
    ]
