"""Who looks at a table, and what they see of it: the board, its changes, and moves in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from xml.etree import ElementTree

from shakespeare_agents.naming import AgentSpec
from shakespeare_env import Position
from shakespeare_env.core.game import NO_SEAT
from shakespeare_env.drawing.board import is_wide, piece_svg
from shakespeare_env.play.history import GameLog
from shakespeare_env.play.named import YOU, named_board, named_move, with_names
from shakespeare_table.browser.tables import Snapshot

_BOARDS = 64  # boards kept; each takes up to about 310 KB
_MOVES = 4096  # moves whose words are kept
_MOST_EXPLAINED = 4
_SEAT = re.compile(r"seat(\d+)")
_OPTIONS = {"simulations": "{} playouts a move", "seconds": "{} seconds a move"}


@dataclass(frozen=True)
class Viewer:
    """Who looks at a table: the seats that the viewer holds, none for a spectator.

    Of several seats on one screen `revealed` has said that it looks.
    """

    seats: tuple[int, ...] = ()
    revealed: int | None = None

    @property
    def acting_seat(self) -> int | None:
        """The seat that the viewer's moves are of: the only one, or the one revealed."""
        return self.seats[0] if len(self.seats) == 1 else self.revealed

    def knows(self, now: Snapshot) -> int | None:
        """The knowledge to show: a seat's, a spectator's (`NO_SEAT`) or, in the end, all (None)."""
        if now.is_over:
            return None
        if self.acting_seat in self.seats and self.hidden_seat(now) is None:
            return self.acting_seat
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


class MoveInWords(NamedTuple):
    """A move as a sentence, in notation (empty if secret), and what followed from it.

    What befalls the reader by somebody else's move is `for_you`.
    """

    seat: int
    sentence: str
    move: str
    effects: Sequence[str]
    for_you: Sequence[str]


@lru_cache(_MOVES)
def last_move(now: Snapshot, knows: int | None, you: int | None) -> MoveInWords:
    """The last move of a table, as `knows` knows it (`Viewer.knows`)."""
    (before, after), names = now.positions[-2:], called(now.plan.names, you)
    mover = before.to_move
    assert mover is not None
    entry = GameLog(None, knows).told(before, now.moves[-1], after)
    words, own = named_move(entry, mover, names), f"seat {you}: "
    befallen = [effect.removeprefix(own) for effect in entry.effects if effect.startswith(own)]
    sentence = f"{words.mover} {words.text}"
    return MoveInWords(mover, sentence, words.move, words.effects, befallen)


@dataclass(frozen=True)
class DrawnPanel:
    """A panel of the board: SVGs by name; `wide` ones stand by themselves, the others in rows."""

    name: str
    title: str
    seat: int | None
    pieces: Mapping[str, str]
    wide: Collection[str]
    summary: str
    aside: bool


@dataclass(frozen=True)
class DrawnBoard:
    """A board, drawn; its panels are in order."""

    panels: Sequence[DrawnPanel]

    def changed_places(self, before: DrawnBoard) -> list[str]:
        """The innermost places where the drawing has changed since another one."""
        were, changed = before._pieces, []
        for name, drawn in self._pieces.items():
            if drawn != (was := were.get(name, "")):
                places = _places(was)
                changed += [p for p, now in _places(drawn).items() if places.get(p) != now]
        return list(dict.fromkeys(changed))

    @cached_property
    def _pieces(self) -> dict[str, str]:
        found = {f"summary {panel.name}": panel.summary for panel in self.panels}
        for panel in self.panels:
            found |= panel.pieces
        return found

    def columns(self, own: int | None) -> dict[str, list[DrawnPanel]]:
        """Panels by their place on a page: the table, the nearest seat, the other seats.

        Cards on offer stand beside the viewer's own.
        """
        columns: dict[str, list[DrawnPanel]] = {"table": [], "own": [], "seats": []}
        for panel in self.panels:
            cards = panel.seat == own if panel.seat is not None else not panel.wide
            other = "table" if panel.seat is None else "seats"
            columns["own" if cards else other].append(panel)
        return columns


@lru_cache(_BOARDS)
def board(now: Snapshot, knows: int | None) -> DrawnBoard:
    """The board of a table, as `knows` knows it (`Viewer.knows`)."""
    return DrawnBoard(drawn_panels(now.position, knows, now.plan.names))


def drawn_panels(position: Position, knows: int | None, names: Sequence[str]) -> list[DrawnPanel]:
    """The panels of a position as known by `knows` (see `Viewer.knows`), the table's first."""
    panels = []
    drawn = position.game.presentation.board(known(position, knows), names)
    for panel in named_board(drawn, names):
        pieces = {piece.name: piece_svg(piece, f"piece-{piece.name}") for piece in panel.pieces}
        wide = {piece.name for piece in panel.pieces if is_wide(piece)}
        summary = ""
        if panel.summary:
            summary = piece_svg(panel.summary, f"piece-{panel.summary.name}")
        panels.append(
            DrawnPanel(panel.name, panel.title, panel.seat, pieces, wide, summary, panel.aside)
        )
    return panels


def _places(drawn: str) -> dict[str, str]:
    """What an SVG shows at each place that has no other inside."""
    if not drawn:
        return {}
    return {
        group.attrib["data-place"]: "".join(ElementTree.tostring(it, "unicode") for it in group)
        for group in ElementTree.fromstring(drawn).iterfind(".//*[@data-place]")
        if group.find(".//*[@data-place]") is None
    }


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
    parts = place.split(".")
    inner: Any = position
    seat = _SEAT.fullmatch(parts[0])
    for step in ["seats", seat[1], *parts[1:]] if seat else parts:
        try:
            inner = inner[int(step) if isinstance(inner, list) else step]
        except (LookupError, TypeError, ValueError):
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
    spec = AgentSpec.parse(agent)
    options = [
        _OPTIONS.get(option, f"{option} {{}}").format(value)
        for option, value in spec.options.items()
    ]
    return ", ".join([spec.name, *options])
