"""Road pieces, stones as long as they count: those to be won, and all roads from the castles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, GOLD, LINE, MUTED, PANEL, SHADE
from shakespeare_env.drawing.shapes import Block, Elements, box, panel, rule, star
from shakespeare_env.figaro.box.tables import LENGTHS, N_ROUNDS
from shakespeare_env.figaro.drawing.palette import NOW, PIECE, PIECE_LINE
from shakespeare_env.figaro.drawing.seat_sign import name_of, seat_token
from shakespeare_env.figaro.drawing.symbols import castle
from shakespeare_env.figaro.text.wording import ranking, round_state, tie_words, winners

_UNIT = 12.5  # length of a piece of length 1, if everything fits
_EDGE, _TITLE, _GAP = 8, 32, 8
_ROUND, _STEP, _STONE = 26, 19, 15  # a round's title; from one loose stone to the next; its height
_LEFT, _ROAD, _NOTE, _TOTAL = 72, 34, 16, 46  # a road's left edge and height; words above it


def draw_pieces(position: Mapping[str, Any], width: float) -> Block:
    """Every round's pieces, long to short, side by side; the current round's stand out."""
    rounds, height = len(position["pieces"]), 76 + _STEP * (position["players"] - 1)
    each, unit = _round_width(position, width), _unit(position, width)
    drawn = panel(width, height, "Road pieces: most cards, longest piece")
    drawn += [
        _round(position, number, each, height - _TITLE - _EDGE, unit).place(
            f"pieces.{number}", _EDGE + (number - 1) * (each + _GAP), _TITLE
        )
        for number in range(1, rounds + 1)
    ]
    return Block(drawn, width, height)


def _round(
    position: Mapping[str, Any], number: int, width: float, height: float, unit: float
) -> Block:
    pieces, state = position["pieces"][number - 1], round_state(position, number)
    now, right = state == "now", width - _EDGE
    fill, line, thick = (NOW, GOLD, 2) if now else (PANEL, LINE, 1)
    drawn: Elements = [
        box(0, 0, width, height, fill=fill, line=line, thick=thick),
        words(_EDGE, 18, f"Round {number}", 12, weight="bold", room=width / 2),
    ]
    if state != "laid":
        drawn.append(words(right, 18, state, 11, fill=MUTED, anchor="end", room=width / 3))
    if not pieces:
        caption, middle = "laid in the roads" if state == "laid" else "none", height / 2 + 8
        text = words(width / 2, middle, caption, 11, fill=FAINT, anchor="middle", room=width)
        drawn.append(text)
    step = min(_STEP, (height - _ROUND - _GAP) / max(1, len(pieces)))
    for place, piece in enumerate(pieces):
        stone = _piece(piece, unit, min(_STONE, step - 2), PIECE if now else SHADE)
        drawn.append(stone.at(_EDGE, _ROUND + place * step, piece=str(piece)))
    return Block(drawn, width, height)


def draw_roads(position: Mapping[str, Any], names: Sequence[str], width: float) -> Block:
    """A row per seat, in their order; at the end in that of their places."""
    over, unit = position["to_move"] is None, _unit(position, width)
    drawn: Elements = []
    y = float(_TITLE)
    for place, seat in enumerate(ranking(position) if over else range(position["players"]), 1):
        notes = [name_of(names, seat), tie_words(position, seat) if over else ""]
        note = " · ".join(filter(None, notes))
        y += _NOTE if note else 0
        middle = y + _ROAD / 2
        road = _road(position["roads"][seat], unit, width - _LEFT - _EDGE)
        drawn += [
            *seat_token(seat, 52, middle, 24),
            words(_LEFT, y - 4, note, 11, fill=MUTED, room=width - _LEFT - _EDGE),
            road.place(f"road{seat}", _LEFT, y),
        ]
        if over:
            drawn.append(words(34, middle + 6, f"{place}.", 16, weight="bold", anchor="end"))
        if seat in winners(position):
            drawn += star(width - _EDGE - 12, middle, 24)
        y += _ROAD + 4
    title = "Roads, the shortest first" if over else "Roads: the shortest wins"
    return Block([*panel(width, y + 4, title), *drawn], width, y + 4)


def _road(pieces: Sequence[int], unit: float, width: float) -> Block:
    """A road from the castle on, and its length."""
    stone, ground = 0.56 * _ROAD, _ROAD - 2
    drawn: Elements = [
        rule(_ROAD - 4, ground, width - _ROAD - _TOTAL + 4, stroke=PIECE_LINE),
        *castle(_ROAD / 2, _ROAD / 2, _ROAD - 4),
    ]
    x: float = _ROAD
    for piece in pieces:
        drawn.append(_piece(piece, unit, stone).at(x, ground - stone, piece=str(piece)))
        x += piece * unit
    if pieces:
        base = ground - stone / 2 + 6
        drawn.append(words(x + 8, base, str(sum(pieces)), 18, weight="bold", room=_TOTAL - 8))
    else:
        drawn.append(words(x + 6, _ROAD - 10, "no piece yet", 11, fill=FAINT, room=200))
    return Block(drawn, width, _ROAD)


def _piece(length: int, unit: float, height: float, fill: str = PIECE) -> Block:
    """A stone with its length on it."""
    width, size = length * unit, min(12, 0.62 * height)
    base, number = height / 2 + 0.37 * size, str(length)
    drawn: Elements = [
        box(0.5, 0, width - 1, height, fill=fill, line=PIECE_LINE, corner=3),
        words(width / 2, base, number, size, weight="bold", anchor="middle"),
    ]
    return Block(drawn, width, height)


def _unit(position: Mapping[str, Any], width: float) -> float:
    """Length of a piece of length 1, the same throughout a game: the longest road fits."""
    longest = max([*chain.from_iterable(position["pieces"]), int(LENGTHS[0])])
    road = max([*map(sum, position["roads"]), int(LENGTHS[:N_ROUNDS].sum())])
    piece_room = _round_width(position, width) - 2 * _EDGE
    return min(_UNIT, piece_room / longest, (width - _LEFT - _EDGE - _ROAD - _TOTAL) / road)


def _round_width(position: Mapping[str, Any], width: float) -> float:
    rounds = len(position["pieces"])
    return (width - 2 * _EDGE - _GAP * (rounds - 1)) / rounds
