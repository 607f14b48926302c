"""Drawings of any game: what its notation says, in tables and in pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import UNMARKED, Headline, Marks, Panel, Piece
from shakespeare_env.core.records import StateField
from shakespeare_env.drawing.board import seat_and_name
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import MUTED
from shakespeare_env.drawing.picture import ROOM, picture
from shakespeare_env.drawing.shapes import Block, box
from shakespeare_env.drawing.text_layout import columns
from shakespeare_env.fonts import width

SEAT_COLOURS = (
    *(("#b3402f", "#ffffff"), ("#2f6fb3", "#ffffff"), ("#d9a21b", "#2a2521")),
    *(("#3f8a4d", "#ffffff"), ("#7a4fa3", "#ffffff"), ("#555049", "#ffffff")),
)
_NOT_DRAWN = ("players", "to_move", "winners")
_HIGH, _CAPTION, _VALUE, _LEAST = 52, 12, 20, 72
_ROW = 100  # height of a panel in a picture


class Drawing:
    """Text, pieces and a picture of a game's positions.

    Args:
        name: The game's name.
        fields: The fields of its notation.
        colours: Fill and lettering by seat.
        phase: (dict) -> the phase's name.
    """

    def __init__(
        self,
        name: str,
        fields: Sequence[StateField],
        colours: Sequence[tuple[str, str]],
        phase: Callable[[Mapping[str, Any]], str],
    ) -> None:
        self._name, self._colours, self._phase = name, colours, phase
        drawn = [field for field in fields if field.name not in _NOT_DRAWN]
        self._table = [field for field in drawn if not field.by_seat]
        self._seats = [field for field in drawn if field.by_seat]

    def draw(self, position: Mapping[str, Any]) -> str:
        """See `Presentation.draw`."""
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
        """See `Presentation.headline`."""
        mover, won = position["to_move"], position["winners"]
        sentence = f"Seat {mover} moves"
        if mover is None:
            who = " and ".join(f"seat {seat}" for seat in won or ())
            sentence = f"{who} won".capitalize() if won else "Nobody won"
        table = f"{position['players']} seats"
        return Headline(self._name.capitalize(), table, "", self._phase(position), sentence)

    def board(self, position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
        """See `Presentation.board`."""
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
        """See `Presentation.picture`: a row for each panel of the board."""
        panels = [replace(panel, seat=None) for panel in self.board(position, marks.names)]
        rows = [(_ROW, {panel.name: ROOM}) for panel in panels]
        mover = position["to_move"]
        return picture(self.headline(position), panels, rows, mover, self._colours, marks)


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
    return Piece(name, title, card.as_place(name))
