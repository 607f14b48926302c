"""How any game is shown: what its notation says, in tables and in pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shakespeare_env.core.game import UNKNOWN, ActionTable, Record
from shakespeare_env.core.presentation import Event, Headline, Panel, Piece, Presentation
from shakespeare_env.derived.notation import Notation
from shakespeare_env.drawing.board import ROOM, picture, seat_and_name
from shakespeare_env.drawing.shapes import MUTED, Block, box, words
from shakespeare_env.drawing.text_layout import columns
from shakespeare_env.fonts import width
from shakespeare_env.play.tracing import interpreted

TURN, OVER = "turn", "over"
"""The phases of a game."""
_COLOURS = (
    *(("#b3402f", "#ffffff"), ("#2f6fb3", "#ffffff"), ("#d9a21b", "#2a2521")),
    *(("#3f8a4d", "#ffffff"), ("#7a4fa3", "#ffffff"), ("#555049", "#ffffff")),
)
_NOT_DRAWN = ("players", "to_move")
_HIGH, _CAPTION, _VALUE, _LEAST = 52, 12, 20, 72
_ROW = 100  # height of a panel in a picture


@dataclass(frozen=True)
class Shown:
    """Parts of a `Presentation`, from a game's notation, its actions and its rule `scores`."""

    notation: Notation
    actions: ActionTable
    scores: Callable[[Record, Any], None]

    def presentation(self) -> Presentation:
        """All of them."""
        return Presentation(
            chapter="players",
            draw=self.draw,
            picture=self.picture,
            board=self.board,
            headline=self.headline,
            places=lambda position, move: (),
            seat_colours=self._colours(),
            topics=self.topics,
            events=self.events,
            score_sheet=lambda position: [("points", self._scores_of(position))],
        )

    def draw(self, position: Mapping[str, Any]) -> str:
        """See `Presentation.draw`."""
        said, (table, own) = self.headline(position), self._keys()
        lines = [f"{said.game}, {said.table}: {said.sentence}"]
        lines += [f"{key} {_text(position[key])}"[:78] for key in table]
        if own:
            rows = [["", *own]]
            for seat in range(position["players"]):
                rows.append([str(seat), *(_text(position[key][seat]) for key in own)])
            lines += columns(rows, [str.ljust] * (1 + len(own)))
        return "\n".join(line[:80].rstrip() for line in lines)

    def headline(self, position: Mapping[str, Any]) -> Headline:
        """See `Presentation.headline`."""
        mover, phase, table = position["to_move"], TURN, f"{position['players']} seats"
        sentence = f"Seat {mover} moves"
        if mover is None:
            won = " and ".join(f"seat {seat}" for seat in position["winners"])
            phase, sentence = OVER, f"{won} won".capitalize()
        return Headline(self.notation.name.capitalize(), table, "", phase, sentence)

    def board(self, position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
        """See `Presentation.board`."""
        mover, (table, own) = position["to_move"], self._keys()
        first = _piece("to_move", "to move", "nobody" if mover is None else f"seat {mover}")
        panels = [Panel("table", "Table", [first, *(_piece(k, k, position[k]) for k in table)])]
        for seat in range(position["players"]):
            pieces = [_piece(f"seat{seat}-{key}", key, position[key][seat]) for key in own]
            pieces = pieces or [_piece(f"seat{seat}", "seat", seat)]
            title = seat_and_name(seat, names[seat] if seat < len(names) else "")
            panels.append(Panel(f"seat{seat}", title, pieces, seat))
        return panels

    def picture(self, position: Mapping[str, Any], names: Sequence[str] = ()) -> str:
        """See `Presentation.picture`: a row for each panel of the board."""
        panels = [replace(panel, seat=None) for panel in self.board(position, names)]
        rows = [(_ROW, {panel.name: ROOM}) for panel in panels]
        mover = position["to_move"]
        return picture(self.headline(position), panels, rows, mover, self._colours())

    def topics(self, position: Mapping[str, Any]) -> Mapping[str, str]:
        """See `Presentation.topics`: what each move does, in the words of the action table."""
        said = dict(zip(self.actions.texts, self.actions.descriptions, strict=True))
        return {} if self.actions.is_relative else said

    def events(self, record: Record, action: int, after: Record, viewer: int | None) -> list[Event]:
        """See `Presentation.events`: the move, and every change of a score."""
        before, mover = self.notation.to_dict(record), int(record["to_move"])
        found = [Event(mover, self.actions.text(action, mover, int(record["players"])))]
        later = self._scores_of(self.notation.to_dict(after))
        for seat, (old, new) in enumerate(zip(self._scores_of(before), later, strict=True)):
            if new != old:
                found.append(Event(seat, f"{new - old:+d} points", "points", new - old))
        return found

    def _scores_of(self, position: Mapping[str, Any]) -> list[int]:
        """Scores by seat, which depend on nothing that is hidden."""
        record = np.zeros(1, self.notation.state)[0]
        out = np.zeros(len(record["winners"]), np.int16)
        self.notation.from_seen(position, record)
        interpreted(self.scores)(record, out)
        return [int(score) for score in out[: position["players"]]]

    def _keys(self) -> tuple[list[str], list[str]]:
        """The keys of what lies on the table, and of what each seat has."""
        own = [key for key, field in self.notation.keys.items() if field.by_seat]
        return [key for key in self.notation.keys if key not in (*own, *_NOT_DRAWN)], own

    def _colours(self) -> tuple[tuple[str, str], ...]:
        return tuple(_COLOURS[i % len(_COLOURS)] for i in range(self.notation.seats[-1]))


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{count}×{name}" for name, count in value.items())
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
