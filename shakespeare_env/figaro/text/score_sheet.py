"""What a score is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.figaro.box.tables import N_ROUNDS


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """A row per road piece, the longest first, a column per seat; pieces count against it (C4)."""
    rows = []
    for place in range(N_ROUNDS):
        lengths = [road[place] if place < len(road) else 0 for road in position["roads"]]
        rows.append((f"road piece {place + 1}", [-length for length in lengths]))
    return rows
