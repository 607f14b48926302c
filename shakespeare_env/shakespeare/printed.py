"""What the box prints, by the names of the notation."""

from __future__ import annotations

from shakespeare_env.shakespeare.box import COLOURS
from shakespeare_env.shakespeare.tables import BOX, ELEMENT_VALUE

CARDS = {card.id: card for card in BOX.characters}
OBJECTIVES = {objective.id: objective for objective in BOX.objectives}
VALUES = dict(zip(COLOURS, ELEMENT_VALUE.tolist(), strict=True))
"""The values of elements by colour."""
UNPAID = -2
"""Prestige for each character not paid (Rules F3)."""
