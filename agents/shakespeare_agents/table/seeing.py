"""What somebody at a table sees: the board in pieces, the log, what may be done."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shakespeare_agents.table.live_table import Snapshot
from shakespeare_env import Position
from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.game import NO_SEAT
from shakespeare_env.game_log import GameLog
from shakespeare_env.presentation import Headline

_MOST_DRAWN = 256
"""Boards kept; each takes up to about 150 KB."""
_WIDEST_CARD = 220
_GROUP = re.compile(r'<g\b(?:[^>]*? data-place="(?P<place>[^"]+)")?[^>]*?(?<!/)>|</g>')
_MOST_LINES = 20_000
"""Moves whose words are kept."""


@dataclass(frozen=True)
class Viewer:
    """Who looks at a table.

    Attributes:
        seats: The seats that the viewer holds; none for a spectator.
        revealed: Which of several seats on one screen has said that it looks.
    """

    seats: tuple[int, ...] = ()
    revealed: int | None = None

    def knows(self, now: Snapshot) -> int | None:
        """The knowledge to show: a seat's, a spectator's (`NO_SEAT`) or, in the end, all (None)."""
        to_move = now.position.to_move
        if to_move is None:
            return None
        if len(self.seats) == 1:
            return self.seats[0]
        if self.revealed in self.seats and self.is_behind_curtain(now) is None:
            return self.revealed
        return NO_SEAT

    def is_behind_curtain(self, now: Snapshot) -> int | None:
        """The seat of this screen that must first say that it looks; None if none must."""
        to_move = now.position.to_move
        if len(self.seats) > 1 and to_move in self.seats and to_move != self.revealed:
            return to_move
        return None

    def decides(self, now: Snapshot) -> bool:
        """Whether the viewer chooses the next move and may see its cards."""
        return now.position.to_move is not None and self.knows(now) == now.position.to_move


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
class Drawn:
    """A board, drawn.

    Attributes:
        panels: The panels in order.
    """

    panels: Sequence[DrawnPanel]

    @cached_property
    def pieces(self) -> dict[str, str]:
        """All SVGs by piece."""
        return {name: drawn for panel in self.panels for name, drawn in panel.pieces.items()}


def changed_places(before: Drawn, after: Drawn) -> list[str]:
    """The innermost places where the drawing has changed."""
    was = before.pieces
    changed = []
    for name, drawn in after.pieces.items():
        if drawn != was.get(name):
            places = _places(was.get(name, ""))
            changed += [place for place, now in _places(drawn).items() if places.get(place) != now]
    return changed


class Seer:
    """Draws what viewers see, and keeps what was drawn last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn: OrderedDict[tuple[Any, ...], Drawn] = OrderedDict()
        self._lines: OrderedDict[tuple[Any, ...], list[str]] = OrderedDict()

    def board(self, now: Snapshot, number: int, knows: int | None) -> Drawn:
        """The board after `number` moves, as known by `knows` (see `Viewer.knows`)."""
        key = (now.id, now.undone, number, knows, tuple(now.names))
        drawn: Drawn = _kept(
            self._drawn, key, _MOST_DRAWN, self._lock, lambda: _draw(now, number, knows)
        )
        return drawn

    def log(self, now: Snapshot, knows: int | None, first: int = 0) -> list[list[str]]:
        """Each move from number `first` on, and its effects, in words."""
        words = GameLog(now.names, knows)
        # Secrets are open once the game is over.
        over = now.position.to_move is None
        return [
            _kept(
                self._lines,
                (now.id, now.undone, at, knows, over, tuple(now.names)),
                _MOST_LINES,
                self._lock,
                lambda at=at: words.lines(
                    now.positions[at], at + 1, now.moves[at], now.positions[at + 1]
                ),
            )
            for at in range(first, len(now.moves))
        ]


def _kept(kept: Any, key: Any, most: int, lock: threading.Lock, make: Any) -> Any:
    with lock:
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    made = make()
    with lock:
        kept[key] = made
        while len(kept) > most:
            kept.popitem(last=False)
    return made


def known(position: Position, knows: int | None) -> dict[str, Any]:
    """A position in notation, as one knows it."""
    whole = position.to_dict()
    return whole if knows is None else position.game.seen_by(whole, knows)


def headline(now: Snapshot, knows: int | None) -> Headline:
    """Where a table's game stands, in words."""
    return now.position.game.presentation.headline(known(now.position, knows))


def _draw(now: Snapshot, number: int, knows: int | None) -> Drawn:
    position = now.positions[number]
    panels = []
    for panel in position.game.presentation.board(known(position, knows), now.names):
        pieces = {piece.name: piece_svg(piece, f"piece-{piece.name}") for piece in panel.pieces}
        wide = {piece.name for piece in panel.pieces if piece.block.width > _WIDEST_CARD}
        panels.append(DrawnPanel(panel.name, panel.title, panel.seat, pieces, wide))
    return Drawn(panels)


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


def baseline(now: Snapshot, viewer: Viewer) -> int:
    """The number of moves after which the viewer last studied the board.

    That is after its own last move; a spectator sees each move by itself.
    """
    seats = viewer.seats if viewer.revealed is None else (viewer.revealed,)
    own = [at for at, position in enumerate(now.positions[:-1]) if position.to_move in seats]
    if not viewer.seats:
        return max(len(now.moves) - 1, 0)
    return own[-1] + 1 if own else 0


def score_sheet(now: Snapshot, knows: int | None) -> list[tuple[str, list[int]]]:
    """The parts of every seat's score, as far as they are known."""
    log = GameLog(now.names, knows)
    return log.score_sheet(now.positions, now.moves)
