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
from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.drawing import board as common
from shakespeare_env.drawing import shapes as d
from shakespeare_env.drawing.shapes import INK, Block, Elements, box, drawn_once, outline, words
from shakespeare_env.figaro import text
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.tables import COLOURS

SEAT_COLOURS = (
    *(("#54433b", "#ffffff"), ("#8ebeed", d.ON_LIGHT), ("#edbebe", d.ON_LIGHT)),
    *(("#85628c", "#ffffff"), ("#ededa6", d.ON_LIGHT), ("#391a40", "#ffffff")),
)
"""Fill and lettering by seat."""
CARDS = {
    "red": ("#bb2418", "#ffffff"),
    "orange": ("#f4a93f", d.ON_LIGHT),
    "green": ("#3f9d6c", "#ffffff"),
    "blue": ("#3a78cf", "#ffffff"),
    "purple": ("#5c2a86", "#ffffff"),
    text.JESTER: ("#f8ecc9", d.ON_LIGHT),
    text.RING: (d.PAPER, d.ON_LIGHT),
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

_WIDTH, _EDGE, _GAP, _STRIP = 420, 8, 5, 28
_SHAPE = 0.69  # a card's width as a part of its height
_HAND, _FRONT, _TAKEN = 96, 60, 40  # heights of cards
_UNIT = min(260 / int(t.LENGTHS[: t.N_ROUNDS].sum()), 115 / int(t.LENGTHS[0]))
"""Length of a piece of length 1: the longest road fits."""


def symbol(x: float, y: float, size: float, suit: str, fill: str | None = None) -> Elements:
    """The symbol of a colour, jester or ring around (x, y); `fill` replaces a colour's own."""
    if suit == text.JESTER:
        return [outline(x, y, size, path, CARDS[colour][0]) for colour, path in _CAP.items()]
    if suit != text.RING:
        return [outline(x, y, size, _PATHS[suit], fill or CARDS[suit][0], "none" if fill else INK)]
    # Dancers of all colours, hand in hand.
    reach = round(0.36 * size, 1)
    drawn: Elements = [svg.Circle(cx=x, cy=y, r=reach, fill="none", stroke=INK)]
    for place, colour in enumerate(COLOURS):
        turn = 2 * math.pi * place / len(COLOURS)
        across, up = round(x + reach * math.sin(turn), 1), round(y - reach * math.cos(turn), 1)
        drawn.append(svg.Circle(cx=across, cy=up, r=0.14 * size, fill=CARDS[colour][0]))
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
        letter, index = text.LETTERS[suit], str(value or UNKNOWN)
        drawn.append(d.label(at, 4 + size, index, size, fill=ink))
        drawn.append(words(at, 4 + size * 1.75, letter, 0.62 * size, fill=ink, anchor="middle"))
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


def _pieces(position: Mapping[str, Any]) -> Piece:
    """Every round's pieces, long to short, side by side; the current round's stand out."""
    rounds, high = position["pieces"], 16 + 19 * position["players"]
    wide = (_WIDTH - _EDGE * (len(rounds) - 1)) / len(rounds)
    drawn: Elements = []
    said = []
    for number, lengths in enumerate(rounds, 1):
        state = text.round_state(position, number)
        fill, line, stone = (_NOW, d.GOLD, _STONE) if state == "now" else (d.PANEL, d.LINE, d.SHADE)
        inner: Elements = [
            box(0, 0, wide, high, fill=fill, line=line),
            d.bold(_EDGE, 18, f"Round {number}", 12, room=wide / 2),
            words(wide - _EDGE, 18, state, 11, fill=d.MUTED, anchor="end", room=wide / 3),
        ]
        for place, length in enumerate(lengths):
            inner.append(_stone(length, stone).at(_EDGE, 28 + 19 * place))
        block = Block(inner, wide, high)
        drawn.append(block.place(f"pieces.{number}", (number - 1) * (wide + _EDGE), 0))
        said.append(f"round {number} {', '.join(map(str, lengths)) or state}")
    title = f"Road pieces, the longest to the most cards: {'; '.join(said)}"
    return Piece("pieces", title, Block(drawn, _WIDTH, high))


def _pieces_summary(position: Mapping[str, Any]) -> Piece:
    """The same in one row."""
    each = common.SUMMARY / len(position["pieces"])
    drawn: Elements = []
    for number, lengths in enumerate(position["pieces"], 1):
        lies = " ".join(map(str, lengths)) or text.round_state(position, number)
        cell: Elements = [
            box(0, 0, each - 3, 22),
            words(5, 15, f"{number}: {lies}", 11, room=each - 12),
        ]
        drawn.append(Block(cell, each - 3, 22).place(f"pieces.{number}", each * (number - 1), 0))
    return Piece("pieces-summary", "Road pieces by round", Block(drawn, common.SUMMARY, 24))


def _stone(length: int, fill: str) -> Block:
    """A piece of road as long as it counts."""
    width = length * _UNIT
    drawn: Elements = [
        box(0.5, 0, width - 1, 16, fill=fill, line=_STONE_LINE, corner=3),
        d.label(width / 2, 12, str(length), 11),
    ]
    return Block(drawn, width, 16)


def _seat(position: Mapping[str, Any], seat: int, name: str) -> Panel:
    """What lies before a seat, its road, its hand, and what it has taken."""
    pile, hand = position["front"][seat], position["hands"][seat]
    taken, title = Counter(position["taken"][seat]), common.seat_title(seat, name)
    counts = f"{sum(hand.values())} in hand · {taken.total()} taken"
    said = words(_WIDTH - 62, 19, counts, 12, fill=SEAT_COLOURS[seat][1], anchor="end", room=170)
    parts = [_pile(pile, _FRONT, _WIDTH).as_place(f"front{seat}")]
    parts += [_total(pile), _road(position["roads"][seat]).as_place(f"road{seat}")]
    if UNKNOWN in hand:
        backs = _pile([UNKNOWN] * hand[UNKNOWN], _TAKEN, _WIDTH)
        parts.append(backs.as_place(f"hand{seat}"))
    elif hand:
        parts.append(_kinds(hand, _HAND, 7, f"hand{seat}"))
    parts.append(_kinds(taken, _TAKEN, 12).as_place(f"taken{seat}"))
    drawn: Elements = [_strip(position, seat, name, _WIDTH).at(0, 0), said]
    y: float = _STRIP + _EDGE
    for part in parts:
        drawn.append(part.at(0, y))
        y += part.height + _EDGE
    front = f"{', '.join(pile) or 'nothing'} before it, {text.pile_total(pile)} of {t.FULL}"
    lies = f"{title}: {counts}; {front}; in hand {_counted(hand)}; taken {_counted(taken)}"
    piece = Piece(f"seat-{seat}-cards", lies, Block(drawn, _WIDTH, y))
    return Panel(f"seat-{seat}", title, [piece], seat, _summary(position, seat, name, counts))


def _summary(position: Mapping[str, Any], seat: int, name: str, counts: str) -> Piece:
    """What everybody knows of a seat, in few lines."""
    pile, road = position["front"][seat], sum(position["roads"][seat])
    drawn: Elements = [
        _strip(position, seat, name, common.SUMMARY).at(0, 0),
        _pile(pile, 44, 130).place(f"front{seat}", 0, 33),
        _total(pile).at(140, 33),
    ]
    facts = [*counts.split(" · "), f"road {road}"]
    for column, (place, fact) in enumerate(zip(("hand", "taken", "road"), facts, strict=True)):
        cell = Block([words(3, 15, fact, 12, room=62)], 65, 21)
        drawn.append(cell.place(f"{place}{seat}", 140 + 67 * column, 56))
    title = f"{common.seat_title(seat, name)}: {', '.join(facts)}"
    return Piece(f"seat-{seat}-summary", title, Block(drawn, common.SUMMARY, 80))


def _strip(position: Mapping[str, Any], seat: int, name: str, width: float) -> Block:
    """Who a seat is, in its colour, whether it decides or has won, and the King."""
    wins, decides = seat in (position["winners"] or ()), seat == position["to_move"]
    more = [d.crown] if seat == position["king"] else []
    look = name, SEAT_COLOURS[seat], width, _STRIP
    return common.seat_strip(seat, *look, wins=wins, decides=decides, more=more)


def _pile(pile: Sequence[str], height: float, width: float) -> Block:
    """Cards in a row in the order played."""
    step = min(_SHAPE * height + _GAP, (width - _SHAPE * height) / max(1, len(pile) - 1))
    empty = box(0, 0, width, height, fill="none", line=d.LINE, dashes=(4, 4))
    cards: Elements = [draw_card(one, height).at(place * step, 0) for place, one in enumerate(pile)]
    return Block(cards or [empty], width, height)


def _total(pile: Sequence[str]) -> Block:
    """A pile's colour, a square for each unit at which all is taken, and the total (Rules B6)."""
    colour, total = text.pile_colour(pile), text.pile_total(pile)
    full = CARDS[colour][0] if colour else d.MUTED
    drawn = symbol(10, 10, 17, colour) if colour else []
    for unit, fill in enumerate([full] * total + [d.PANEL] * (t.FULL - total)):
        drawn.append(box(24 + 16 * unit, 3, 13, 13, fill=fill, line=d.MUTED, corner=3))
    x, caption = 28 + 16 * t.FULL, f"{total} of {t.FULL}"
    return Block([*drawn, d.bold(x, 15, caption, 13, room=50)], 180, 20)


def _road(road: Sequence[int]) -> Block:
    """A road from the castle on, and its length."""
    drawn: Elements = [outline(12, 11, 22, _CASTLE, _STONE)]
    x = 28.0
    for length in road:
        drawn.append(_stone(length, _STONE).at(x, 6))
        x += length * _UNIT
    drawn.append(d.bold(x + 6, 19, f"road {sum(road)}", 14, room=80))
    return Block(drawn, _WIDTH, 24)


def _counted(cards: Mapping[str, int]) -> str:
    return ", ".join(f"{cards[card]} × {card}" for card in text.in_order(cards)) or "nothing"


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`)."""
    names = [*names, *[""] * position["players"]]
    title, summary = "Road pieces: most cards, longest piece", _pieces_summary(position)
    pieces = Panel("table", title, [_pieces(position)], summary=summary)
    return [pieces, *(_seat(position, seat, names[seat]) for seat in range(position["players"]))]


def picture(position: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Draw a position; the size depends on the number of seats alone, so that films can be made."""
    players = position["players"]
    columns = players if players < 5 else math.ceil(players / 2)
    each = (common.ROOM - common.GAP * (columns - 1)) / columns
    rows: list[common.PanelRow] = [(70 + 24 * players, {"table": common.ROOM})]
    for first in range(0, players, columns):
        seats = range(first, min(first + columns, players))
        rows.append((440, {f"seat-{seat}": each for seat in seats}))
    suits = (*COLOURS, text.JESTER, text.RING)
    signs = [(symbol(0, 0, 15, suit), f"{text.LETTERS[suit]} {suit}") for suit in suits]
    signs += [(d.crown(0, 0, 15), "King"), (d.star(0, 0, 15), "winner")]
    head, panels = text.headline(position), board(position, names)
    return common.picture(head, panels, rows, position["to_move"], SEAT_COLOURS, signs)


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """The places of a legal move, one after the other; none if it is a button."""
    hand = f"hand{position['to_move']}"
    if move == text.RING:
        return (f"{hand}.{text.RING}",)
    card, _, seat = move.removeprefix("play:").partition(">")
    return (f"{hand}.{card}", f"front{seat}") if seat else ()
