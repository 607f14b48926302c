"""The board in pieces and on one page, and where on it moves are clicked.

Places: `handN.CARD` (`handN` if face down), `frontN` (what lies before seat N), `takenN`, `roadN`,
`pieces.R` (the road pieces of round R). Any two of the eleven card and seat colours stay apart for
red-green blind eyes; cards also have a letter and a symbol, seats their number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import svg

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import UNMARKED, Flight, Marks, Panel, Piece
from shakespeare_env.drawing import board as common
from shakespeare_env.drawing.shapes import (
    GOLD,
    INK,
    LINE,
    MUTED,
    ON_LIGHT,
    PANEL,
    PAPER,
    SHADE,
    Block,
    Elements,
    box,
    crown,
    drawn_once,
    outline,
    star,
    words,
)
from shakespeare_env.drawing.shapes import token as disc
from shakespeare_env.figaro import text
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.facts import COLOURS

SEAT_COLOURS = (
    *(("#54433b", "#ffffff"), ("#8ebeed", ON_LIGHT), ("#edbebe", ON_LIGHT)),
    *(("#85628c", "#ffffff"), ("#ededa6", ON_LIGHT), ("#391a40", "#ffffff")),
)
"""Fill and lettering by seat."""
CARDS = {
    "red": ("#bb2418", "#ffffff"),
    "orange": ("#f4a93f", ON_LIGHT),
    "green": ("#3f9d6c", "#ffffff"),
    "blue": ("#3a78cf", "#ffffff"),
    "purple": ("#5c2a86", "#ffffff"),
    text.JESTER: ("#f8ecc9", ON_LIGHT),
    text.RING: (PAPER, ON_LIGHT),
    UNKNOWN: ("#4d5563", "#ffffff"),
}
"""Fill and lettering by kind of card."""
_NOW, _STONE, _STONE_LINE = "#fbf0cf", "#c9bfb0", "#7d7264"
_PATHS = {
    "red": "M0 .46C-.9-.12-.42-.72 0-.26 .42-.72 .9-.12 0 .46Z",  # a heart
    "orange": "M0-.52 .12-.29 .37-.37 .29-.12 .52 0 .29 .12 .37 .37 .12 .29 0 .52-.12 .29-.37 .37"
    "-.29 .12-.52 0-.29-.12-.37-.37-.12-.29Z",  # a sun
    "green": "M-.42 .42C-.52-.3-.06-.5 .46-.46 .5 .06 .3 .52-.42 .42Z",  # a leaf
    "blue": "M0-.52C.12-.2 .4-.02 .36 .2 .3 .62-.3 .62-.36 .2-.4-.02-.12-.2 0-.52Z",  # a drop
    "purple": "M0-.52 .4 0 0 .52-.4 0Z",
}
_CAP = {
    "red": "M-.3 .3C-.36-.2-.5-.16-.5 .14-.62-.42-.2-.56 0-.06L0 .3Z",
    "blue": "M.3 .3C.36-.2 .5-.16 .5 .14 .62-.42 .2-.56 0-.06L0 .3Z",
    "green": "M-.2 .3C-.24-.1-.12-.3 0-.46 .12-.3 .24-.1 .2 .3Z",
    "orange": "M-.34 .28 .34 .28 .34 .44-.34 .44Z",
}
"""A jester's cap, part by part."""
_CASTLE = "M-.5 .5-.5-.5-.3-.5-.3-.28-.1-.28-.1-.5 .1-.5 .1-.28 .3-.28 .3-.5 .5-.5 .5 .5Z"

_WIDTH, _EDGE, _GAP = 420, 8, 5
_STRIP = 26
_SHAPE = 0.69  # a card's width as a part of its height
_HAND, _FRONT, _TAKEN = 96, 47, 40  # heights of cards
_ROAD, _ROW, _STONE_HIGH = 34, 52, 16  # a road's height, the same with notes, a stone's
_UNIT = min(220 / int(t.LENGTHS[: t.N_ROUNDS].sum()), 115 / int(t.LENGTHS[0]))
"""Length of a piece of length 1: the longest road fits."""
_SEAT = 300  # a seat's height on the page


