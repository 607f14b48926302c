"""A position as an SVG document, secrets included: the board's pieces on one page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.core.presentation import UNMARKED, Marks
from shakespeare_env.drawing import picture as page
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import PANEL
from shakespeare_env.drawing.shapes import Elements, box, star
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.board import board
from shakespeare_env.shakespeare.drawing.palette import ANY, KRAFT, ON_SEATS, SEATS
from shakespeare_env.shakespeare.text.wording import headline

_TABLE, _SEAT, _PILES = 412, 232, 164
_BESIDE = 310  # width of offers and choices


def picture(position: Mapping[str, Any], marks: Marks = UNMARKED) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`).

    The size depends on the number of seats alone: a game's pictures make a film.
    """
    wide = page.ROOM - _BESIDE - page.GAP
    return page.picture(
        headline(position),
        board(position, marks.names),
        [
            (_TABLE, {"table": wide, "offers": _BESIDE}),
            *((_SEAT, {f"seat-{seat}": page.ROOM}) for seat in range(position["players"])),
            (_PILES, {"piles": wide, "choice": _BESIDE}),
        ],
        position["to_move"],
        tuple(zip(SEATS, ON_SEATS, strict=True)),
        marks,
        _signs(position["players"] == 1),
    )


def _signs(solo: bool) -> list[tuple[Elements, str]]:
    size = 15
    return [
        (star(0, 0, size), "prestige"),
        (shapes.coin(0, 0, size), "pounds, wage"),
        (shapes.cylinder(0, 0, size, PANEL), "activation"),
        (shapes.costume(0, 0, size, ANY), "costume"),
        ([words(0, 4, "✓8", 11, weight="bold", anchor="middle")], "complete costume, its value"),
        (shapes.stage_set(0, 0, size - 2, ANY), "stage set"),
        (shapes.quill(0, 0, size, "red"), "Act I"),
        (shapes.quill(0, 0, size, "gold"), "Act II"),
        (shapes.quill(0, 0, size, "blue"), "Act III"),
        (shapes.quill(0, 0, size, "white"), "any act"),
        (shapes.mask(0, 0, size, 1), "mood"),
        (shapes.rest_token(0, 0, size), "resting"),
        (shapes.candle(0, 0, size), "candle"),
        (shapes.objective(0, 0, size), "objective"),
        ([box(-8, -6, 16, 12, fill=KRAFT, corner=3)], "extra (what lies face down)"),
        *(((shapes.disc(0, 0, 18, 14, "neutral"), "neutral disc"),) if solo else ()),
    ]
