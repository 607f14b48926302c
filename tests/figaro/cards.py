"""The cards of Figaro and how many are dealt: Rules A1, written down without the engine."""

from __future__ import annotations

from collections import Counter

COLOURS = ("red", "orange", "green", "blue", "purple")
JESTERS = ("jester-1", "jester-2")
RING = "ring"
_COLOURED = [f"{colour}-{value}" for colour in COLOURS for value in (1, 2, 3)]
KINDS = (*_COLOURED, *JESTERS, RING)
"""Every kind of card, in the order of the action table and of the observation."""
_COPIES_BY_VALUE = ((1, 3), (2, 6), (3, 1))
COPIES = Counter(
    {f"{colour}-{value}": copies for colour in COLOURS for value, copies in _COPIES_BY_VALUE}
    | {"jester-1": 3, "jester-2": 2, RING: 5}
)
ABSENT = Counter(
    {"purple-1": 3, "purple-2": 6, "purple-3": 1, "jester-1": 1, "jester-2": 1, RING: 3}
)
"""The cards that stay in the box with three seats."""
HAND = {3: 15, 4: 15, 5: 12, 6: 10}
"""The number of cards that each seat is dealt, by number of seats."""


def deck(players: int) -> Counter[str]:
    """Return the number of copies of each kind that is dealt."""
    return COPIES - ABSENT if players == 3 else Counter(COPIES)


def colour_named(card: str) -> str:
    """Return the name of a card before its value: its colour, "jester" or "ring"."""
    return card.partition("-")[0]
