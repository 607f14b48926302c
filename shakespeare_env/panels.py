"""The parts of a board in pieces.

This imports no drawing, since rules are recompiled when anything that `game.py` imports changes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Drawing(Protocol):
    """Something drawn, its top left corner at (0, 0): a `shapes.Block`."""

    @property
    def elements(self) -> Any:
        """SVG elements."""
        ...

    @property
    def width(self) -> float:
        """Its width in units of the drawing."""
        ...

    @property
    def height(self) -> float:
        """Its height in units of the drawing."""
        ...


@dataclass(frozen=True)
class Marks:
    """What a drawing shows besides the position; see `Game.places` for places.

    Attributes:
        names: The players' names by seat, or nothing.
        targets: Places where the seat to move may click.
        changed: Places that the last moves changed.
    """

    names: Sequence[str] = ()
    targets: Collection[str] = ()
    changed: Collection[str] = ()


UNMARKED = Marks()


@dataclass(frozen=True)
class Piece:
    """A part of the board that stands by itself, such as a card.

    Attributes:
        name: Unique on a board, of letters, digits, `-` and `_`.
        title: What it is, for screen readers.
        block: Drawn at the size at which it is read best.
    """

    name: str
    title: str
    block: Drawing


@dataclass(frozen=True)
class Panel:
    """Pieces that belong together, in reading order.

    Attributes:
        name: Unique on a board, of letters, digits, `-` and `_`.
        title: Its title in words.
        pieces: The pieces, at least one.
        seat: The seat that they belong to; None for the table's.
    """

    name: str
    title: str
    pieces: Sequence[Piece]
    seat: int | None = None


@dataclass(frozen=True)
class Headline:
    """Where a game stands, in words.

    Attributes:
        game: Its name, as printed.
        table: Seats and variant.
        progress: Such as "day 3 of 6".
        phase: The phase in words.
        sentence: Who decides what; at the end who has won.
        aside: Who is next, or empty.
    """

    game: str
    table: str
    progress: str
    phase: str
    sentence: str
    aside: str = ""
