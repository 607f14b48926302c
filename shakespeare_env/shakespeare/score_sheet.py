"""What a score is made of, as far as a position tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """Prestige by source, a column per seat."""
    return [("prestige", [seat["prestige"] for seat in position["seats"]])]
