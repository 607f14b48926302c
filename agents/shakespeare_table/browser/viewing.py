"""Who looks at a table, and what they see of it: the board, its changes, and moves in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from shakespeare_agents import naming
from shakespeare_env import Position
from shakespeare_env.core.game import NO_SEAT
from shakespeare_env.core.presentation import Piece
from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.play.course import GameLog
from shakespeare_env.play.named import YOU, named_board, named_move, with_names
from shakespeare_table.browser.tables import Moment, Snapshot

_BOARDS = 128
"""Boards kept; each takes up to about 250 KB."""
_TOLD = 4096
"""Moves whose words are kept."""
_WIDEST_CARD = 220
_MOST_EXPLAINED = 4
_GROUP = re.compile(r'<g\b(?:[^>]*? data-place="(?P<place>[^"]+)")?[^>]*?(?<!/)>|</g>')
_SEAT = re.compile(r"seat(\d+)")
_OPTIONS = {"simulations": "{} playouts a move", "seconds": "{} seconds a move"}


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
        if now.is_over:
            return None
        if len(self.seats) == 1:
            return self.seats[0]
        if self.revealed in self.seats and self.hidden_seat(now) is None:
            return self.revealed
        return NO_SEAT

    def hidden_seat(self, now: Snapshot) -> int | None:
        """The seat of this screen that must first say that it looks; None if none must."""
        to_move = now.position.to_move
        if len(self.seats) > 1 and to_move in self.seats and to_move != self.revealed:
            return to_move
        return None

    def decides(self, now: Snapshot) -> bool:
        """Whether the viewer chooses the next move and may see its cards."""
        return not now.is_over and self.knows(now) == now.position.to_move


def known(position: Position, knows: int | None) -> dict[str, Any]:
    """A position in notation, as one knows it (`Viewer.knows`)."""
    whole = position.to_dict()
    return whole if knows is None else position.game.seen_by(whole, knows)


def called(names: Sequence[str], you: int | None) -> list[str]:
    """Names for a reader, who is called "you"."""
    return [YOU if seat == you else name for seat, name in enumerate(names)]


@dataclass(frozen=True)
class Told:
    """A move in words.

    Attributes:
        seat: Who has played it.
        sentence: Who has done what.
        move: The move in notation, empty if secret.
        effects: What followed from it.
        for_you: Those effects that befall the reader by somebody else's move.
    """

    seat: int
    sentence: str
    move: str
    effects: Sequence[str]
    for_you: Sequence[str] = ()


@lru_cache(_TOLD)
def told(moment: Moment, knows: int | None, you: int | None) -> Told:
    """The last move of a moment, as `knows` knows it (`Viewer.knows`)."""
    at, now = moment.number - 1, moment.course
    (before, after), names = now.positions[at : at + 2], called(moment.names, you)
    mover = before.to_move
    assert mover is not None
    entry = GameLog(None, knows).told(before, now.moves[at], after)
    said, own = named_move(entry, mover, names), f"seat {you}: "
    return Told(
        mover,
        f"{said.mover} {said.text}",
        said.move,
        said.effects,
        [effect.removeprefix(own) for effect in entry.effects if effect.startswith(own)],
    )


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
        changed = []
        for name, drawn in self.pieces.items():
            was = before.pieces.get(name, "")
            if drawn != was:
                places = _places(was)
                changed += [p for p, now in _places(drawn).items() if places.get(p) != now]
        return list(dict.fromkeys(changed))

    def columns(self, own: int | None) -> dict[str, list[DrawnPanel]]:
        """Panels by their place on a page: the table, the nearest seat, the other seats.

        Cards on offer stand beside the viewer's own.
        """
        columns: dict[str, list[DrawnPanel]] = {"table": [], "own": [], "seats": []}
        for panel in self.panels:
            cards = panel.seat == own if panel.seat is not None else not panel.large
            other = "table" if panel.seat is None else "seats"
            columns["own" if cards else other].append(panel)
        return columns


@lru_cache(_BOARDS)
def board(moment: Moment, knows: int | None) -> DrawnBoard:
    """The board at a moment, as `knows` knows it (`Viewer.knows`)."""
    return DrawnBoard(drawn_panels(moment.position, knows, moment.names))


def drawn_panels(position: Position, knows: int | None, names: Sequence[str]) -> list[DrawnPanel]:
    """The panels of a position as known by `knows` (see `Viewer.knows`), the table's first."""
    panels = []
    drawn = position.game.presentation.board(known(position, knows), names)
    for panel in named_board(drawn, names):
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


def explained(now: Snapshot, knows: int | None, place: str) -> list[tuple[str, str]]:
    """Names and what they do, as one knows it (`Viewer.knows`), of a place or a topic."""
    position = known(now.position, knows)
    topics = now.position.game.presentation.topics(position)
    found = [name for name in _names(position, place) if name in topics]
    names = called(now.plan.names, knows)
    return [(name, with_names(topics[name], names)) for name in dict.fromkeys(found)][
        :_MOST_EXPLAINED
    ]


def _names(position: Mapping[str, Any], place: str) -> list[str]:
    """What a place or a topic may be called: what lies there, then each of its parts."""
    parts = place.split(".")
    inner: Any = position
    seat = _SEAT.fullmatch(parts[0])
    for step in ["seats", seat[1], *parts[1:]] if seat else parts:
        if isinstance(inner, Mapping):
            inner = inner.get(step)
        elif isinstance(inner, list) and step in map(str, range(len(inner))):
            inner = inner[int(step)]
        else:
            inner = None
    lies = inner.get("card") if isinstance(inner, Mapping) else inner
    names = [lies] if isinstance(lies, str) else []
    # Kinds of things, too: `costume` for `costumes`, `road` for `road2`.
    kinds = [re.sub(r"(s|\d+)$", "", part) for part in reversed(parts)]
    return [*names, *reversed(parts), "_".join(["act", *parts[1:2]]).lower(), *kinds]


def titled(name: str) -> str:
    """The name of a topic as a title, such as "Act II" or "Extra 1"."""
    words = re.sub(r"([a-z]{2,})(?=\d)", r"\1 ", re.sub(r"[\s_-]+", " ", name))
    words = re.sub(r"(?<=^act )i+$", lambda act: act[0].upper(), words)
    return words[:1].upper() + words[1:]


def in_words(agent: str) -> str:
    """An agent's name with its options in words."""
    bare, options = naming.split_options(agent)
    said = (_OPTIONS.get(name, f"{name} {{}}").format(value) for name, value in options.items())
    return ", ".join([bare, *said])
