"""What cards, moves and things on the table do, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.shakespeare.tables import BOX


def topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Explanations by the name used in moves."""
    cards = {card.id: f"{card.name}, {card.kind}, wage {card.cost} £" for card in BOX.characters}
    objectives = {
        objective.id: f"{objective.name}: "
        + ", ".join(f"{prestige} prestige from {at}" for at, prestige in objective.points)
        for objective in BOX.objectives
    }
    return cards | objectives
