"""Drawing the board, in panels and as one picture, and the places to click for a move.

The places of seat N are `handN.CARD` (`handN` if its hand is face down), `frontN` (the cards before
it), `takenN` and `roadN`. `pieces.R` holds the road pieces of round R.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.drawing import board as common
from shakespeare_env.drawing import shapes as d
from shakespeare_env.drawing.shapes import Block, Elements, box, frame, outline, words
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.tables import COLOURS
from shakespeare_env.figaro.drawing.shapes import (
    CARD_ASPECT,
    CARDS,
    CASTLE,
    SEAT_COLOURS,
    draw_card,
    symbol,
)
from shakespeare_env.figaro.text import wording as text

_NOW = "#fbf0cf"  # behind the pieces of the current round
_STONE = "#c9bfb0"
_STONE_LINE = "#7d7264"
_WIDTH = 420
_EDGE = 8
_GAP = 5
_STRIP = 28  # height of the band that names a seat
_HAND = 88  # height of a card in hand
_FRONT = 56  # height of a card before a seat
_CAPTION = 20  # height of the line that says what road pieces are
_FACTS = (118, 200, 270)  # where a summary's facts begin
_SUMMARY_FRONT = 48  # of a card before a seat: a finger's 44 pixels on a phone
_SUMMARY_TEXT = 13.5  # 13 pixels on the page of a table
_TAKEN = 50  # height of a card that a seat has taken
_UNIT = min(260 / int(t.LENGTHS[: t.N_ROUNDS].sum()), 115 / int(t.LENGTHS[0]))
"""Drawn width of a road piece of length 1.

