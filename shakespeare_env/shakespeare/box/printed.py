"""What the box prints, by the names of the notation, and amounts in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, Box, Character, Objective, Power

SET_GAINS = {
    "pink": {"pounds": t.PINK_POUNDS},
    "blue": {"mood": t.BLUE_MOOD},
    "green": {"tokens": 1},
}
"""What a stage set gives its seat at once, by colour (Rules T14)."""


@dataclass(frozen=True, eq=False)
class Printed:
    """The facts of the box in force."""

    box: Box

    @cached_property
    def cards(self) -> Mapping[str, Character]:
        """Characters by id."""
        return {card.id: card for card in self.box.characters}

    @cached_property
    def objectives(self) -> Mapping[str, Objective]:
        """Objectives by id."""
        return {objective.id: objective for objective in self.box.objectives}

    @property
    def values(self) -> Mapping[str, int]:
        """The values of elements by colour."""
        return self.box.element_values

    def costume_value(self, elements: Iterable[str]) -> int:
        """The sum of a costume's values (Rules T12)."""
        return sum(self.values[colour] for colour in elements)

    def wage(self, member: Mapping[str, Any]) -> int:
        """What a member costs at the end; extras and the board's are free (Rules F3)."""
        return 0 if member["face"] == "extra" else self.cards[member["card"]].cost

    def wages_due(self, seat: Mapping[str, Any]) -> int:
        """What a seat's members cost at the end."""
        return sum(map(self.wage, seat["troupe"]))

    def space_pays(self, act: int, space: int) -> tuple[int, str] | None:
        """A space's rehearsal gain or loss, and its unit (Rules R2)."""
        if space <= self.box.rehearsals.grey_spaces:
            return -1, "★"
        unit = ("£", "", "★")[act]
        reached = [gain for at, gain in self.box.pay[act] if space >= at]
        return (reached[-1], unit) if reached else None


PRINTED = Printed(t.BOX)
"""The box in force."""


def printed_of(position: Mapping[str, Any]) -> Printed:
    """The box of a position."""
    return PRINTED


def printed_in(game: Any) -> Printed:
    """The box of a record."""
    return PRINTED


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
