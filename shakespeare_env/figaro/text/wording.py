"""Words for cards, piles and positions, shared by all drawings.

Cards are named as in the notation: `red-2`, `jester-1`, `ring`, or `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import Headline, NextScoring
from shakespeare_env.core.seat_names import seat_placeholder
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.tables import COLOURS
from shakespeare_env.figaro.rules.scoring import next_by_road, road_length, score_round
from shakespeare_env.figaro.state import NOTHING, colour_of_front, total_of_front
from shakespeare_env.play.tracing import interpreted

JESTER = "jester"
RING = "ring"
LETTERS = {suit: suit[0].upper() for suit in (*COLOURS, JESTER)} | {RING: "○", UNKNOWN: UNKNOWN}
"""The letter or sign of each suit: the colours, jesters, rings, and cards face down."""
_KINDS = {card: kind for kind, card in enumerate(t.KIND_IDS)}
_SUIT_ORDER = list(LETTERS)


def suit_of(card: str) -> str:
    """Return a card's colour, `JESTER`, `RING` or `UNKNOWN`."""
    if card not in _KINDS:
        return UNKNOWN
    colour = int(t.COLOUR[_KINDS[card]])
    if colour != t.NO_COLOUR:
        return COLOURS[colour]
    return RING if card == RING else JESTER


def value_of(card: str) -> int:
    """Return the value of a card; rings and cards face down have 0 (Rules A1)."""
    return int(t.VALUE[_KINDS[card]]) if card in _KINDS else 0


def in_order(cards: Iterable[str]) -> list[str]:
    """Return cards by colour, then by value."""
    return sorted(cards, key=lambda card: (_SUIT_ORDER.index(suit_of(card)), value_of(card)))


def pile_colour(pile: Sequence[str]) -> str | None:
    """Return a pile's colour; jesters and rings give none (Rules B3, B4)."""
    colour = interpreted(colour_of_front)(_front_of(pile), 0)
    return None if colour == t.NO_COLOUR else COLOURS[colour]


def pile_total(pile: Sequence[str]) -> int:
    """Return a pile's total (Rules B6)."""
    return int(interpreted(total_of_front)(_front_of(pile), 0))


def _front_of(pile: Sequence[str]) -> dict[str, Any]:
    """Return a record with a pile in front of its only seat."""
    front = np.full((1, t.MAX_FRONT), NOTHING, np.int8)
    front[0, : len(pile)] = [_KINDS[card] for card in pile]
    return {"front": front}


def card_count(count: int) -> str:
    """Return a number of cards in words."""
    return f"{count} card{'s' * (count != 1)}"


def colours_of(position: Mapping[str, Any]) -> list[str]:
    """Return the colours in play; with three seats one is left out (Rules A1)."""
    dealt = t.COPIES[position["players"], : t.N_COLOURED].reshape(t.N_COLOURS, t.N_VALUES)
    return [colour for colour, cards in zip(COLOURS, dealt, strict=True) if cards.any()]


def headline(position: Mapping[str, Any], names: Sequence[str] = ()) -> Headline:
    """Return where the game stands: the table, the round, the King, and who decides what."""
    king = seat_placeholder(position["king"])
    return Headline(
        game="Figaro",
        table=f"{position['players']} seats",
        progress=f"round {position['round']} of {len(position['pieces'])}",
        phase=f"King: {king}",
        sentence=_question(position) if position["winners"] is None else _outcome(position),
    ).named(names)


def _question(position: Mapping[str, Any]) -> str:
    face_up = sum(map(len, position["front"]))
    take = ""
    if face_up == 1:
        take = ", or take the one face-up card"
    elif face_up > 1:
        take = f", or take all {face_up} face-up cards"
    return f"{{Seat {position['to_move']}}}: play a card{take}."


def _outcome(position: Mapping[str, Any]) -> str:
    lengths = list(map(sum, position["roads"]))
    (winner,) = position["winners"]
    sentence = f"Winner: {seat_placeholder(winner)}, with a road of {lengths[winner]}"
    if lengths.count(lengths[winner]) > 1:
        sentence += ", nearest to the King of those tied"
    return sentence


def needs_confirming(position: Mapping[str, Any], move: str) -> bool:
    """Return whether a move takes cards, which count until the end of the round (Rules C2)."""
    return move == "take"


def round_state(position: Mapping[str, Any], number: int) -> str:
    """Return the state of a round: `laid`, `now` or `to come`. Rounds are numbered from 1."""
    if position["to_move"] is None or number < position["round"]:
        return "laid"
    return "now" if number == position["round"] else "to come"


def ranking(position: Mapping[str, Any]) -> list[int]:
    """Return the seats by road, shortest first, ties clockwise from the King's seat (Rules C4)."""
    players = position["players"]
    road = _in_rows(position["roads"], t.N_ROUNDS)
    record = {"players": players, "king": position["king"], "road": road}
    ranked: list[int] = []
    while len(ranked) < players:
        ranked_bits = sum(1 << seat for seat in ranked)
        ranked.append(int(interpreted(next_by_road)(record, ranked_bits)))
    return ranked


def tie_words(position: Mapping[str, Any], seat: int) -> str:
    """Return why a seat ranks where it does among equal roads; empty if no other road is equal."""
    roads = position["roads"]
    tied = [other for other in ranking(position) if sum(roads[other]) == sum(roads[seat])]
    if len(tied) == 1:
        return ""
    place = tied.index(seat)
    # The first tied seat is compared with the second, and any other with the one just before it.
    # Of these two, the earlier one is favoured.
    favoured = seat if place == 0 else tied[place - 1]
    has_king = favoured == position["king"]
    reason = "has the King" if has_king else "is nearer clockwise to the King"
    if place == 0:
        return f"tied with seat {tied[1]}, but {reason}"
    return f"tied with seat {favoured}, which {reason}"


def next_scoring(position: Mapping[str, Any]) -> NextScoring | None:
    """Return what the round would bring if the turn came to a seat without cards (Rules C1 to C3).

    That seat is the one to move, which gets the King. At the end of the game there is None.
    """
    if position["to_move"] is None:
        return None
    players = position["players"]
    record = {
        "players": players,
        "round": position["round"] - 1,
        "king": position["to_move"],
        "taken_count": np.array([len(cards) for cards in position["taken"]]),
        "pieces": _in_rows(position["pieces"], t.N_PIECES),
        "road": _in_rows(position["roads"], t.N_ROUNDS),
    }
    length = interpreted(road_length)
    before = [length(record, seat) for seat in range(players)]
    interpreted(score_round)(record)
    return NextScoring(
        condition="if the round ended now",
        points=[before[seat] - length(record, seat) for seat in range(players)],
        more=[""] * players,
    )


def _in_rows(lengths: Sequence[Sequence[int]], width: int) -> NDArray[np.int8]:
    """Return lists of lengths as the rows of an array, filled up with zeros."""
    rows = np.zeros((len(lengths), width), np.int8)
    for row, values in zip(rows, lengths, strict=True):
        row[: len(values)] = values
    return rows


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """Return a row per road piece, the longest first, with negated lengths by seat (Rules C4)."""
    rows = []
    for place in range(t.N_ROUNDS):
        lengths = [road[place] if place < len(road) else 0 for road in position["roads"]]
        rows.append((f"road piece {place + 1}", [-length for length in lengths]))
    return rows
