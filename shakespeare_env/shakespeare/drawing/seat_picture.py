"""A seat's panel: numbers, day, troupe and stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, GOLD, INK, LINE, MUTED, PANEL, SHADE
from shakespeare_env.drawing.shapes import Block, Elements, arrow, box, crown, star
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.card_picture import MEMBER_HEIGHT, draw_gap, draw_member
from shakespeare_env.shakespeare.drawing.palette import ON_SEATS, SEAT_TINTS, SEATS
from shakespeare_env.shakespeare.drawing.stage_picture import draw_stage
from shakespeare_env.shakespeare.drawing.wording import (
    character_name,
    extra_names,
    objective_name,
    wages_due,
    winners,
)
from shakespeare_env.shakespeare.tables import BOX, HIGHEST_MOOD, LOWEST_MOOD, MAX_TROUPE

_EDGE, _GAP = 11, 6
_BAND, _STATE, _STAGE = 58, 296, 300
_ROWS = 2  # of cards
_HEIGHT = _ROWS * MEMBER_HEIGHT + (_ROWS - 1) * _GAP + 2 * _EDGE
_OBJECTIVES, _LINE = 134, 16
_OBJECTIVES_ROOM = _HEIGHT - _OBJECTIVES - 5
_MOODS = range(LOWEST_MOOD, HIGHEST_MOOD + 1)


def draw_seat(position: Mapping[str, Any], seat: int, width: float) -> Block:
    """The panel; the mover's has a thick frame and an arrow.

    Always equally high: a game's pictures match in size.
    """
    mine = position["seats"][seat]
    decides = position["to_move"] == seat
    wins = seat in winners(position)
    height = _HEIGHT
    troupe = width - _BAND - _STATE - _STAGE - 4 * _EDGE
    x = _BAND + _EDGE
    drawn: Elements = [
        box(0, 0, width, height, fill=PANEL),
        _band(seat, height),
        *(arrow(_BAND / 2, 90, 24, ON_SEATS[seat]) if decides else []),
        *(_winner(seat) if wins else []),
        _state(position, seat).at(x, 0),
        *_troupe(mine, seat, x + _STATE + _EDGE, troupe),
        draw_stage(mine["stage"], _STAGE, height - 2 * _EDGE).at(width - _STAGE - _EDGE, _EDGE),
    ]
    if decides or wins:
        line = SEATS[seat] if decides else GOLD
        drawn += [
            box(0, 0, width, height, fill="none", line=INK, thick=8),
            box(0, 0, width, height, fill="none", line=line, thick=6),
        ]
    return Block(drawn, width, height)


def _band(seat: int, height: float) -> svg.G:
    fill = ON_SEATS[seat]
    return svg.G(
        elements=[
            box(0, 0, _BAND, height, fill=SEATS[seat], line=None),
            words(_BAND / 2, 24, "Seat", 13, fill=fill, anchor="middle", room=_BAND),
            words(_BAND / 2, 62, str(seat), 38, weight="bold", fill=fill, anchor="middle"),
        ]
    )


def _winner(seat: int) -> Elements:
    fill = ON_SEATS[seat]
    return [
        *crown(_BAND / 2, 94, 30),
        words(_BAND / 2, 124, "wins", 13, weight="bold", fill=fill, anchor="middle", room=_BAND),
    ]


def _state(position: Mapping[str, Any], seat: int) -> Block:
    mine = position["seats"][seat]
    drawn = [
        *_purse(position, mine),
        *_mood(mine["mood"], seat, 47),
        *_cylinders(mine, seat, 90),
        *_today(position, mine, seat, 106),
        *_objectives(mine["objectives"]),
    ]
    return Block(drawn, _STATE, 0)


def _objectives(cards: Sequence[str]) -> Elements:
    """A line each, closer together when many: the panel does not grow."""
    if not cards:
        return [words(2, _OBJECTIVES + 12, "no objectives", 11, fill=FAINT, room=_STATE)]
    drawn: Elements = []
    line = min(_LINE, _OBJECTIVES_ROOM / len(cards))
    sign, size = min(12, line - 1), round(min(11.5, 1.1 * line), 2)
    for number, card in enumerate(cards):
        y = _OBJECTIVES + line * (number + 0.75)
        drawn += [
            *shapes.objective(7, y - size / 3, sign),
            words(17, y, objective_name(card), size, room=_STATE - 17),
        ]
    return drawn


def _purse(position: Mapping[str, Any], mine: Mapping[str, Any]) -> Elements:
    prestige = str(mine["prestige"]).replace("-", "−")
    wages = f"wages {wages_due(mine)}£"
    drawn: Elements = [
        *star(12, 27, 25),
        words(29, 35, prestige, 23, weight="bold", room=50),
        *shapes.coin(94, 26, 23),
        words(110, 35, str(mine["pounds"]), 23, weight="bold", room=46),
        words(160, 25 if position["phase"] == "over" else 33, wages, 11.5, fill=MUTED, room=76),
        *shapes.plus_three(_STATE - 44, 27, 22),
        words(_STATE - 27, 33, f"×{mine['tokens']}", 15, weight="bold", room=27),
    ]
    if position["phase"] == "over":
        unpaid = f"{mine['unpaid']} unpaid"
        drawn.append(words(160, 39, unpaid, 11.5, weight="bold", fill=INK, room=76))
    return drawn


def _mood(mood: int, seat: int, y: float) -> Elements:
    left, each = 64, (_STATE - 64 - 30) / len(_MOODS)
    drawn: Elements = [
        words(2, y + 15, "Mood", 11.5, fill=MUTED, room=36),
        *shapes.mask(left - 13, y + 11, 17, -1),
        *shapes.mask(left + each * len(_MOODS) + 14, y + 11, 17, 1),
    ]
    for number, step in enumerate(_MOODS):
        here = step == mood
        fill, ink = (SEATS[seat], ON_SEATS[seat]) if here else (SHADE, FAINT)
        label = f"{step:+d}".replace("-", "−") if step else "0"
        drawn += [
            box(left + each * number, y, each - 3, 22, fill=fill, line=INK if here else LINE),
            words(
                left + each * (number + 0.5) - 1.5,
                y + 15.5,
                label,
                12,
                weight="bold" if here else "normal",
                fill=ink,
                anchor="middle",
                room=each - 4,
            ),
        ]
    return drawn


def _cylinders(mine: Mapping[str, Any], seat: int, y: float) -> Elements:
    used = sum(member["cylinder"] for member in mine["troupe"])
    wager = mine["wager"] if mine["wager"] is not None else "–"
    drawn: Elements = [
        words(2, y, "Wager", 11.5, fill=MUTED, room=42),
        words(47, y, str(wager), 13, weight="bold", room=14),
    ]
    each = 18
    for number in range(mine["cylinders"] + used):
        fill = SEATS[seat] if number < mine["cylinders"] else "none"
        drawn += shapes.cylinder(74 + each * number, y - 5, 18, fill)
    told = f"{mine['cylinders']} left, {used} used"
    drawn.append(words(172, y, told, 11.5, fill=MUTED, room=_STATE - 172))
    return drawn


def _today(position: Mapping[str, Any], mine: Mapping[str, Any], seat: int, y: float) -> Elements:
    drawn = [
        *_answer("recruited", mine["recruited"], seat, 0, y),
        *_answer("passed", mine["passed"], seat, 92, y),
    ]
    if position["phase"] == "rest":
        kept = character_name(mine["kept"]) if mine["kept"] else "–"
        drawn.append(words(170, y + 13, f"free: {kept}", 11, room=_STATE - 170))
    return drawn


def _answer(question: str, answer: bool, seat: int, x: float, y: float) -> Elements:
    tint, line, ink = (SEAT_TINTS[seat], SEATS[seat], INK) if answer else (PANEL, LINE, FAINT)
    text = f"✓ {question}" if answer else f"not {question}"
    return [
        box(x, y, 86 if x == 0 else 70, 19, fill=tint, line=line, corner=9),
        words(x + (43 if x == 0 else 35), y + 13.5, text, 10.5, fill=ink, anchor="middle", room=70),
    ]


def _troupe(mine: Mapping[str, Any], seat: int, x: float, width: float) -> Elements:
    board = len(BOX.starting)
    printed, later = ceil(board / _ROWS), ceil((MAX_TROUPE - board) / _ROWS)
    between = 2 * _GAP
    each = (width - between - (printed + later - 2) * _GAP) / (printed + later)
    step = each + _GAP
    drawn: Elements = [
        box(
            x - 5,
            _EDGE - 5,
            printed * step - _GAP + 10,
            _HEIGHT - 2 * _EDGE + 10,
            fill=SEAT_TINTS[seat],
            line=None,
        )
    ]
    places = [
        *_grid(board, printed, x, step),
        *_grid(MAX_TROUPE - board, later, x + printed * step - _GAP + between, step),
    ]
    members = list(zip(mine["troupe"], extra_names(mine["troupe"]), strict=True))
    cards = [draw_member(member, extra, seat, each) for member, extra in members]
    cards += [draw_gap(each, MEMBER_HEIGHT)] * (MAX_TROUPE - len(cards))
    return [*drawn, *(card.at(*place) for card, place in zip(cards, places, strict=True))]


def _grid(cards: int, columns: int, x: float, step: float) -> list[tuple[float, float]]:
    down = MEMBER_HEIGHT + _GAP
    return [(x + card % columns * step, _EDGE + card // columns * down) for card in range(cards)]
