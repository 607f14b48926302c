"""Summaries: what matters of a seat and of the table to those who do not decide there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import partial
from math import ceil
from typing import Any

from shakespeare_env.drawing.board import SUMMARY, seat_strip, strip_signs
from shakespeare_env.drawing.shapes import (
    FAINT,
    INK,
    LINE,
    MUTED,
    PANEL,
    SHADE,
    STONE,
    Block,
    Elements,
    box,
    drawn_once,
    star,
    words,
)
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS
from shakespeare_env.shakespeare.box.printed import PRINTED
from shakespeare_env.shakespeare.box.tables import N_SLOTS
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.seat_picture import ground
from shakespeare_env.shakespeare.drawing.shapes import (
    ELEMENTS,
    EMPTY,
    ON_SEATS,
    SEATS,
    disc_colours,
)
from shakespeare_env.shakespeare.text.drawing import stage_rows
from shakespeare_env.shakespeare.text.wording import (
    character_name,
    extra_names,
    extra_words,
    winners,
)

_HEAD, _TILES, _STAGE = 26, 37, 68  # heights of both rows, and the stage's width
_IN_ONE_ROW, _LOW_TILES = 4, 20  # more characters than these stand in two rows, of this height
_WIDEST_TILE, _CELL = 66, 24.5  # a character; a space of an act in height
_LABEL, _ORDER = 34, 66
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


def draw_table(position: Mapping[str, Any]) -> Block:
    """The acts with their discs, and the elements on offer."""
    shown = {key: position[key] for key in ("piles", "display", "order", "initiative")}
    return _table(json.dumps(shown), position["players"])


@drawn_once
def _table(given: str, players: int) -> Block:
    position = json.loads(given)
    cell = (SUMMARY - _LABEL) / max(PRINTED.box.act_lengths)
    drawn: Elements = []
    for number, (act, length) in enumerate(zip(ACTS, PRINTED.box.act_lengths, strict=True)):
        y = number * (_CELL + 1)
        drawn.append(words(2, y + 17, act, 13, weight="bold", room=_LABEL - 4))
        for space in range(1, length + 1):
            pile = tuple(position["piles"][act].get(str(space), ()))
            grey = space <= PRINTED.box.rehearsals.grey_spaces
            block = _space(space, pile, grey, cell - 1)
            drawn.append(block.place(f"piles.{act}.{space}", _LABEL + (space - 1) * cell, y))
    each, y = (SUMMARY - _LABEL - _ORDER) / len(COLOURS), len(ACTS) * (_CELL + 1) + 2
    for row, order in enumerate(("order", "initiative")):
        block = _order(tuple(position[order]), players)
        drawn.append(block.place(order, SUMMARY - _ORDER + 4, y + 26 * row))
    for kind, shape in (("costumes", shapes.costume), ("sets", shapes.stage_set)):
        drawn += shape(15, y + 13, 18, EMPTY)
        for number, colour in enumerate(COLOURS):
            shown = position["display"][kind][colour]
            look = shown, str(PRINTED.values[colour]), each - 2
            block = _offer(kind == "sets", colour, *look)
            drawn.append(block.place(f"display.{kind}.{colour}", _LABEL + each * number, y))
        y += 26
    return Block(drawn, SUMMARY, y)


@drawn_once
def _order(seats: tuple[int, ...], players: int) -> Block:
    step = (_ORDER - 4) / max(players, 1)
    drawn: Elements = []
    for place, seat in enumerate(seats):
        drawn += shapes.marker(step * (place + 0.5), 13, min(18, step - 1), seat)
    return Block(drawn, _ORDER - 4, 26)


@drawn_once
def _space(space: int, pile: tuple[int | str, ...], grey: bool, width: float) -> Block:
    drawn: Elements = [box(0, 0, width, _CELL, fill=SHADE if grey else PANEL, line=LINE, corner=3)]
    if not pile:
        drawn.append(words(width / 2, 16, str(space), 10, fill=FAINT, anchor="middle", room=width))
    columns = 1 if len(pile) == 1 else 2
    wide, lines = (width - 2) / columns, -(-len(pile) // columns)
    for place, whose in enumerate(pile):
        row, column = divmod(place, columns)
        size = min(_CELL / max(lines, 1) - 1, 16)
        name = str(whose) if isinstance(whose, int) else "N"
        x, middle = 1 + wide * column, _CELL - (row + 0.5) * (_CELL - 2) / lines - 1
        fill, ink = disc_colours(whose)
        drawn += [
            box(x + 0.5, middle - size / 2, wide - 1, size, fill=fill, line=INK, corner=3),
            words(
                x + wide / 2,
                middle + size * 0.34,
                name,
                min(12, size - 2),
                weight="bold",
                fill=ink,
                anchor="middle",
            ),
        ]
    return Block(drawn, width, _CELL)


@drawn_once
def _offer(is_set: bool, colour: str, shown: int, value: str, width: float) -> Block:
    shape = shapes.stage_set if is_set else shapes.costume
    drawn: Elements = [
        box(0, 0, width, 25, fill=PANEL, line=LINE, corner=3),
        *shape(width / 2 - 8, 13, 18, colour if shown else EMPTY, value),
        words(
            width / 2 + 3,
            18,
            f"×{shown}",
            11,
            weight="bold",
            fill=INK if shown else FAINT,
            room=width / 2 - 4,
        ),
    ]
    return Block(drawn, width, 25)


def draw_offers(position: Mapping[str, Any]) -> Block:
    """The names of the characters on offer."""
    copies = Counter(position["display"]["characters"])
    each = SUMMARY / 3
    drawn: Elements = []
    for number, (card, count) in enumerate(copies.items()):
        row, column = divmod(number, 3)
        many = f" ×{count}" if count > 1 else ""
        chip: Elements = [
            box(0, 0, each - 3, 24, corner=4),
            words(6, 16, character_name(card) + many, 11.5, room=each - 14),
        ]
        place = f"display.characters.{card}"
        drawn.append(Block(chip, each - 3, 24).place(place, column * each, row * 27))
    return Block(drawn, SUMMARY, 27 * -(-len(copies) // 3))


def _signed(number: int) -> str:
    return str(number).replace("-", "−")
