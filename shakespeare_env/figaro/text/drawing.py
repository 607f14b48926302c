"""A position as a text table.

Drawn from notation, secrets included; unknown hands lie face down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.text_layout import GLUE, columns, spread, wrapped
from shakespeare_env.figaro.box.tables import FULL
from shakespeare_env.figaro.text.wording import (
    JESTER,
    LETTERS,
    RING,
    asked,
    cards_count,
    colours_of,
    held,
    in_order,
    king_words,
    pile_colour,
    pile_total,
    ranking,
    round_state,
    suit_of,
    table_words,
    tie_words,
    value_of,
    winners,
)

_WIDTH, _COMPACT = 80, 78
_SEAT = 13  # columns for who it is
_PILE = 26  # columns for the cards before a seat
_NONE = "·"
_DIGITS = f"a digit is a card of that value, {LETTERS[RING]} a ring"
_LEGEND = (
    f"before it: in the order played, letters are colours, J jester, {LETTERS[RING]} ring",
    f"total: {FULL} take all   hands, taken: {_DIGITS}",
)


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline.

    At the end roads replace the cards, the shortest first.
    """
    over = position["to_move"] is None
    taken = {"Taken": dict(enumerate(map(in_order, position["taken"])))}
    hands = {"Hands": dict(enumerate(map(held, position["hands"])))}
    legend = [f"taken: {_DIGITS}"] if over else _LEGEND
    drawn = _cards(position, taken if over else hands | taken, _WIDTH)
    table = "\n\n".join(map("\n".join, _table(position, _WIDTH)))
    return "\n".join([table, *drawn, "─" * _WIDTH, *legend])


def draw_compact(position: Mapping[str, Any]) -> str:
    """The same in fewer lines: hands only as far as they are known, and piles with cards."""
    hands = {
        seat: held(hand)
        for seat, hand in enumerate(position["hands"])
        if hand and UNKNOWN not in hand
    }
    taken = {seat: in_order(pile) for seat, pile in enumerate(position["taken"]) if pile}
    parts = {title: piles for title, piles in (("Hands", hands), ("Taken", taken)) if piles}
    table = chain.from_iterable(_table(position, _COMPACT))
    return "\n".join([*table, *_cards(position, parts, _COMPACT)])


def _table(position: Mapping[str, Any], width: int) -> list[list[str]]:
    """The table, the round and who decides what; road pieces; seats."""
    now = f"round {position['round']} of {len(position['pieces'])} · {king_words(position)}"
    over = position["to_move"] is None
    head = [
        spread(f"Figaro · {table_words(position)}", now, width),
        f"{'' if over else '▶ '}{asked(position)}",
    ]
    return [head, _roads(position)] if over else [head, _pieces(position, width), _seats(position)]


def _pieces(position: Mapping[str, Any], width: int) -> list[str]:
    """Every round's pieces, long to short; past rounds' lie in the roads."""
    listed = ["Road pieces"]
    for number, pieces in enumerate(position["pieces"], 1):
        state = round_state(position, number)
        mark = "▶ " if state == "now" else ""
        laid = "laid" if state == "laid" else _NONE
        listed.append(f"{mark}round {number}: {' '.join(map(str, pieces)) or laid}")
    return wrapped("  ".join(part.replace(" ", GLUE) for part in listed), width, "", " " * _SEAT)


def _seats(position: Mapping[str, Any]) -> list[str]:
    rows = [["", "before it", "total", "hand", "taken", "road"]]
    for seat, (pile, hand, taken, road) in enumerate(
        zip(position["front"], position["hands"], position["taken"], position["roads"], strict=True)
    ):
        rows.append(
            [
                _seat_name(position, seat),
                _pile_text(pile),
                _total_text(pile),
                str(sum(hand.values())),
                str(len(taken)),
                _road_text(road),
            ]
        )
    return columns(rows, [str.ljust, str.ljust, str.ljust, str.rjust, str.rjust, str.ljust])


def _roads(position: Mapping[str, Any]) -> list[str]:
    """The final roads, the shortest first, and what decides ties."""
    rows = [["", "", "road", "taken", ""]]
    for place, seat in enumerate(ranking(position), 1):
        rows.append(
            [
                f"{place}.",
                _seat_name(position, seat).strip(),
                _road_text(position["roads"][seat]),
                str(len(position["taken"][seat])),
                "wins" if seat in winners(position) else "",
            ]
        )
    lines = columns(rows, [str.rjust, str.ljust, str.ljust, str.rjust, str.ljust])
    ties = [(f"Seat {seat}", tie_words(position, seat)) for seat in ranking(position)]
    return [*lines, *(f"    {seat}: {tie}" for seat, tie in ties if tie)]


def _seat_name(position: Mapping[str, Any], seat: int) -> str:
    """A seat, marked if it decides or has the King."""
    mark = "▶" if seat == position["to_move"] else " "
    king = " King" if seat == position["king"] else ""
    return f"{mark} Seat {seat}{king}".ljust(_SEAT)


def _pile_text(pile: Sequence[str]) -> str:
    """The cards before a seat, close together if there is little room."""
    names = [f"{LETTERS[suit_of(card)]}{value_of(card) or ''}" for card in pile]
    joined = " ".join(names)
    return (joined if len(joined) <= _PILE else "".join(names)) or _NONE


def _total_text(pile: Sequence[str]) -> str:
    """A pile's colour, if it has one, and total."""
    if not pile:
        return _NONE
    return f"{pile_colour(pile) or _NONE} {pile_total(pile)}/{FULL}"


def _road_text(pieces: Sequence[int]) -> str:
    """A road's pieces and length."""
    if len(pieces) < 2:
        return str(sum(pieces)) if pieces else _NONE
    return f"{'+'.join(map(str, pieces))} = {sum(pieces)}"


def _cards(
    position: Mapping[str, Any], parts: Mapping[str, Mapping[int, Sequence[str]]], width: int
) -> list[str]:
    """Card values by part and seat, a row per seat and a column per colour in play."""
    suits = [*colours_of(position), JESTER, RING]
    return list(chain.from_iterable(_part(title, parts[title], suits, width) for title in parts))


def _part(
    title: str, piles: Mapping[int, Sequence[str]], suits: Sequence[str], width: int
) -> list[str]:
    known = {seat: _by_suit(pile) for seat, pile in piles.items() if UNKNOWN not in pile}
    cells = [[f"  Seat {seat}", *(row.get(s, _NONE) for s in suits)] for seat, row in known.items()]
    aligns = [str.ljust] * (len(suits) + 1)
    for gap in ("  ", " "):
        first, *lines = columns([[title, *suits], *cells], aligns, gap)
        if len(first) <= width:
            break
    rows = dict(zip(known, lines, strict=True))
    hidden = {
        seat: f"  Seat {seat}{gap}{UNKNOWN} {cards_count(len(pile))} face down"
        for seat, pile in piles.items()
        if seat not in known
    }
    return ["─" * width, first, *(line for _, line in sorted((rows | hidden).items()))]


def _by_suit(pile: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for card in pile:
        suit = suit_of(card)
        values[suit] = values.get(suit, "") + (str(value_of(card) or LETTERS[suit]))
    return values