With it, the longest road fits in a seat's panel, and the longest piece in its round's frame.
"""


def _kinds(cards: Mapping[str, int], height: float, columns: int, place: str = "") -> Block:
    """Draw one card of each kind, with its count, in rows.

    Each card can be clicked as `place.CARD`; none can if `place` is empty.
    """
    step = (_WIDTH - CARD_ASPECT * height) / (columns - 1)
    drawn: Elements = []
    for number, card in enumerate(text.in_order(cards)):
        row, column = divmod(number, columns)
        block = draw_card(card, height, cards[card])
        x = column * step
        y = row * (height + _GAP)
        drawn.append(block.place(f"{place}.{card}", x, y) if place else block.at(x, y))
    rows = max(1, math.ceil(len(cards) / columns))
    return Block(drawn, _WIDTH, rows * (height + _GAP))


def _pieces(position: Mapping[str, Any]) -> Piece:
    """Draw every round's pieces, long to short, side by side; the current round's stand out.

    The title says who gets them: the longest piece goes to the seat with the most cards.
    """
    rounds = position["pieces"]
    height = 16 + 19 * position["players"]
    width = (_WIDTH - _EDGE * (len(rounds) - 1)) / len(rounds)
    drawn: Elements = [_pieces_caption().at(0, 0)]
    described = []
    for number, lengths in enumerate(rounds, 1):
        state = text.round_state(position, number)
        is_current = state == "now"
        fill = _NOW if is_current else d.PANEL
        line = d.GOLD if is_current else d.LINE
        piece_fill = _STONE if is_current else d.SHADE
        column: Elements = [
            box(0, 0, width, height, fill=fill, line=line),
            d.bold(_EDGE, 18, f"Round {number}", 13, room=0.58 * width),
            words(width - _EDGE, 18, state, 13, fill=d.MUTED, anchor="end", room=0.42 * width),
        ]
        for row, length in enumerate(lengths):
            y = 28 + 19 * row
            column.append(_road_piece(length, piece_fill).at(_EDGE, y))
        x = (number - 1) * (width + _EDGE)
        drawn.append(Block(column, width, height).place(f"pieces.{number}", x, _CAPTION))
        described.append(f"round {number} {', '.join(map(str, lengths)) or state}")
    title = f"Road pieces, the longest to the most cards: {'; '.join(described)}"
    return Piece("pieces", title, Block(drawn, _WIDTH, _CAPTION + height))


def _pieces_caption() -> Block:
    """Draw the line that says what road pieces are and who takes the longest."""
    caption: Elements = [
        d.bold(2, 14, "Road pieces", 13, fill=d.MUTED),
        words(98, 14, "The most cards take the longest.", 13, fill=d.MUTED),
    ]
    return Block(caption, common.SUMMARY, _CAPTION)


def _pieces_summary(position: Mapping[str, Any]) -> Piece:
    """Draw the pieces of all rounds in one row, below their caption."""
    step = common.SUMMARY / len(position["pieces"])
    width = step - 3
    drawn: Elements = [_pieces_caption().at(0, 0)]
    for number, lengths in enumerate(position["pieces"], 1):
        pieces = " ".join(map(str, lengths)) or text.round_state(position, number)
        cell: Elements = [
            box(0, 0, width, 22),
            words(5, 16, f"{number}: {pieces}", _SUMMARY_TEXT, room=width - 9),
        ]
        x = step * (number - 1)
        drawn.append(Block(cell, width, 22).place(f"pieces.{number}", x, _CAPTION))
    drawing = Block(drawn, common.SUMMARY, _CAPTION + 24)
    return Piece("pieces-summary", "Road pieces by round", drawing)


def _road_piece(length: int, fill: str) -> Block:
    """Draw a road piece, its width in proportion to its length."""
    width = length * _UNIT
    drawn: Elements = [
        box(0.5, 0, width - 1, 16, fill=fill, line=_STONE_LINE, corner=3),
        d.label(width / 2, 12.7, str(length), 13),
    ]
    return Block(drawn, width, 16)


def _seat(position: Mapping[str, Any], seat: int, name: str) -> Panel:
    """Draw the cards before a seat, its road, its hand, and the cards it has taken."""
    pile = position["front"][seat]
    hand = position["hands"][seat]
    taken = Counter(position["taken"][seat])
    title = common.seat_title(seat, name)
    counts = f"{sum(hand.values())} in hand · {taken.total()} taken"
    parts = [_pile(pile, _FRONT, _WIDTH).as_place(f"front{seat}")]
    parts += [_total(pile), _road(position["roads"][seat]).as_place(f"road{seat}")]
    if UNKNOWN in hand:
        backs = _pile([UNKNOWN] * hand[UNKNOWN], _TAKEN, _WIDTH)
        parts.append(backs.as_place(f"hand{seat}"))
    elif hand:
        parts.append(_kinds(hand, _HAND, 7, f"hand{seat}"))
    parts.append(_kinds(taken, _TAKEN, 12).as_place(f"taken{seat}"))

    drawn: Elements = [_strip(position, seat, name, _WIDTH, counts).at(0, 0)]
    y: float = _STRIP + _EDGE
    for part in parts:
        drawn.append(part.at(0, y))
        y += part.height + _EDGE

    front = f"{', '.join(pile) or 'nothing'} in front of it, {text.pile_total(pile)} of {t.FULL}"
    described = f"{title}: {counts}; {front}; in hand {_counted(hand)}; taken {_counted(taken)}"
    piece = Piece(f"seat-{seat}-cards", described, Block(drawn, _WIDTH, y))
    return Panel(f"seat-{seat}", title, [piece], seat, _summary(position, seat, name, counts))


def _summary(position: Mapping[str, Any], seat: int, name: str, counts: str) -> Piece:
    """Draw what everybody knows of a seat, in a few lines."""
    pile = position["front"][seat]
    road = sum(position["roads"][seat])
    drawn: Elements = [
        _strip(position, seat, name, common.SUMMARY).at(0, 0),
        _pile(pile, _SUMMARY_FRONT, 112).place(f"front{seat}", 0, 31),
        _total(pile).at(118, 32),
    ]
    facts = [*counts.split(" · "), f"road {road}"]
    for place, fact, x in zip(("hand", "taken", "road"), facts, _FACTS, strict=True):
        room = min(80, common.SUMMARY - x)
        cell = Block([words(2, 15, fact, _SUMMARY_TEXT, room=room - 2)], room, 21)
        drawn.append(cell.place(f"{place}{seat}", x, 57))
    title = f"{common.seat_title(seat, name)}: {', '.join(facts)}"
    return Piece(f"seat-{seat}-summary", title, Block(drawn, common.SUMMARY, 80))


def _strip(
    position: Mapping[str, Any], seat: int, name: str, width: float, facts: str = ""
) -> Block:
    """Draw the band with a seat's name; signs mark the mover, the King and the winner."""
    signs = common.strip_signs(
        wins=seat in (position["winners"] or ()),
        decides=seat == position["to_move"],
        ink=SEAT_COLOURS[seat][1],
    )
    if seat == position["king"]:
        signs.append(d.crown)
    return common.seat_strip(seat, name, SEAT_COLOURS[seat], width, _STRIP, signs, facts)


