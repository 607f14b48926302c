"""A table's board, drawn piece by piece, and what has changed between two drawings."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.recent import Recent
from shakespeare_agents.table.told import Told, told
from shakespeare_agents.table.viewer import known
from shakespeare_env import Position
from shakespeare_env.core.presentation import Flight, Piece
from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.play.named import named_board

_MOST_DRAWN = 256
"""Boards kept; each takes up to about 150 KB."""
_MOST_TOLD = 20_000
"""Moves whose words and changes are kept."""
_WIDEST_CARD = 220
_GROUP = re.compile(r'<g\b(?:[^>]*? data-place="(?P<place>[^"]+)")?[^>]*?(?<!/)>|</g>')


@dataclass(frozen=True)
class DrawnPanel:
    """A panel of the board, drawn.

    Attributes:
        pieces: SVG by name.
        wide: Names of those that stand by themselves; the others stand in rows, as cards do.
        summary: SVG of its summary, or empty.
        aside: See `Panel`.
    """

    name: str
    title: str
    seat: int | None
    pieces: Mapping[str, str]
    wide: Collection[str]
    summary: str
    aside: bool

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
        """All SVGs by piece, summaries included."""
        found = {f"summary {panel.name}": panel.summary for panel in self.panels}
        return found | {
            name: drawn for panel in self.panels for name, drawn in panel.pieces.items()
        }

    def changed_places(self, before: DrawnBoard) -> list[str]:
        """The innermost places where the drawing has changed since another one."""
        was = before.pieces
        changed = []
        for name, drawn in self.pieces.items():
            if drawn != was.get(name):
                places = _places(was.get(name, ""))
                changed += [p for p, now in _places(drawn).items() if places.get(p) != now]
        return list(dict.fromkeys(changed))


@dataclass(frozen=True)
class Step:
    """What a move has changed on a board.

    Attributes:
        changed: The places, as of `changed_places`.
        flights: What has moved.
    """

    changed: Sequence[str]
    flights: Sequence[Flight]


class Drawings:
    """Boards and logs of tables as viewers see them; the latest are kept."""

    def __init__(self) -> None:
        self._boards: Recent[DrawnBoard] = Recent(_MOST_DRAWN)
        self._told: Recent[Told] = Recent(_MOST_TOLD)

    def board(self, now: Snapshot, number: int, knows: int | None) -> DrawnBoard:
        """The board after `number` moves, as known by `knows` (see `Viewer.knows`)."""
        key = (now.id, now.undone, number, knows, tuple(now.plan.names))
        return self._boards.get(key, lambda: _drawn(now, number, knows))

    def told(self, now: Snapshot, knows: int | None, you: int | None) -> list[Told]:
        """Each move and what it did, in words that call the seat `you` so."""
        # Secrets are open once the game is over.
        key = (now.id, now.undone, knows, you, now.is_over, tuple(now.plan.names))
        return [
            self._told.get((*key, at), partial(told, now, at, knows, you))
            for at in range(len(now.moves))
        ]

    def step(self, now: Snapshot, at: int, knows: int | None) -> Step:
        """What move `at`, counted from 0, has changed on the board."""
        (before, after), move = now.positions[at : at + 2], now.moves[at]
        changed = self.board(now, at + 1, knows).changed_places(self.board(now, at, knows))
        secret = before.to_move != knows and before.game.is_secret(before.to_dict(), move)
        flights = (
            ()
            if secret
            else before.game.presentation.flights(known(before, knows), move, known(after, knows))
        )
        return Step(changed, flights)


def _drawn(now: Snapshot, number: int, knows: int | None) -> DrawnBoard:
    return DrawnBoard(drawn_panels(now.positions[number], knows, now.plan.names))


def drawn_panels(position: Position, knows: int | None, names: Sequence[str]) -> list[DrawnPanel]:
    """The panels of a position as known by `knows` (see `Viewer.knows`), the table's first."""
    panels = []
    board = position.game.presentation.board(known(position, knows), names)
    for panel in named_board(board, names):
        pieces = {piece.name: _svg(piece) for piece in panel.pieces}
        wide = {piece.name for piece in panel.pieces if piece.block.width > _WIDEST_CARD}
        summary = _svg(panel.summary) if panel.summary else ""
        panels.append(
            DrawnPanel(panel.name, panel.title, panel.seat, pieces, wide, summary, panel.aside)
        )
    return panels


def _svg(piece: Piece) -> str:
    return piece_svg(piece, f"piece-{piece.name}")


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
