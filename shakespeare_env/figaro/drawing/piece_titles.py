"""What lies on each piece of the board, in a phrase for screen readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.board import seat_and_name
from shakespeare_env.figaro.box.tables import FULL
from shakespeare_env.figaro.text.wording import (
    cards_count,
    free_colours,
    held,
    in_order,
    pile_total,
    ranking,
    round_state,
    tie_words,
    winners,
)


def piles(position: Mapping[str, Any]) -> str:
    """The cards before every seat, and the free colours."""
    listed = [
        f"before seat {seat} {', '.join(pile)}, {pile_total(pile)} of {FULL}"
        if pile
        else f"before seat {seat} nothing"
        for seat, pile in enumerate(position["front"])
    ]
    free = ", ".join(free_colours(position)) or "none"
    return f"Cards face up: {'; '.join(listed)}; free colours: {free}"


def pieces(position: Mapping[str, Any]) -> str:
    """Road pieces of the rounds to come."""
    listed = [
        f"round {number} {', '.join(map(str, lengths)) or 'none'}"
        for number, lengths in enumerate(position["pieces"], 1)
        if round_state(position, number) != "laid"
    ]
    return f"Road pieces, the longest to the most cards: {'; '.join(listed)}"


def taken_counts(position: Mapping[str, Any]) -> str:
    """How many cards each seat has taken."""
    listed = (f"seat {seat} {len(pile)}" for seat, pile in enumerate(position["taken"]))
    return f"Cards taken in this round: {', '.join(listed)}"


def roads(position: Mapping[str, Any]) -> str:
    """Every road; at the end the shortest first, with what decided ties."""
    over = position["to_move"] is None
    listed = []
    for seat in ranking(position) if over else range(position["players"]):
        road = position["roads"][seat]
        words = f"seat {seat} {sum(road)}" + (f", {tie}" if (tie := _tie(position, seat)) else "")
        listed.append(f"{words}, wins" if seat in winners(position) else words)
    return f"Roads{', the shortest first' if over else ''}: {'; '.join(listed)}"


def hand(position: Mapping[str, Any], seat: int, name: str) -> str:
    """A hand, or its size."""
    cards = position["hands"][seat]
    count = cards_count(sum(cards.values()))
    known = "" if UNKNOWN in cards else _counted(held(cards))
    return f"{seat_and_name(seat, name)}: hand of {count}{known and f', {known}'}"


def taken(position: Mapping[str, Any], seat: int) -> str:
    """The cards that a seat has taken."""
    cards = position["taken"][seat]
    known = _counted(in_order(cards))
    return f"Seat {seat} has taken {cards_count(len(cards))}{known and f', {known}'}"


def summary(position: Mapping[str, Any], seat: int, name: str) -> str:
    """What a seat has, in numbers."""
    held = cards_count(sum(position["hands"][seat].values()))
    taken = len(position["taken"][seat])
    road = sum(position["roads"][seat])
    return f"{seat_and_name(seat, name)}: {held} in hand, {taken} taken, a road of {road}"


def _tie(position: Mapping[str, Any], seat: int) -> str:
    return tie_words(position, seat) if position["to_move"] is None else ""


def _counted(cards: Iterable[str]) -> str:
    kinds = ((card, len(list(copies))) for card, copies in groupby(cards))
    return ", ".join(f"{count} × {card}" if count > 1 else card for card, count in kinds)
