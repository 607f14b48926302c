"""Every action of a game: its id, its text in notation and what it does.

Texts and descriptions may name a seat by its place: `{+2}` is the seat two places clockwise from
the mover, like block `seat2` of an observation.  So an id means the same to every mover, and a
network need not learn it once per seat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PLACE = re.compile(r"\{\+(\d+)\}")


@dataclass(frozen=True)
class Block:
    """Neighbouring actions of one kind, declared in the game's `actions.py`."""

    name: str
    texts: tuple[str, ...]
    descriptions: tuple[str, ...]


class ActionTable:
    """Every action of a game: id, text in notation, description.

    The order of the blocks decides the ids.

    Attributes:
        blocks: The blocks, in order.
        start: Block name -> id of its first action.
        texts: Text of each action, by id; seats that depend on who moves stand as `{+2}`.
        descriptions: What each action does, in English, by id; seats likewise.
        is_relative: Whether some text depends on who moves.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.blocks = tuple(blocks)
        self.start: dict[str, int] = {}
        texts: list[str] = []
        descriptions: list[str] = []
        for block in self.blocks:
            if len(block.texts) != len(block.descriptions):
                raise ValueError(
                    f"block {block.name!r}: "
                    f"{len(block.texts)} texts, {len(block.descriptions)} descriptions"
                )
            self.start[block.name] = len(texts)
            texts += block.texts
            descriptions += block.descriptions
        self.texts = tuple(texts)
        self.descriptions = tuple(descriptions)
        if len(set(texts)) != len(texts):
            raise ValueError(
                f"two actions share a text: {sorted({t for t in texts if texts.count(t) > 1})}"
            )
        self.is_relative = any(map(_PLACE.search, texts))
        self._written: dict[tuple[int, int], tuple[str, ...]] = {}
        self._ids: dict[tuple[int, int], dict[str, int]] = {}

    @property
    def size(self) -> int:
        """Number of actions."""
        return len(self.texts)

    def texts_for(self, seat: int, players: int) -> tuple[str, ...]:
        """The texts as the notation writes them when a seat moves, by id.

        Args:
            seat: Who moves.
            players: Seats at the table; places beyond them name seats that are not there.
        """
        if not self.is_relative:
            return self.texts
        if (seat, players) not in self._written:
            self._written[seat, players] = tuple(
                _with_seats(text, seat, players) for text in self.texts
            )
        return self._written[seat, players]

    def ids_for(self, seat: int, players: int) -> dict[str, int]:
        """Text -> id, without the actions that name a seat not at the table."""
        key = (seat, players) if self.is_relative else (0, 0)
        if key not in self._ids:
            self._ids[key] = {
                text: index
                for index, text in enumerate(self.texts_for(seat, players))
                if _is_at_table(self.texts[index], players)
            }
        return self._ids[key]

    def text(self, action: int, seat: int, players: int) -> str:
        """The text of an action when a seat moves at a table of so many."""
        return self.texts_for(seat, players)[action]

    def description(self, action: int, seat: int, players: int) -> str:
        """What an action does when a seat moves."""
        return _with_seats(self.descriptions[action], seat, players)


def _with_seats(text: str, seat: int, players: int) -> str:
    """A text with the seats written out."""
    return _PLACE.sub(lambda place: str(_seat_at(int(place[1]), seat, players)), text)


def _is_at_table(text: str, players: int) -> bool:
    """Whether all seats that a text names are at a table of so many."""
    return all(int(place) < players for place in _PLACE.findall(text))


def _seat_at(place: int, seat: int, players: int) -> int:
    """The seat so many places clockwise; the number itself where the table has no such place."""
    return (seat + place) % players if place < players else place
