"""What cards, moves and things on the table do, in words; every number is the box's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.figaro.box import COLOURS
from shakespeare_env.figaro.drawing.wording import (
    JESTER,
    RING,
    cards_count,
    colours_of,
    pile_colour,
    pile_total,
    suit_of,
    value_of,
)
from shakespeare_env.figaro.tables import COPIES, FULL, HAND, KIND_IDS, N_ROUNDS


def topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Explanations by the name used in moves; lines that begin with "Now" are of the position."""
    return _moves(position) | _table(position) | _suits(position) | _cards(position)


def _moves(position: Mapping[str, Any]) -> dict[str, str]:
    """What can be chosen."""
    up = cards_count(sum(map(len, position["front"])))
    totals = _each(position, [pile_total(pile) for pile in position["front"]])
    return {
        "play": "A card from your hand, face up before a seat, your own or another. The pile must "
        f"have its colour, or none. At a total of {FULL} or more that seat takes all face-up "
        f"cards, and is next.\nNow: {totals}.",
        "take": "Instead of a card: take all face-up cards of all seats, then play one. You must "
        f"if none of yours can be played.\nNow face up: {up}.",
    }


def _table(position: Mapping[str, Any]) -> dict[str, str]:
    """Rounds, taken cards and roads."""
    players = position["players"]
    taken = _each(position, list(map(len, position["taken"])))
    hands = _each(position, [sum(hand.values()) for hand in position["hands"]])
    roads = _each(position, list(map(sum, position["roads"])))
    totals = list(map(pile_total, position["front"]))
    to_come = "; ".join(
        f"round {number}: {', '.join(map(str, pieces))}"
        for number, pieces in enumerate(position["pieces"], 1)
        if pieces
    )
    return {
        "hand": f"{HAND[players]} cards a round. Those left in it at the end count for nobody.\n"
        f"Now: {hands}.",
        "taken": "Cards you had to take, or chose to. What counts is how many they are, not their "
        f"values: most means the longest road piece.\nNow: {taken}.",
        "round": f"There are {N_ROUNDS}. A round ends when the turn comes to a seat without cards: "
        "it gets the King. Most cards taken gets the longest piece, and so on; the last seat, and "
        "one that took nothing, get none. Equals: clockwise from the King, its own seat last.\n"
        f"Now: round {position['round']}.",
        "king": "The seat that has it begins the next round. If the shortest roads are equally "
        "long, this seat wins, or else the first of the others clockwise from it.\n"
        f"Now: seat {position['king']}.",
        "road": f"The sum of your pieces; the shortest after {N_ROUNDS} rounds wins.\n"
        f"Now: {roads}.",
        "piece": "Of the road; every round deals out one fewer than there are seats.\n"
        f"Now to come: {to_come or 'none'}.",
        "exchange": f"Before round {N_ROUNDS} scores, the seat with the fewest cards taken gives "
        "its longest piece for the shortest of the round, unless all of its own are shorter. "
        "Equals: the King's seat, then clockwise.",
        "front": "The cards before a seat: of one colour, with jesters and rings among them; no "
        f"other seat has that colour before it.\nTotals now: {_each(position, totals)}.",
        "total": f"Of the values before a seat; {FULL} or more: it takes all face-up cards.",
    }


def _suits(position: Mapping[str, Any]) -> dict[str, str]:
    """Colours, jesters and rings."""
    owner = {pile_colour(pile): seat for seat, pile in enumerate(position["front"])}
    rings = COPIES[position["players"], KIND_IDS.index(RING)]
    meanings = {}
    for colour in COLOURS:
        if colour in colours_of(position):
            where = f"before seat {owner[colour]}" if colour in owner else "before nobody"
            meanings[colour] = (
                "Lies before one seat at most: goes there, or if nowhere yet, before a seat "
                f"without a colour.\nNow: {where}."
            )
        else:
            meanings[colour] = "Not in play with so few seats."
    return meanings | {
        JESTER: "Of any colour: goes before any seat, and gives its pile no colour.",
        RING: "No value, no colour. Goes before yourself, then every pile passes to the next seat "
        f"clockwise; nobody has to take for it. {rings} in play.",
    }


def _cards(position: Mapping[str, Any]) -> dict[str, str]:
    """Every kind of card but rings, and where its copies are, as far as known."""
    meanings = {}
    copies = dict(zip(KIND_IDS, COPIES[position["players"]].tolist(), strict=True))
    for card, count in copies.items():
        if card == RING or not count:
            continue
        where = []
        for seat in range(position["players"]):
            found = {
                "in the hand of": position["hands"][seat].get(card, 0),
                "before": position["front"][seat].count(card),
                "taken by": position["taken"][seat].count(card),
            }
            where += [f"{n} {place} seat {seat}" for place, n in found.items() if n]
        meanings[card] = (
            f"{suit_of(card).capitalize()} of value {value_of(card)}, {count} in play.\n"
            f"Now: {'; '.join(where) or 'unseen'}."
        )
    return meanings


def _each(position: Mapping[str, Any], values: list[int]) -> str:
    """A value of every seat."""
    return "; ".join(f"seat {seat}: {value}" for seat, value in enumerate(values))
