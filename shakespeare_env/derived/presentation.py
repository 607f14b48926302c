"""A presentation that is derived from any game's notation: text in columns and simple boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from textwrap import wrap
from typing import Any

import numpy as np

from shakespeare_env.core.consequences import Consequence
from shakespeare_env.core.game import ActionTable, Record
from shakespeare_env.core.presentation import (
    Event,
    Headline,
    NextScoring,
    Panel,
    Piece,
    Presentation,
    Topic,
)
from shakespeare_env.core.seat_names import seat_placeholder
from shakespeare_env.derived.notation import OVER, TURN, Notation
from shakespeare_env.drawing.board import ROOM, picture, seat_title
from shakespeare_env.drawing.shapes import MUTED, Block, Elements, box, words
from shakespeare_env.drawing.text_layout import columns
from shakespeare_env.fonts import width
from shakespeare_env.play.tracing import interpreted

_COLOURS = (
    ("#b3402f", "#ffffff"),
    ("#2f6fb3", "#ffffff"),
    ("#d9a21b", "#2a2521"),
    ("#3f8a4d", "#ffffff"),
    ("#7a4fa3", "#ffffff"),
    ("#555049", "#ffffff"),
)
_PIECE_HEIGHT = 52
_LEAST_PIECE_WIDTH = 72
_CAPTION_SIZE = 12  # of the letters
_VALUE_SIZE = 20  # of the letters
_PANEL_HEIGHT = 100  # in a picture
_MAX_COLUMNS = 80  # in a text


@dataclass(frozen=True, kw_only=True)
class GamePresentation:
    """The parts of a presentation that a game defines itself. The other parts are derived.

    `core.presentation.Presentation` says what each part is.
    """

    chapter: str | None = None
    draw: Callable[[Mapping[str, Any]], str] | None = None
    picture: Callable[..., str] | None = None
    board: Callable[[Mapping[str, Any], Sequence[str]], list[Panel]] | None = None
    headline: Callable[..., Headline] | None = None
    places: Callable[[Mapping[str, Any], str], tuple[str, ...]] | None = None
    needs_confirming: Callable[[Mapping[str, Any], str], bool] | None = None
    seat_colours: tuple[tuple[str, str], ...] | None = None
    topics: Callable[[Mapping[str, Any]], Mapping[str, Topic]] | None = None
    events: Callable[[Any, int, Any, int | None], list[Event]] | None = None
    score_sheet: Callable[[Mapping[str, Any]], list[tuple[str, list[int]]]] | None = None
    score_sign: int = 1
    next_scoring: Callable[[Mapping[str, Any]], NextScoring | None] | None = None
    consequences: Sequence[Consequence] = ()


@dataclass(frozen=True)
class DerivedPresentation:
    """A presentation derived from a game's notation, actions, scores and secret moves."""

    notation: Notation
    actions: ActionTable
    scores: Callable[[Record, Any], None]
    is_secret: Callable[[Mapping[str, Any], str], bool]

    def complete(self, own: GamePresentation) -> Presentation:
        """Return a complete presentation: a game's own parts, and derived ones for the rest."""
        headline = own.headline or self._headline
        colours = [_COLOURS[i % len(_COLOURS)] for i in range(self.notation.seats[-1])]
        topics: dict[str, Topic] = {}
        if not self.actions.is_relative:
            moves = zip(self.actions.texts, self.actions.descriptions, strict=True)
            topics = {move: Topic(description) for move, description in moves}

        def draw_picture(position: Mapping[str, Any], names: Sequence[str] = ()) -> str:
            """Draw the panels of the board below each other."""
            # Only panels without a seat show their title.
            panels = [replace(panel, seat=None) for panel in self._board(position, names)]
            rows = [(_PANEL_HEIGHT, {panel.name: ROOM}) for panel in panels]
            return picture(headline(position), panels, rows, position["to_move"], colours)

        parts: dict[str, Any] = {
            "chapter": "players",  # never changes, so the game has a single chapter
            "draw": lambda position: self._text_of(position, headline(position)),
            "picture": draw_picture,
            "board": self._board,
            "headline": headline,
            "places": lambda position, move: (),
            "needs_confirming": lambda position, move: False,
            "seat_colours": tuple(colours),
            "topics": lambda position: topics,
            "events": self._events,
            "score_sheet": lambda position: [("points", self._scores_of(position))],
        }
        for part in fields(own):
            if getattr(own, part.name) is not None:
                parts[part.name] = getattr(own, part.name)
        return Presentation(**parts)

    def _keys(self) -> tuple[list[str], list[str]]:
        """Return the keys of what belongs to the table, and of what belongs to each seat."""
        of_seats = [key for key, field in self.notation.keys.items() if field.by_seat]
        not_of_table = (*of_seats, "players", "to_move")
        return [key for key in self.notation.keys if key not in not_of_table], of_seats

    def _text_of(self, position: Mapping[str, Any], head: Headline) -> str:
        """Return the table and then the seats in columns, or in lists if columns are too wide."""
        table_keys, seat_keys = self._keys()
        title = " · ".join(filter(None, (head.game, head.table, head.progress, head.phase)))
        lines = [title, head.sentence]
        lines += [f"{key} {_text(position[key])}" for key in table_keys]
        rows = []
        for seat in range(position["players"]):
            rows.append([str(seat)] + [_text(position[key][seat]) for key in seat_keys])
        in_columns = columns([["", *seat_keys], *rows], [str.ljust] * (1 + len(seat_keys)))
        if not seat_keys:
            pass  # there is nothing to show of the seats
        elif max(map(len, in_columns)) <= _MAX_COLUMNS:
            lines += in_columns
        else:
            for number, *values in rows:
                lines.append(f"seat {number}")
                lines += [f"  {key} {text}" for key, text in zip(seat_keys, values, strict=True)]
        return "\n".join(
            part.rstrip()
            for line in lines
            for part in wrap(line, _MAX_COLUMNS, subsequent_indent=" " * 6)
        )

    def _headline(self, position: Mapping[str, Any], names: Sequence[str] = ()) -> Headline:
        game = self.notation.name.capitalize()
        table = f"{position['players']} seats"
        if position["to_move"] is not None:
            sentence = f"{{Seat {position['to_move']}}} moves"
            return Headline(game, table, progress="", phase=TURN, sentence=sentence).named(names)
        first, *others = position["winners"]
        # The capital letter of this placeholder begins the sentence.
        winners = [f"{{Seat {first}}}", *map(seat_placeholder, others)]
        sentence = f"{' and '.join(winners)} won"
        return Headline(game, table, progress="", phase=OVER, sentence=sentence).named(names)

    def _board(self, position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
        mover = position["to_move"]
        table_keys, seat_keys = self._keys()
        first = _piece("to_move", "to move", "nobody" if mover is None else f"seat {mover}")
        others = [_piece(key, key, position[key]) for key in table_keys]
        panels = [Panel("table", "Table", [first, *others])]
        for seat in range(position["players"]):
            pieces = [_piece(f"seat{seat}-{key}", key, position[key][seat]) for key in seat_keys]
            pieces = pieces or [_piece(f"seat{seat}", "seat", seat)]
            title = seat_title(seat, names[seat] if seat < len(names) else "")
            panels.append(Panel(f"seat{seat}", title, pieces, seat))
        return panels

    def _events(self, record: Record, action: int, after: Record, seat: int | None) -> list[Event]:
        before = self.notation.to_dict(record)
        mover = int(record["to_move"])
        move = self.actions.text(action, mover, int(record["players"]))
        is_known = seat in (None, mover) or not self.is_secret(before, move)
        events = [Event(mover, move)] if is_known else []
        old_scores = self._scores_of(before)
        new_scores = self._scores_of(self.notation.to_dict(after))
        for owner, (old, new) in enumerate(zip(old_scores, new_scores, strict=True)):
            if new != old:
                text = f"{new - old:+d} points"
                events.append(Event(owner, text, source="points", points=new - old))
        return events

    def _scores_of(self, position: Mapping[str, Any]) -> list[int]:
        """Return the scores by seat. They depend on nothing that is hidden."""
        record = np.zeros(1, self.notation.state)[0]
        out = np.zeros(len(record["winners"]), np.int16)
        self.notation.from_seen(position, record)
        interpreted(self.scores)(record, out)  # runs in Python, uncompiled
        return [int(score) for score in out[: position["players"]]]


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{count}×{name}" for name, count in value.items()) or "-"
    if isinstance(value, list):
        nested = any(isinstance(item, list) for item in value)
        return (" / " if nested else " ").join(map(_text, value)) or "-"
    return "-" if value is None else str(value)


def _piece(name: str, title: str, value: Any) -> Piece:
    text = _text(value)
    text_width = max(width(text, _VALUE_SIZE, "bold"), width(title, _CAPTION_SIZE, "normal"))
    piece_width = min(max(text_width + 20, _LEAST_PIECE_WIDTH), ROOM)
    drawn: Elements = [
        box(0, 0, piece_width, _PIECE_HEIGHT),
        words(10, 17, title, _CAPTION_SIZE, fill=MUTED, room=piece_width - 20),
        words(10, 42, text, _VALUE_SIZE, weight="bold", room=piece_width - 20),
    ]
    return Piece(name, title, Block(drawn, piece_width, _PIECE_HEIGHT).as_place(name))
