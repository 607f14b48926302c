"""What the box prints, by the names of the notation, and amounts in words."""

from __future__ import annotations

from collections.abc import Mapping

from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS, Power

CARDS = {card.id: card for card in t.BOX.characters}
OBJECTIVES = {objective.id: objective for objective in t.BOX.objectives}
VALUES = dict(zip(COLOURS, t.ELEMENT_VALUE.tolist(), strict=True))
"""The values of elements by colour."""
SET_GAINS = {
    "pink": {"pounds": t.PINK_POUNDS},
    "blue": {"mood": t.BLUE_MOOD},
    "green": {"tokens": 1},
}
"""What a stage set gives its seat at once, by colour (Rules T14)."""


def signed(amount: int) -> str:
    """An amount with its sign."""
    return f"{amount:+d}".replace("-", "−") if amount else "0"


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}{'s' * (count != 1)}"


def amount(name: str, change: int) -> str:
    """A change of prestige, pounds, tokens or mood."""
    if name == "mood":
        return f"mood {signed(change)}"
    unit = {"prestige": "prestige", "pounds": "£", "tokens": 'token "+3"'}[name]
    return f"{signed(change)} {unit}"


def gain_words(gain: Mapping[str, int]) -> str:
    """Amounts in words."""
    return ", ".join(amount(name, by) for name, by in gain.items() if by) or "nothing"


def quills_of(power: Power) -> dict[str, int]:
    """A power's coloured quills by act (Rules T6)."""
    return dict(zip(ACTS, (power.red, power.gold, power.blue), strict=True))
