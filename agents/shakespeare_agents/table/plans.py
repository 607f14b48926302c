"""What a table is: who sits where, and what is dealt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SeatPlan:
    """Who holds a seat: an agent by name, or else a person.

    Attributes:
        name: What the others read.
        agent: As `make` takes it; None is a person.
    """

    name: str
    agent: str | None = None


@dataclass(frozen=True)
class TablePlan:
    """What stays the same at a table from its first move to its last.

    Attributes:
        game: Its name.
        players: Number of seats.
        variants: The variants in force.
        seed: Decides the deal, chance and the agents' draws.
        seats: The holders of the seats.
        deal: Number of the deal under the seed.
        start: The position, in notation, that it begins with; None: the deal's first one.
    """

    game: str
    players: int
    variants: tuple[str, ...]
    seed: int
    seats: tuple[SeatPlan, ...]
    deal: int = 0
    start: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class StoredTable:
    """A table as it is on disk.

    Attributes:
        moves: Played so far.
        undone: How often moves were taken back.
    """

    id: str
    created: float
    owner: str
    box_digest: str
    plan: TablePlan
    moves: tuple[str, ...]
    undone: int
    over: bool