# ---- cards ---------------------------------------------------------------------------------------


def symbol(x: float, y: float, size: float, suit: str, fill: str | None = None) -> Elements:
    """The symbol of a colour, jester or ring around (x, y); `fill` replaces a colour's own."""
    if suit == text.JESTER:
        return [outline(x, y, size, path, CARDS[colour][0]) for colour, path in _CAP.items()]
    if suit != text.RING:
        return [outline(x, y, size, _PATHS[suit], fill or CARDS[suit][0], "none" if fill else INK)]
    # Dancers of all colours, hand in hand.
    reach, thick = 0.36 * size, max(0.8, 0.05 * size)
    drawn: Elements = [svg.Circle(cx=x, cy=y, r=reach, fill="none", stroke=INK, stroke_width=thick)]
    for place, colour in enumerate(COLOURS):
        turn = 2 * math.pi * place / len(COLOURS)
        across, up = x + reach * math.sin(turn), y - reach * math.cos(turn)
        drawn += disc(round(across, 1), round(up, 1), 0.28 * size, "", CARDS[colour][0], INK)
    return drawn


@drawn_once
def draw_card(card: str, height: float, copies: int = 1) -> Block:
    """A card, identified at its left edge; one symbol per unit of value, and how many there are."""
    width, suit, value = _SHAPE * height, text.suit_of(card), text.value_of(card)
    fill, ink = CARDS[suit]
    size = min(22, 0.25 * height)
    at, middle = 4 + size * 0.62, height * 0.55
    drawn: Elements = [box(0, 0, width, height, fill=fill, line=INK, corner=5)]
    if suit != text.RING:
        upper = UNKNOWN if suit == UNKNOWN else str(value)
        letter = "" if suit == UNKNOWN else text.LETTERS[suit]
        drawn += [
            words(at, 4 + size, upper, size, weight="bold", fill=ink, anchor="middle"),
            words(at, 4 + size * 1.75, letter, 0.62 * size, fill=ink, anchor="middle"),
        ]
    if suit in COLOURS:
        pip = min(0.24 * height, 0.42 * width)
        for place in range(value):
            y = middle + (place - (value - 1) / 2) * pip * 1.16
            drawn += symbol(width * 0.64, y, pip, suit, ink)
    elif suit != UNKNOWN:
        drawn += symbol(width * 0.54, middle, width * 0.66, suit)
    if copies > 1:
        high = max(14, 0.19 * height)
        count = words(0.75 * high, height - 0.24 * high, f"×{copies}", 0.72 * high, anchor="middle")
        drawn += [box(0, height - high, 1.5 * high, high, line=INK, corner=4), count]
    return Block(drawn, width, height)


def _kinds(cards: Mapping[str, int], height: float, columns: int, place: str = "") -> Block:
    """A card per kind, in rows; each is a place if `place` begins its name."""
    step = (_WIDTH - _SHAPE * height) / (columns - 1)
    drawn: Elements = []
    for number, card in enumerate(text.in_order(cards)):
        row, column = divmod(number, columns)
        block, x, y = draw_card(card, height, cards[card]), column * step, row * (height + _GAP)
        drawn.append(block.place(f"{place}.{card}", x, y) if place else block.at(x, y))
    rows = max(1, math.ceil(len(cards) / columns))
    return Block(drawn, _WIDTH, rows * (height + _GAP))


# ---- the table -----------------------------------------------------------------------------------


def _strip(position: Mapping[str, Any], seat: int, name: str, width: float) -> Block:
    """Who a seat is, in its colour, whether it decides or has won, and the King."""
    wins, decides = seat in (position["winners"] or ()), seat == position["to_move"]
    signs = common.strip_signs(wins, decides, SEAT_COLOURS[seat][1])
    signs += [crown] if seat == position["king"] else []
    return common.seat_strip(seat, name, SEAT_COLOURS[seat], width, _STRIP, signs)


