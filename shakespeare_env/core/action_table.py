"""Every action of a game: its id, its text in notation and what it does.

`{+2}` in a text is the seat two places clockwise of the mover, as in observations: an id means the
same to every mover, so a network learns it once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PLACE = re.compile(r"\{\+(\d+)\}")


@dataclass(frozen=True)
class Block:
    """Neighbouring actions of one kind, declared in a game's `actions.py`."""

    name: str
    texts: tuple[str, ...]
    descriptions: tuple[str, ...]


class ActionTable:
    """All actions of a game, with ids in the order of the blocks.

    Attributes:
        start: Block name -> id of its first action.
        texts: Texts by id, with seats as `{+2}`.
        descriptions: English descriptions by id, with seats as `{+2}`.
        is_relative: Whether some text has such a seat.
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
        """Texts by id when a seat moves; at small tables some name missing seats."""
        if not self.is_relative:
            return self.texts
        if (seat, players) not in self._written:
            self._written[seat, players] = tuple(
                _with_seats(text, seat, players) for text in self.texts
            )
        return self._written[seat, players]

    def ids_for(self, seat: int, players: int) -> dict[str, int]:
        """Text -> id, without actions that name missing seats."""
        key = (seat, players) if self.is_relative else (0, 0)
        if key not in self._ids:
            self._ids[key] = {
                text: index
                for index, text in enumerate(self.texts_for(seat, players))
                if all(int(place) < players for place in _PLACE.findall(self.texts[index]))
            }
        return self._ids[key]

    def text(self, action: int, seat: int, players: int) -> str:
        """An action's text when a seat moves."""
        return self.texts_for(seat, players)[action]

    def description(self, action: int, seat: int, players: int) -> str:
        """What an action does when a seat moves."""
        return _with_seats(self.descriptions[action], seat, players)


def _with_seats(text: str, seat: int, players: int) -> str:
    def seat_at(place: re.Match[str]) -> str:
        distance = int(place[1])
        return str((seat + distance) % players if distance < players else distance)

    return _PLACE.sub(seat_at, text)
