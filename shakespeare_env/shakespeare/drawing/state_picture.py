"""What a seat has: its numbers, its day or the end of its game, its objectives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.drawing.board import seat_strip, strip_signs
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, INK, LINE, MUTED, PANEL, SHADE
from shakespeare_env.drawing.shapes import Block, Elements, box, drawn_once, star
from shakespeare_env.drawing.signs import right_row
from shakespeare_env.shakespeare.box.printed import printed_of
from shakespeare_env.shakespeare.box.tables import HIGHEST_MOOD, LOWEST_MOOD, N_CYLINDERS
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import ON_SEATS, SEAT_TINTS, SEATS
from shakespeare_env.shakespeare.drawing.powers import amount_signs
from shakespeare_env.shakespeare.text.score_sheet import score_sheet
from shakespeare_env.shakespeare.text.wording import (
    character_name,
    objective_name,
    winners,
    worth_now,
)

WIDTH = 296
_EDGE, _HEAD = 11, 29
_MOOD, _DAY, _OBJECTIVES = 47, 76, 134  # tops of the rows below the numbers
_LINE = 17  # height of an objective's line
_WORTH = 34  # room of what an objective brings
_MOODS = range(LOWEST_MOOD, HIGHEST_MOOD + 1)


def draw_state(position: Mapping[str, Any], seat: int, name: str) -> Block:
    """Who it is, the numbers and the day, with the objectives below."""
    mine, phase = position["seats"][seat], position["phase"]
    wagers = phase == "wager" and position["to_move"] == seat
    day = _wager(mine, seat) if wagers else _day(position, mine, seat)
    low = _OBJECTIVES + _LINE * max(1, len(mine["objectives"])) + 4
    width, height, wins = WIDTH + 2 * _EDGE, low + _HEAD, seat in winners(position)
    who = " · ".join(filter(None, (name, "wins" if wins else "")))
    signs = strip_signs(wins, position["to_move"] == seat, ON_SEATS[seat])
    inner: Elements = [
        *_purse(position, mine, seat),
        _mood(mine["mood"], seat).place(f"seat{seat}.mood", 0, _MOOD),
        *(_score(position, seat) if phase == "over" else day),
        *_objectives(position, seat),
    ]
    drawn: Elements = [
        box(0, 0, width, height),
        seat_strip(seat, who, (SEATS[seat], ON_SEATS[seat]), width, _HEAD, signs).at(0, 0),
        Block(inner, WIDTH, low).at(_EDGE, _HEAD - 3),
    ]
    return Block(drawn, width, height)


def _purse(position: Mapping[str, Any], mine: Mapping[str, Any], seat: int) -> Elements:
    prestige = [*star(12, 15, 25), words(29, 23, _signed(mine["prestige"]), 23, weight="bold")]
    pounds = [*shapes.coin(12, 14, 23), words(28, 23, str(mine["pounds"]), 23, weight="bold")]
    tokens = [
        *shapes.plus_three(14, 15, 22),
        words(31, 21, f"×{mine['tokens']}", 15, weight="bold", room=27),
    ]
    over = position["phase"] == "over"
    wages = f"wages {printed_of(position).wages_due(mine)}£"
    drawn: Elements = [
        Block(prestige, 79, 30).place(f"seat{seat}.prestige", 0, 12),
        Block(pounds, 74, 30).place(f"seat{seat}.pounds", 82, 12),
        Block(tokens, 58, 30).place(f"seat{seat}.tokens", WIDTH - 58, 12),
        words(160, 25 if over else 33, wages, 11.5, fill=MUTED, room=76),
    ]
    if over:
        drawn.append(words(160, 39, f"{mine['unpaid']} unpaid", 11.5, weight="bold", room=76))
    return drawn


@drawn_once
def _mood(mood: int, seat: int) -> Block:
    left, each = 64, (WIDTH - 64 - 30) / len(_MOODS)
    drawn: Elements = [
        words(2, 15, "Mood", 11.5, fill=MUTED, room=36),
        *shapes.mask(left - 13, 11, 17, -1),
        *shapes.mask(left + each * len(_MOODS) + 14, 11, 17, 1),
    ]
    for number, step in enumerate(_MOODS):
        here = step == mood
        fill, ink = (SEATS[seat], ON_SEATS[seat]) if here else (SHADE, FAINT)
        x, room = left + each * number, each - 4
        look: Any = {"weight": "bold" if here else "normal", "fill": ink, "anchor": "middle"}
        drawn += [
            box(x, 0, each - 3, 22, fill=fill, line=INK if here else LINE),
            words(x + each / 2 - 1.5, 15.5, _change(step), 12, room=room, **look),
        ]
    return Block(drawn, WIDTH, 22)


def _wager(mine: Mapping[str, Any], seat: int) -> Elements:
    """Cylinders to click: their number is the wager."""
    chosen = mine["wager"] if mine["wager"] is not None else "–"
    drawn: Elements = [
        words(2, _DAY + 19, "Wager", 11.5, fill=MUTED, room=42),
        words(2, _DAY + 40, str(chosen), 17, weight="bold", room=42),
    ]
    each = (WIDTH - 48) / N_CYLINDERS
    for number in range(1, N_CYLINDERS + 1):
        block = _choice(number, number == chosen, seat, each - 4)
        drawn.append(block.place(f"seat{seat}.cylinders.{number}", 48 + each * (number - 1), _DAY))
    return drawn


@drawn_once
def _choice(number: int, chosen: bool, seat: int, width: float) -> Block:
    fill, line = (SEAT_TINTS[seat], SEATS[seat]) if chosen else (PANEL, LINE)
    drawn: Elements = [
        box(0, 0, width, 48, fill=fill, line=line),
        *shapes.cylinder(width / 2, 18, 22, SEATS[seat]),
        words(width / 2, 43, str(number), 13, weight="bold", anchor="middle"),
    ]
    return Block(drawn, width, 48)


def _day(position: Mapping[str, Any], mine: Mapping[str, Any], seat: int) -> Elements:
    drawn: Elements = [
        _cylinders(mine, seat).place(f"seat{seat}.cylinders", 0, _DAY),
        _answer("recruited", mine["recruited"], seat, 86).at(0, _DAY + 30),
        _answer("passed", mine["passed"], seat, 70).at(92, _DAY + 30),
    ]
    if position["phase"] == "rest":
        kept = character_name(mine["kept"]) if mine["kept"] else "–"
        drawn.append(words(170, _DAY + 43, f"awake: {kept}", 11, room=WIDTH - 170))
    return drawn


def _cylinders(mine: Mapping[str, Any], seat: int) -> Block:
    used = sum(member["cylinder"] for member in mine["troupe"])
    wager = mine["wager"] if mine["wager"] is not None else "–"
    drawn: Elements = [
        words(2, 14, "Wager", 11.5, fill=MUTED, room=42),
        words(47, 14, str(wager), 13, weight="bold", room=14),
    ]
    for number in range(mine["cylinders"] + used):
        fill = SEATS[seat] if number < mine["cylinders"] else "none"
        drawn += shapes.cylinder(74 + 18 * number, 9, 18, fill)
    caption = f"{mine['cylinders']} left, {used} used"
    drawn.append(words(172, 14, caption, 11.5, fill=MUTED, room=WIDTH - 172))
    return Block(drawn, WIDTH, 22)


@drawn_once
def _answer(question: str, answer: bool, seat: int, width: float) -> Block:
    tint, line, ink = (SEAT_TINTS[seat], SEATS[seat], INK) if answer else (PANEL, LINE, FAINT)
    text = f"✓ {question}" if answer else f"not {question}"
    label = words(width / 2, 13.5, text, 10.5, fill=ink, anchor="middle", room=width - 4)
    return Block([box(0, 0, width, 19, fill=tint, line=line, corner=9), label], width, 19)


def _score(position: Mapping[str, Any], seat: int) -> Elements:
    """What the prestige is made of."""
    drawn: Elements = []
    for number, (source, points) in enumerate(score_sheet(position)):
        y = _DAY + 15 + 16 * number
        caption = _change(points[seat]) if number else _signed(points[seat])
        drawn += [
            words(34, y, caption, 11.5, weight="bold", anchor="end"),
            words(42, y, source, 11.5, fill=MUTED, room=WIDTH - 42),
        ]
    return drawn


def _objectives(position: Mapping[str, Any], seat: int) -> Elements:
    cards = position["seats"][seat]["objectives"]
    if not cards:
        return [words(2, _OBJECTIVES + 12, "no objectives", 11, fill=FAINT, room=WIDTH)]
    drawn: Elements = []
    for number, card in enumerate(cards):
        one: Elements = [
            *shapes.objective(7, 9, 12),
            words(17, 13, objective_name(card), 11.5, room=WIDTH - 17 - _WORTH),
        ]
        worth = worth_now(position, seat, card)
        if worth is not None:
            one += right_row(amount_signs(worth, "★"), WIDTH, 9, 2 * _LINE)
        place = f"seat{seat}.objectives.{number}"
        drawn.append(Block(one, WIDTH, _LINE).place(place, 0, _OBJECTIVES + _LINE * number))
    return drawn


def _signed(number: int) -> str:
    return str(number).replace("-", "−")


def _change(number: int) -> str:
    return f"{number:+d}".replace("-", "−") if number else "0"