def _pile(pile: Sequence[str], height: float, width: float) -> Block:
    """Draw cards in a row, overlapping if they must; an empty pile is a dashed frame."""
    if not pile:
        return Block([frame(width, height, d.LINE, dashes=(4, 4))], width, height)
    card_width = CARD_ASPECT * height
    step = min(card_width + _GAP, (width - card_width) / max(1, len(pile) - 1))
    cards: Elements = []
    for place, card in enumerate(pile):
        cards.append(draw_card(card, height).at(place * step, 0))
    return Block(cards, width, height)


def _total(pile: Sequence[str]) -> Block:
    """Draw a pile's colour and its total, as filled squares and as a number (Rules B6)."""
    colour = text.pile_colour(pile)
    total = text.pile_total(pile)
    fill_reached = CARDS[colour][0] if colour else d.MUTED
    drawn = symbol(10, 10, 17, colour) if colour else []
    for unit in range(t.FULL):
        fill = fill_reached if unit < total else d.PANEL
        drawn.append(box(24 + 16 * unit, 3, 13, 13, fill=fill, line=d.MUTED, corner=3))
    x = 28 + 16 * t.FULL
    caption = f"{total} of {t.FULL}"
    return Block([*drawn, d.bold(x, 15, caption, 13, room=50)], 180, 20)


def _road(road: Sequence[int]) -> Block:
    """Draw the pieces of a road, which begins at the castle, and its length."""
    drawn: Elements = [outline(12, 11, 22, CASTLE, _STONE)]
    x = 28.0
    for length in road:
        drawn.append(_road_piece(length, _STONE).at(x, 6))
        x += length * _UNIT
    drawn.append(d.bold(x + 6, 19, f"road {sum(road)}", 14, room=80))
    return Block(drawn, _WIDTH, 24)


def _counted(cards: Mapping[str, int]) -> str:
    return ", ".join(f"{cards[card]} × {card}" for card in text.in_order(cards)) or "nothing"


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Return the panels of a position (`Position.to_dict` or `seen_by`)."""
    players = position["players"]
    names = [*names, *[""] * players]  # players without a name have an empty one
    summary = _pieces_summary(position)
    table = Panel("table", "Road pieces", [_pieces(position)], summary=summary)
    return [table, *(_seat(position, seat, names[seat]) for seat in range(players))]


def picture(position: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Draw a position as an SVG picture.

    The size depends on the number of seats alone, as a film needs.
    """
    players = position["players"]
    columns = players if players < 5 else math.ceil(players / 2)
    width = (common.ROOM - common.GAP * (columns - 1)) / columns
    rows: list[common.PanelRow] = [(90 + 24 * players, {"table": common.ROOM})]
    for first in range(0, players, columns):
        seats = range(first, min(first + columns, players))
        rows.append((440, {f"seat-{seat}": width for seat in seats}))
    suits = (*COLOURS, text.JESTER, text.RING)
    legend = [(symbol(0, 0, 15, suit), f"{text.LETTERS[suit]} {suit}") for suit in suits]
    legend += [(d.crown(0, 0, 15), "King"), (d.star(0, 0, 15), "winner")]
    headline = text.headline(position)
    panels = board(position, names)
    return common.picture(headline, panels, rows, position["to_move"], SEAT_COLOURS, legend)


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """Return the places to click for a legal move, in order; none if a button plays it."""
    hand = f"hand{position['to_move']}"
    if move == text.RING:
        return (f"{hand}.{text.RING}",)
    card, _, seat = move.removeprefix("play:").partition(">")
    if not seat:  # `take` has a button
        return ()
    return (f"{hand}.{card}", f"front{seat}")
