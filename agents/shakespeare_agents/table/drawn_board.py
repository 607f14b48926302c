"""A table's board, drawn piece by piece, and what has changed between two drawings."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.recent import Recent
from shakespeare_agents.table.viewer import known
from shakespeare_env.drawing.board import piece_svg

_MOST_DRAWN = 256
"""Boards kept; each takes up to about 150 KB."""
_MOST_LINES = 20_000
"""Moves whose words are kept."""
_WIDEST_CARD = 220
_GROUP = re.compile(r'<g\b(?:[^>]*? data-place="(?P<place>[^"]+)")?[^>]*?(?<!/)>|</g>')


@dataclass(frozen=True)
class DrawnPanel:
    """A panel of the board, drawn.

    Attributes:
        pieces: SVG by name.
        wide: Names of those that stand by themselves; the others stand in rows, as cards do.
    """

    name: str
    title: str
    seat: int | None
    pieces: Mapping[str, str]
    wide: Collection[str]

    @property
    def large(self) -> list[str]:
        """The wide pieces, in order."""
        return [drawn for name, drawn in self.pieces.items() if name in self.wide]

    @property
    def small(self) -> list[str]:
        """The other pieces, in order."""
        return [drawn for name, drawn in self.pieces.items() if name not in self.wide]


@dataclass(frozen=True)
class DrawnBoard:
    """A board, drawn; its panels are in order."""

    panels: Sequence[DrawnPanel]

    @cached_property
    def pieces(self) -> dict[str, str]:
        """All SVGs by piece."""
        return {name: drawn for panel in self.panels for name, drawn in panel.pieces.items()}

    def changed_places(self, before: DrawnBoard) -> list[str]:
        """The innermost places where the drawing has changed since another one."""
        was = before.pieces
        changed = []
        for name, drawn in self.pieces.items():
            if drawn != was.get(name):
                places = _places(was.get(name, ""))
                changed += [p for p, now in _places(drawn).items() if places.get(p) != now]
        return changed


class Drawings:
    """Boards and logs of tables as viewers see them; the latest are kept."""

    def __init__(self) -> None:
        self._boards: Recent[DrawnBoard] = Recent(_MOST_DRAWN)
        self._lines: Recent[list[str]] = Recent(_MOST_LINES)

    def board(self, now: Snapshot, number: int, knows: int | None) -> DrawnBoard:
        """The board after `number` moves, as known by `knows` (see `Viewer.knows`)."""
        key = (now.id, now.undone, number, knows, tuple(now.plan.names))
        return self._boards.get(key, lambda: _drawn(now, number, knows))

    def log(self, now: Snapshot, knows: int | None) -> list[list[str]]:
        """Each move and its effects, in words."""
        # Secrets are open once the game is over.
        key = (now.id, now.undone, knows, now.is_over, tuple(now.plan.names))
        return [
            self._lines.get((*key, at), partial(now.lines, at, knows))
            for at in range(len(now.moves))
        ]


def _drawn(now: Snapshot, number: int, knows: int | None) -> DrawnBoard:
    position = now.positions[number]
    panels = []
    for panel in position.game.presentation.board(known(position, knows), now.plan.names):
        pieces = {piece.name: piece_svg(piece, f"piece-{piece.name}") for piece in panel.pieces}
        wide = {piece.name for piece in panel.pieces if piece.block.width > _WIDEST_CARD}
        panels.append(DrawnPanel(panel.name, panel.title, panel.seat, pieces, wide))
    return DrawnBoard(panels)


def _places(drawn: str) -> dict[str, str]:
    """What an SVG shows at each place that has no other inside."""
    found: dict[str, str] = {}
    groups: list[tuple[str, int]] = []
    last = ""
    for tag in _GROUP.finditer(drawn):
        if not tag[0].startswith("</"):
            place = tag["place"] or ""
            groups.append((place, tag.end()))
            last = place or last
        else:
            place, begins = groups.pop()
            if place and place == last:
                found[place] = drawn[begins : tag.start()]
    return found
