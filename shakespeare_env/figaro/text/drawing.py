"""A position as text of 80 columns at most."""

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
_PILE = 26  # columns of the cards in front of a seat
_NONE = "·"
_DIGITS = f"a digit is a card of that value, {w.LETTERS[w.RING]} a ring"
_LEGEND = (
    f"before it: in the order played, letters are colours, J jester, {w.LETTERS[w.RING]} ring",
    f"total: {t.FULL} take all   hands, taken: {_DIGITS}",
)


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline.

    At the end the shortest road comes first.
    """
    over = position["to_move"] is None
    head = w.headline(position)
    lines = [f"{head.game} · {head.table}", f"{head.progress} · {head.phase}"]
    lines += [head.sentence if over else f"▶ {head.sentence}", ""]
    if over:
        ranking = w.ranking(position)
        lines += _seats(position, ranking)
        ties = [(seat, w.tie_words(position, seat)) for seat in ranking]
        lines += [f"    Seat {seat}: {words}" for seat, words in ties if words]
    else:
        lines += [*_pieces(position), "", *_seats(position, range(position["players"]))]
        hands = [w.in_order(Counter(hand).elements()) for hand in position["hands"]]
        lines += _cards("Hands", hands, position)
    lines += _cards("Taken", [w.in_order(pile) for pile in position["taken"]], position)
    lines.append("─" * _WIDTH)
    lines += [f"taken: {_DIGITS}"] if over else _LEGEND
    return "\n".join(lines)


def _pieces(position: Mapping[str, Any]) -> list[str]:
    """Return every round's pieces, long to short; those of past rounds lie in the roads."""
    listed = ["Road pieces"]
    for number, pieces in enumerate(position["pieces"], 1):
        state = w.round_state(position, number)
        mark = "▶ " if state == "now" else ""
        laid = "laid" if state == "laid" else _NONE
        listed.append(f"{mark}round {number}: {' '.join(map(str, pieces)) or laid}")
    return wrapped("  ".join(part.replace(" ", GLUE) for part in listed), _WIDTH, "", " " * _SEAT)


def _seats(position: Mapping[str, Any], seats: Iterable[int]) -> list[str]:
    rows = [["", "before it", "total", "hand", "taken", "road"]]
    for seat in seats:
        pile = position["front"][seat]
        names = [f"{w.LETTERS[w.suit_of(card)]}{w.value_of(card) or ''}" for card in pile]
        spaced = " ".join(names)
        front = spaced if len(spaced) <= _PILE else "".join(names)
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
    """Return a seat, marked if it decides or has the King."""
    mark = "▶" if seat == position["to_move"] else " "
    king = " King" if seat == position["king"] else ""
    return f"{mark} Seat {seat}{king}".ljust(_SEAT)


def _road_text(pieces: Sequence[int]) -> str:
    if len(pieces) < 2:
        return str(sum(pieces)) if pieces else _NONE
    return f"{'+'.join(map(str, pieces))} = {sum(pieces)}"


def _cards(title: str, piles: Sequence[Sequence[str]], position: Mapping[str, Any]) -> list[str]:
    """Return the values of cards, a row per seat and a column per suit; hidden ones are counted."""
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
    return ["─" * _WIDTH, header, *sorted(lines)]  # by seat


def _values(pile: Sequence[str], suit: str) -> str:
    return "".join(
        str(w.value_of(card) or w.LETTERS[suit]) for card in pile if w.suit_of(card) == suit
    )
