"""A position that changes event by event, each with its cause."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from shakespeare_env.presentation import Event
from shakespeare_env.shakespeare.box import ACTS, Power
from shakespeare_env.shakespeare.objective_values import space_of
from shakespeare_env.shakespeare.state import MOST
from shakespeare_env.shakespeare.tables import ACT_LENGTH, HIGHEST_MOOD, LOWEST_MOOD

Seat = dict[str, Any]

COUNTERS = (
    *("pounds", "tokens", "mood", "cylinders", *(f"act {act}" for act in ACTS)),
    *("troupe", "resting", "objectives", "stage", "costumes"),
)
"""A seat's counters besides prestige: amounts, spaces and numbers of things."""
_LENGTH = dict(zip(ACTS, ACT_LENGTH.tolist(), strict=True))
_RANGES = {"prestige": (-MOST, MOST), "pounds": (0, MOST), "mood": (LOWEST_MOOD, HIGHEST_MOOD)}


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


def counts_of(position: Mapping[str, Any], seat: int) -> dict[str, int]:
    """A seat's `COUNTERS`."""
    mine = position["seats"][seat]
    troupe = mine["troupe"]
    spaces = [space_of(position["piles"][act], seat) for act in ACTS]
    things = (
        *(len(troupe), sum(member["rest"] for member in troupe), len(mine["objectives"])),
        *(len(mine["stage"]), sum(len(member["costume"]) for member in troupe)),
    )
    amounts = (mine["pounds"], mine["tokens"], mine["mood"], mine["cylinders"])
    return dict(zip(COUNTERS, (*amounts, *spaces, *things), strict=True))


class Ledger:
    """The position `now`, and the events that led there."""

    def __init__(self, before: Mapping[str, Any]) -> None:
        self.now: dict[str, Any] = deepcopy(dict(before))
        self.events: list[Event] = []

    @property
    def seats(self) -> list[Seat]:
        """The seats now."""
        seats: list[Seat] = self.now["seats"]
        return seats

    def tell(
        self,
        seat: int | None,
        text: str,
        counters: Mapping[str, int] | None = None,
        *,
        source: str = "",
        points: int = 0,
    ) -> None:
        """Add an event; the position is the caller's to change."""
        changed = {name: change for name, change in (counters or {}).items() if change}
        self.events.append(Event(seat, text, source, points, changed))

    def effect(
        self,
        seat: int,
        cause: str,
        gains: Mapping[str, int] | None = None,
        *,
        source: str = "",
        quills: Mapping[str, int] | None = None,
        note: str = "",
        counters: Mapping[str, int] | None = None,
    ) -> None:
        """Change a seat's acts, prestige, pounds, tokens or mood, and add an event.

        Args:
            seat: The seat.
            cause: Words before the amounts.
            gains: Prestige, pounds, tokens and mood, by name.
            source: The source of prestige.
            quills: Quills by act; negative ones move back.
            note: More words, after the amounts.
            counters: Changes that the caller has made and `cause` describes.
        """
        words, changed = [], dict(counters or {})
        for act, steps in (quills or {}).items():
            moved = self._move(act, seat, steps)
            if moved:
                space = space_of(self.now["piles"][act], seat)
                words.append(f"Act {act} {'back ' if steps < 0 else ''}to space {space}")
            if moved < steps:
                words.append(f"{plural(steps - moved, 'quill')} lost on Act {act}")
            changed[f"act {act}"] = moved
        for name, by in (gains or {}).items():
            changed[name] = self._shift(seat, name, by)
            if changed[name]:
                words.append(amount(name, changed[name]))
        words += [note] if note else []
        points = changed.pop("prestige", 0)
        if not words and (quills or any((gains or {}).values())):
            words = ["no effect"]
        text = f"{cause}: {', '.join(words)}" if words else cause
        self.tell(seat, text, changed, source=source if points else "", points=points)

    def can_advance(self, act: str, seat: int) -> bool:
        """Whether a quill can advance a seat (Rules T6)."""
        return space_of(self.now["piles"][act], seat) < _LENGTH[act]

    def place(self, act: str, disc: int | str, space: int) -> None:
        """Move a disc to the top of a space's pile (Rules T7)."""
        piles: dict[str, list[Any]] = self.now["piles"][act]
        for at, discs in list(piles.items()):
            if disc in discs:
                discs.remove(disc)
                if not discs:
                    del piles[at]
        piles.setdefault(str(space), []).append(disc)

    def _move(self, act: str, seat: int, steps: int) -> int:
        """Move a disc space by space, as far as the act goes; return the spaces moved."""
        space = space_of(self.now["piles"][act], seat)
        target = min(max(space + steps, 1), _LENGTH[act])
        if target != space:
            self.place(act, seat, target)
        return target - space

    def _shift(self, seat: int, name: str, amount: int) -> int:
        """Change an amount within its range; return the change."""
        mine = self.seats[seat]
        low, high = _RANGES.get(name, (0, mine["tokens"] + self.now["supply_tokens"]))
        changed = min(max(mine[name] + amount, low), high) - mine[name]
        mine[name] += changed
        if name == "tokens":
            self.now["supply_tokens"] -= changed
        return int(changed)
