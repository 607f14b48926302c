"""What matters of a seat to those who do not decide there, in few lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from math import ceil
from typing import Any

from shakespeare_env.drawing.board import SUMMARY, seat_strip, strip_signs
from shakespeare_env.drawing.shapes import (
    MUTED,
    STONE,
    Block,
    Elements,
    box,
    drawn_once,
    star,
    words,
)
from shakespeare_env.shakespeare.box.printed import PRINTED
from shakespeare_env.shakespeare.box.tables import N_SLOTS
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.seat_picture import ground
from shakespeare_env.shakespeare.drawing.shapes import ELEMENTS, EMPTY, ON_SEATS, SEATS
from shakespeare_env.shakespeare.text.drawing import stage_rows
from shakespeare_env.shakespeare.text.wording import extra_names, extra_words, winners

_HEAD, _TILES, _STAGE = 26, 37, 68  # heights of both rows, and the stage's width
_IN_ONE_ROW, _LOW_TILES = 4, 20  # more characters than these stand in two rows, of this height
_WIDEST_TILE = 66
_MARK = 17  # the room of a cylinder or rest token


def draw_summary(position: Mapping[str, Any], seat: int, name: str) -> Block:
    """A seat's numbers, then its characters and its stage."""
    wins, decides = seat in winners(position), position["to_move"] == seat
    mine = json.dumps(position["seats"][seat])
    return _seat(mine, seat, name, wins, decides)


@drawn_once
def _seat(given: str, seat: int, name: str, wins: bool, decides: bool) -> Block:
    mine = json.loads(given)
    signs = strip_signs(wins, decides, ON_SEATS[seat])
    strip = seat_strip(seat, name, (SEATS[seat], ON_SEATS[seat]), 112, _HEAD, signs)
    x = 116.0
    drawn: Elements = [strip.at(0, 0)]
    for what, width, block in _numbers(mine, seat):
        drawn.append(Block(block, width - 2, _HEAD - 2).place(f"seat{seat}.{what}", x, 1))
        x += width
    below = _HEAD + 2
    members = list(zip(mine["troupe"], extra_names(mine["troupe"]), strict=True))
    room = SUMMARY - _STAGE - 8
    rows = 2 if len(members) > _IN_ONE_ROW else 1
    a_row, tiles = ceil(len(members) / rows), 2 * _LOW_TILES if rows > 1 else _TILES
    each, high = min(_WIDEST_TILE, room / max(1, a_row)), tiles / rows
    for number, (member, extra) in enumerate(members):
        look = tuple(member["costume"]), member["cylinder"], member["rest"]
        tile = _tile(member["card"], extra, *look, seat, each - 2, high - 2)
        row, column = divmod(number, a_row)
        drawn.append(
            tile.place(f"seat{seat}.troupe.{number}", 3 + each * column, below + high * row)
        )
    for number in range(len(mine["objectives"])):
        card = Block(shapes.objective(5, 5, 9), 10, 10)
        place = f"seat{seat}.objectives.{number}"
        drawn.append(card.place(place, SUMMARY - _STAGE + 12 * number, below + 25.5))
    drawn += _stage(mine["stage"], seat, SUMMARY - _STAGE, below)
    height = _HEAD + 3 + tiles
    return Block([box(0, 0, SUMMARY, height), *drawn], SUMMARY, height)


def _numbers(mine: Mapping[str, Any], seat: int) -> list[tuple[str, float, Elements]]:
    """Each number's place, its room and its drawing."""
    mood, base, middle = mine["mood"], 18.5, 12.5
    bold = partial(words, size=15, weight="bold")
    of = "–" if mine["wager"] is None else mine["wager"]
    used = f"{mine['cylinders']}/{of}"
    return [
        (
            "prestige",
            47,
            [*star(10, middle, 19), bold(21, base, _signed(mine["prestige"]), room=25)],
        ),
        ("pounds", 44, [*shapes.coin(9, middle, 18), bold(20, base, str(mine["pounds"]), room=24)]),
        ("tokens", 43, [*shapes.plus_three(11, middle, 16), bold(23, base, str(mine["tokens"]))]),
        ("mood", 42, [*shapes.mask(9, middle, 17, mood), bold(19, base, _signed(mood), room=22)]),
        (
            "cylinders",
            48,
            [words(3, base, "done", 12, weight="bold", fill=MUTED, room=42)]
            if mine["passed"] or (mine["recruited"] and not mine["cylinders"])  # (Rules T4)
            else [*shapes.cylinder(8, middle, 18, SEATS[seat]), bold(17, base, used, room=28)],
        ),
    ]


@drawn_once
def _tile(
    card: str,
    extra: str,
    costume: tuple[str, ...],
    used: bool,
    rests: bool,
    seat: int,
    width: float,
    height: float,
) -> Block:
    known = PRINTED.cards[card]
    fill, line = ground(extra, used, rests, seat)
    low = height < _LOW_TILES
    name, icon = extra_words(extra) or known.name.partition(" (")[0], 8.5 if low else 12.5
    y = height - icon / 2 - 1
    drawn: Elements = [
        box(0, 0, width, height, fill=fill, line=line, corner=4),
        words(3, *(8.5, name, 9) if low else (12, name, 10.5), room=width - 5),
    ]
    if used:
        drawn += shapes.cylinder(9, y, icon, SEATS[seat])
    elif rests:
        drawn += shapes.rest_token(9, y, icon)
    left = (_MARK if used or rests else 2) + icon / 2
    step = min(icon + 0.5, (width - 2 - icon / 2 - left) / (N_SLOTS - 1))
    for slot, colour in enumerate(costume):
        value = "" if low else str(PRINTED.values[colour])
        drawn += shapes.costume(left + step * slot, y, icon, colour, value)
    return Block(drawn, width, height)


def _stage(filled: Mapping[str, str], seat: int, left: float, top: float) -> Elements:
    rows = stage_rows()
    half = (_STAGE - 4) / 2 / (max(abs(middle) for row in rows for middle in row) + 1)
    high = 25 / len(rows)
    drawn: Elements = []
    for number, row in enumerate(rows):
        for middle, brick in row.items():
            x, y = left + _STAGE / 2 - 2 + (middle - 1) * half, top + number * high
            if brick is None:
                drawn.append(box(x, y, 2 * half - 1, high - 1, fill=STONE, line=None, corner=1))
                continue
            fill, line, _ = ELEMENTS[filled.get(brick.id, EMPTY)]
            block = Block(
                [box(0, 0, 2 * half - 1, high - 1, fill=fill, line=line, corner=1)],
                2 * half - 1,
                high - 1,
            )
            drawn.append(block.place(f"seat{seat}.stage.{brick.id}", x, y))
    return drawn


def _signed(number: int) -> str:
    return str(number).replace("-", "−")