def _piles(position: Mapping[str, Any], names: Sequence[str]) -> Piece:
    """What lies before each seat, two seats a row, to choose before whom a card is played."""
    wide, high = (_WIDTH - _EDGE) / 2, _STRIP + 26 + _FRONT + _EDGE
    room, card = wide - 2 * _EDGE, _SHAPE * _FRONT
    drawn: Elements = []
    said = []
    for seat, pile in enumerate(position["front"]):
        step = min(card + _GAP, (room - card) / max(1, len(pile) - 1))
        cards = [draw_card(one, _FRONT).at(at * step, 0) for at, one in enumerate(pile)]
        empty = box(0, 0, room, _FRONT, fill="none", line=LINE, dashes=(4, 4))
        before = Block([*(cards or [empty])], room, _FRONT)
        cell: Elements = [
            box(0, 0, wide, high),
            _strip(position, seat, names[seat], wide).at(0, 0),
            *_total(pile, room),
            before.place(f"front{seat}", _EDGE, _STRIP + 26),
        ]
        row, column = divmod(seat, 2)
        drawn.append(Block(cell, wide, high).at(column * (wide + _EDGE), row * (high + _EDGE)))
        said.append(f"before seat {seat} {', '.join(pile) or 'nothing'}, {text.pile_total(pile)}")
    title = f"Cards face up, all taken at {t.FULL}: {'; '.join(said)}"
    height = math.ceil(position["players"] / 2) * (high + _EDGE)
    return Piece("piles", title, Block(drawn, _WIDTH, height))


def _total(pile: Sequence[str], room: float) -> Elements:
    """A pile's colour, a square for each unit at which all is taken, and the total (Rules B6)."""
    colour, total = text.pile_colour(pile), text.pile_total(pile)
    full, y, caption = CARDS[colour][0] if colour else MUTED, _STRIP + 6, f"{total} of {t.FULL}"
    drawn = symbol(_EDGE + 8, y + 7, 15, colour) if colour else []
    for unit, fill in enumerate([full] * total + [PANEL] * (t.FULL - total)):
        x = room - 45 - 16 * (t.FULL - unit)
        drawn.append(box(x, y, 13, 13, fill=fill, line=MUTED, corner=3))
    return [*drawn, words(room + _EDGE, y + 11, caption, 13, weight="bold", anchor="end", room=50)]


def _pieces(position: Mapping[str, Any]) -> Piece:
    """Every round's pieces, long to short, side by side; the current round's stand out."""
    rounds, high = position["pieces"], 34 + 19 * position["players"]
    wide = (_WIDTH - _EDGE * (len(rounds) - 1)) / len(rounds)
    drawn: Elements = []
    said = []
    for number, lengths in enumerate(rounds, 1):
        state = text.round_state(position, number)
        fill, line, thick = (_NOW, GOLD, 2) if state == "now" else (PANEL, LINE, 1)
        inner: Elements = [
            box(0, 0, wide, high, fill=fill, line=line, thick=thick),
            words(_EDGE, 18, f"Round {number}", 12, weight="bold", room=wide / 2),
            words(wide - _EDGE, 18, state, 11, fill=MUTED, anchor="end", room=wide / 3),
        ]
        stone = _STONE if state == "now" else SHADE
        for place, length in enumerate(lengths):
            inner.append(_stone(length, stone).at(_EDGE, 28 + 19 * place))
        block = Block(inner, wide, high)
        drawn.append(block.place(f"pieces.{number}", (number - 1) * (wide + _EDGE), 0))
        said.append(f"round {number} {', '.join(map(str, lengths)) or state}")
    title = f"Road pieces, the longest to the most cards: {'; '.join(said)}"
    return Piece("pieces", title, Block(drawn, _WIDTH, high))


