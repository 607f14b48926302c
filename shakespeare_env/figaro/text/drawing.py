"""Drawing a position as text, 80 columns wide at most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.text_layout import GLUE, columns, wrapped
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.text import wording as w

_WIDTH = 80
_SEAT = 13  # columns of a seat's name
_PILE = 26  # columns of the cards before a seat
_NONE = "·"  # shown where there is nothing
_DIGITS = f"a digit is a card of that value, {w.LETTERS[w.RING]} a ring"
_LEGEND = (
    f"in front: in the order played, letters are colours, J jester, {w.LETTERS[w.RING]} ring",
    f"total: {t.FULL} take all   hands, taken: {_DIGITS}",
)


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline.

    Once the game is over, seats are listed by road, shortest first.
    """
    over = position["to_move"] is None
    headline = w.headline(position)
    sentence = headline.sentence if over else f"▶ {headline.sentence}"
    lines = [
        f"{headline.game} · {headline.table}",
        f"{headline.progress} · {headline.phase}",
        sentence,
        "",
    ]
    if over:
        ranking = w.ranking(position)
        lines += _seats(position, ranking)
        for seat in ranking:
            reason = w.tie_words(position, seat)
            if reason:
                lines.append(f"    Seat {seat}: {reason}")
    else:
        lines += [*_pieces(position), "", *_seats(position, range(position["players"]))]
        hands = [w.in_order(Counter(hand).elements()) for hand in position["hands"]]
        lines += _cards("Hands", hands, position)
    lines += _cards("Taken", [w.in_order(pile) for pile in position["taken"]], position)
    lines.append("─" * _WIDTH)
    lines += [f"taken: {_DIGITS}"] if over else _LEGEND
    return "\n".join(lines)


def _pieces(position: Mapping[str, Any]) -> list[str]:
    """Return lines with the pieces of every round, long to short, `laid` for past rounds."""
    parts = ["Road pieces"]
    for number, pieces in enumerate(position["pieces"], 1):
        state = w.round_state(position, number)
        mark = "▶ " if state == "now" else ""
        no_pieces = "laid" if state == "laid" else _NONE
        parts.append(f"{mark}round {number}: {' '.join(map(str, pieces)) or no_pieces}")
    # `GLUE` is a space at which no line is broken.
    return wrapped("  ".join(part.replace(" ", GLUE) for part in parts), _WIDTH, _SEAT)


def _seats(position: Mapping[str, Any], seats: Iterable[int]) -> list[str]:
    rows = [["", "in front", "total", "hand", "taken", "road"]]
    for seat in seats:
        pile = position["front"][seat]
        names = [f"{w.LETTERS[w.suit_of(card)]}{w.value_of(card) or ''}" for card in pile]
        front = " ".join(names)
        if len(front) > _PILE:  # without spaces it fits
            front = "".join(names)
        total = f"{w.pile_colour(pile) or _NONE} {w.pile_total(pile)}/{t.FULL}" if pile else _NONE
        rows.append(
            [
                _seat_name(position, seat),
                front or _NONE,
                total,
                str(sum(position["hands"][seat].values())),
                str(len(position["taken"][seat])),
                _road_text(position["roads"][seat]),
            ]
        )
    return columns(rows, [str.ljust, str.ljust, str.ljust, str.rjust, str.rjust, str.ljust])


def _seat_name(position: Mapping[str, Any], seat: int) -> str:
    """Return the name of a seat, marked if the seat decides or has the King."""
    mark = "▶" if seat == position["to_move"] else " "
    king = " King" if seat == position["king"] else ""
    return f"{mark} Seat {seat}{king}".ljust(_SEAT)


def _road_text(pieces: Sequence[int]) -> str:
    if len(pieces) < 2:
        return str(sum(pieces)) if pieces else _NONE
    return f"{'+'.join(map(str, pieces))} = {sum(pieces)}"


def _cards(title: str, piles: Sequence[Sequence[str]], position: Mapping[str, Any]) -> list[str]:
    """Return a table of piles, a row per seat and a column per suit; hidden cards are counted."""
    suits = [*w.colours_of(position), w.JESTER, w.RING]
    rows = [[title, *suits]]
    for seat, pile in enumerate(piles):
        if UNKNOWN not in pile:
            rows.append([f"  Seat {seat}"] + [_values(pile, suit) or _NONE for suit in suits])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap = "  " if sum(widths) + 2 * len(suits) <= _WIDTH else " "
    header, *lines = columns(rows, [str.ljust] * len(rows[0]), gap)
    for seat, pile in enumerate(piles):
        if UNKNOWN in pile:
            lines.append(f"  Seat {seat}  {UNKNOWN} {w.card_count(len(pile))} face down")
    return ["─" * _WIDTH, header, *sorted(lines)]  # lines begin with their seat


def _values(pile: Sequence[str], suit: str) -> str:
    """Return the values of a pile's cards of one suit, as digits; a ring is its letter."""
    return "".join(
        str(w.value_of(card) or w.LETTERS[suit]) for card in pile if w.suit_of(card) == suit
    )
