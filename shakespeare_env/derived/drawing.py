"""Drawings of any game: what its notation says, in tables and in pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import svg

from shakespeare_env.drawing.board import marked, seat_and_name
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.page import GAP, ROOM, page
from shakespeare_env.drawing.palette import MUTED
from shakespeare_env.drawing.shapes import Block, box
from shakespeare_env.drawing.text_layout import columns
from shakespeare_env.fonts import width
from shakespeare_env.game import UNKNOWN
from shakespeare_env.panels import UNMARKED, Headline, Marks, Panel, Piece
from shakespeare_env.records import StateField

SEAT_COLOURS = (
    *(("#b3402f", "#ffffff"), ("#2f6fb3", "#ffffff"), ("#d9a21b", "#2a2521")),
    *(("#3f8a4d", "#ffffff"), ("#7a4fa3", "#ffffff"), ("#555049", "#ffffff")),
)
_NOT_DRAWN = ("players", "to_move", "winners")
_HIGH, _CAPTION, _VALUE, _LEAST = 52, 12, 20, 72


class Drawing:
    """Text, pieces and a picture of a game's positions.

    Args:
        name: The game's name.
        fields: The fields of its notation.
        phase: (dict) -> the phase's name.
    """

    def __init__(
        self,
        name: str,
        fields: Sequence[StateField],
        phase: Callable[[Mapping[str, Any]], str],
    ) -> None:
        self._name, self._phase = name, phase
        drawn = [field for field in fields if field.name not in _NOT_DRAWN]
        self._table = [field for field in drawn if not field.by_seat]
        self._seats = [field for field in drawn if field.by_seat]

    def draw(self, position: Mapping[str, Any]) -> str:
        """See `Game.draw`."""
        said = self.headline(position)
        lines = [f"{said.game}, {said.table}: {said.sentence}"]
        facts = [f"{field.name} {_text(position[field.name])}" for field in self._table]
        lines += [fact[:78] for fact in facts]
        if self._seats:
            rows = [["", *(field.name for field in self._seats)]]
            rows += [
                [str(seat), *(_text(position[field.name][seat]) for field in self._seats)]
                for seat in range(position["players"])
            ]
            lines += columns(rows, [str.ljust] * (1 + len(self._seats)))
        return "\n".join(line[:80].rstrip() for line in lines)

    def headline(self, position: Mapping[str, Any]) -> Headline:
        """See `Game.headline`."""
        mover, won = position["to_move"], position["winners"]
        sentence = f"Seat {mover} moves"
        if mover is None:
            who = " and ".join(f"seat {seat}" for seat in won or ())
            sentence = f"{who} won".capitalize() if won else "Nobody won"
        table = f"{position['players']} seats"
        return Headline(self._name.capitalize(), table, "", self._phase(position), sentence)

    def board(self, position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
        """See `Game.board`."""
        table = [_piece(field.name, field.name, position[field.name]) for field in self._table]
        state = "nobody" if position["to_move"] is None else f"seat {position['to_move']}"
        panels = [Panel("table", "Table", [_piece("to_move", "to move", state), *table])]
        for seat in range(position["players"]):
            own = [
                _piece(f"seat{seat}-{field.name}", field.name, position[field.name][seat])
                for field in self._seats
            ]
            name = names[seat] if seat < len(names) else ""
            title = seat_and_name(seat, name)
            panels.append(
                Panel(f"seat{seat}", title, own or [_piece(f"seat{seat}", "seat", seat)], seat)
            )
        return panels

    def picture(self, position: Mapping[str, Any], marks: Marks = UNMARKED) -> str:
        """See `Game.picture`: the pieces of the board, a row for each panel."""
        rows = []
        for panel in self.board(position, marks.names):
            x, drawn = 0.0, [words(0, 14, panel.title, 13, weight="bold", fill=MUTED)]
            elements: list[svg.Element] = list(drawn)
            for piece in panel.pieces:
                elements.append(piece.block.at(x, 24))  # type: ignore[attr-defined]
                x += piece.block.width + GAP
            rows.append((panel.name, Block(marked(elements, marks), ROOM, _HIGH + 32)))
        return page(self.headline(position).sentence, rows)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join("-" if one is None else _text(one) for one in value)
    return "-" if value is None else UNKNOWN if value == UNKNOWN else str(value)


def _piece(name: str, title: str, value: Any) -> Piece:
    text = _text(value)
    wide = max(_LEAST, width(text, _VALUE, "bold") + 20, width(title, _CAPTION, "normal") + 20)
    wide = min(wide, ROOM)
    card = Block(
        [
            box(0, 0, wide, _HIGH),
            words(10, 17, title, _CAPTION, fill=MUTED, room=wide - 20),
            words(10, 42, text, _VALUE, weight="bold", room=wide - 20),
        ],
        wide,
        _HIGH,
    )
    return Piece(name, title, Block([card.place(name, 0, 0)], wide, _HIGH))