def _roads(position: Mapping[str, Any], names: Sequence[str]) -> Piece:
    """Roads from the castle on, and cards taken; at the end the shortest road first."""
    over = position["to_move"] is None
    drawn: Elements = []
    said = []
    for row, seat in enumerate(text.ranking(position) if over else range(position["players"])):
        road, taken = position["roads"][seat], len(position["taken"][seat])
        won = seat in (position["winners"] or ())
        fill, ink = SEAT_COLOURS[seat]
        stones: Elements = [outline(18, 17, 30, _CASTLE, _STONE)]
        x = 38.0
        for length in road:
            stones.append(_stone(length, _STONE).at(x, 17))
            x += length * _UNIT
        stones.append(words(x + 6, 30, str(sum(road)), 18, weight="bold", room=40))
        line: Elements = [
            *disc(14, 17, 24, str(seat), fill, ink),
            Block(stones, 290, _ROAD).place(f"road{seat}", 32, 0),
            words(32, 47, names[seat], 11, fill=MUTED, room=290),
            *(star(308, 17, 24) if won else ()),
            words(_WIDTH, 20, f"{taken} taken", 13, weight="bold", anchor="end", room=90),
            box(_WIDTH - 1.5 * taken, 27, 1.5 * taken, 8, fill=fill, line=MUTED, corner=2),
        ]
        drawn.append(Block(line, _WIDTH, _ROW).at(0, row * _ROW))
        said.append(f"seat {seat} {sum(road)}, {text.cards_count(taken)} taken{', wins' * won}")
    title = f"Roads, the shortest wins: {'; '.join(said)}"
    return Piece("roads", title, Block(drawn, _WIDTH, len(said) * _ROW))


def _stone(length: int, fill: str) -> Block:
    """A piece of road as long as it counts."""
    width = length * _UNIT
    drawn: Elements = [
        box(0.5, 0, width - 1, _STONE_HIGH, fill=fill, line=_STONE_LINE, corner=3),
        words(width / 2, 12, str(length), 11, weight="bold", anchor="middle"),
    ]
    return Block(drawn, width, _STONE_HIGH)


# ---- the seats -----------------------------------------------------------------------------------


def _seat(position: Mapping[str, Any], seat: int, name: str) -> Panel:
    hand, taken = position["hands"][seat], Counter(position["taken"][seat])
    count, road = sum(hand.values()), sum(position["roads"][seat])
    counts = (f"{count} in hand", f"{taken.total()} taken", f"road {road}")
    strip, ink = _strip(position, seat, name, _WIDTH), SEAT_COLOURS[seat][1]
    said = words(_WIDTH - 60, 18, " · ".join(counts), 12, fill=ink, anchor="end", room=190)
    drawn, y = [strip.at(0, 0), said], _STRIP + _EDGE
    if UNKNOWN in hand:
        backs = [draw_card(UNKNOWN, _FRONT).at(9 * place, 0) for place in range(min(count, 15))]
        block = Block([*backs], 126 + _SHAPE * _FRONT, _FRONT + _GAP)
        drawn.append(block.place(f"hand{seat}", 0, y))
    else:
        block = _kinds(hand, _HAND, 7, f"hand{seat}")
        drawn.append(block.at(0, y))
    y += block.height + _EDGE if hand else 0
    pile = _kinds(taken, _TAKEN, 12)
    drawn += [words(0, y + 9, "Cards taken", 11, fill=MUTED), pile.place(f"taken{seat}", 0, y + 14)]
    title = common.seat_and_name(seat, name)
    lies = f"{title}: {', '.join(counts)}; in hand {_counted(hand)}; taken {_counted(taken)}"
    piece = Piece(f"seat-{seat}-cards", lies, Block(drawn, _WIDTH, y + 14 + pile.height))
    return Panel(f"seat-{seat}", title, [piece], seat, _summary(position, seat, name, counts))


def _summary(position: Mapping[str, Any], seat: int, name: str, counts: Sequence[str]) -> Piece:
    """What everybody knows of a seat, in one row."""
    drawn: Elements = [_strip(position, seat, name, 124).at(0, 0)]
    for number, (place, said) in enumerate(zip(("hand", "taken", "road"), counts, strict=True)):
        cell = Block([words(4, 18, said, 13, weight="bold", room=64)], 70, _STRIP)
        drawn.append(cell.place(f"{place}{seat}", 128 + 70 * number, 0))
    title = f"{common.seat_and_name(seat, name)}: {', '.join(counts)}"
    return Piece(f"seat-{seat}-summary", title, Block(drawn, common.SUMMARY, _STRIP))


def _counted(cards: Mapping[str, int]) -> str:
    return ", ".join(f"{cards[card]} × {card}" for card in text.in_order(cards)) or "nothing"


# ---- all of it -----------------------------------------------------------------------------------


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`); at the end only what is left."""
    names = [*names, *[""] * position["players"]]
    seats = [_seat(position, seat, names[seat]) for seat in range(position["players"])]
    roads = [_roads(position, names)]
    if position["to_move"] is None:
        return [Panel("race", "Roads, the shortest first", roads), *seats]
    return [
        Panel("table", "Cards on the table", [_piles(position, names)]),
        Panel("pieces", "Road pieces: most cards, longest piece", [_pieces(position)]),
        Panel("race", "Roads, the shortest wins", roads, aside=True),
        *seats,
    ]


def picture(position: Mapping[str, Any], marks: Marks = UNMARKED) -> str:
    """Draw a position as an SVG document.

    The size depends on the number of seats alone: a game's pictures make a film.
    """
    players = position["players"]
    columns = players if players < 5 else math.ceil(players / 2)
    third, each = (
        (common.ROOM - 2 * common.GAP) / 3,
        (common.ROOM - common.GAP * (columns - 1)) / columns,
    )
    table = {"table": third, "pieces": third, "race": third}
    if position["to_move"] is None:
        table = {"race": common.ROOM}
    rows = [(40 + 128 * math.ceil(players / 2), table)]
    for first in range(0, players, columns):
        seats = range(first, min(first + columns, players))
        rows.append((_SEAT, {f"seat-{seat}": each for seat in seats}))
    suits = (*COLOURS, text.JESTER, text.RING)
    signs = [(symbol(0, 0, 15, suit), f"{text.LETTERS[suit]} {suit}") for suit in suits]
    signs += [(crown(0, 0, 15), "King"), (star(0, 0, 15), "winner")]
    panels = board(position, marks.names)
    mover = position["to_move"]
    return common.picture(text.headline(position), panels, rows, mover, SEAT_COLOURS, marks, signs)


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """The places of a legal move, one after the other; none if it is a button."""
    hand = f"hand{position['to_move']}"
    if move == text.RING:
        return (f"{hand}.{text.RING}",)
    card, _, seat = move.removeprefix("play:").partition(">")
    return (f"{hand}.{card}", f"front{seat}") if seat else ()


def flights(before: Mapping[str, Any], move: str, after: Mapping[str, Any]) -> list[Flight]:
    """See `Presentation.flights`: cards from a hand, around the table, and to those who take."""
    mover, seats = before["to_move"], range(before["players"])
    shown = [seat for seat in seats if before["front"][seat]]
    if move == text.RING:
        return [Flight(f"front{seat}", f"front{(seat + 1) % len(seats)}") for seat in shown]
    found = []
    if at := places(before, move):
        hidden = UNKNOWN in before["hands"][mover]
        found.append(Flight(f"hand{mover}" if hidden else at[0], at[1]))
    takers = [seat for seat in seats if len(after["taken"][seat]) > len(before["taken"][seat])]
    return found + [
        Flight(f"front{seat}", f"taken{takers[0]}")
        for seat in shown
        if takers and not after["front"][seat]
    ]
