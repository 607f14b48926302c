"""What cards, moves and things on the table do, in words; every number is the box's."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shakespeare_env.figaro.box.facts import COLOURS
from shakespeare_env.figaro.box.tables import COPIES, FULL, HAND, KIND_IDS, N_ROUNDS
from shakespeare_env.figaro.text.wording import (
    RING,
    cards_count,
    colours_of,
    pile_colour,
    pile_total,
    value_of,
)

_WORDS = tomllib.loads((Path(__file__).parents[1] / "words.toml").read_text(encoding="utf-8"))


def topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Explanations by the name used in moves; lines that begin with "Now" are of the position."""
    known = _now(position)
    meanings = {name: text.format_map(known) for name, text in _WORDS["topics"].items()}
    return meanings | _colours(position) | _cards(position)


def _now(position: Mapping[str, Any]) -> dict[str, object]:
    """What stands in the topics of a position."""
    players, front = position["players"], position["front"]
    to_come = "; ".join(
        f"round {number}: {', '.join(map(str, pieces))}"
        for number, pieces in enumerate(position["pieces"], 1)
        if pieces
    )
    return {
        "full": FULL,
        "rounds": N_ROUNDS,
        "hand": HAND[players],
        "rings": COPIES[players, KIND_IDS.index(RING)],
        "up": cards_count(sum(map(len, front))),
        "round": position["round"],
        "king": position["king"],
        "to_come": to_come or "none",
        "totals": _each(map(pile_total, front)),
        "hands": _each(sum(hand.values()) for hand in position["hands"]),
        "taken": _each(map(len, position["taken"])),
        "roads": _each(map(sum, position["roads"])),
    }


def _colours(position: Mapping[str, Any]) -> dict[str, str]:
    """Where each colour lies."""
    owner = {pile_colour(pile): seat for seat, pile in enumerate(position["front"])}
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
    return meanings


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
            f"{count} such cards in play, of value {value_of(card)}.\n"
            f"Now: {'; '.join(where) or 'unseen'}."
        )
    return meanings


def _each(values: Iterable[int]) -> str:
    """A value of every seat."""
    return "; ".join(f"seat {seat}: {value}" for seat, value in enumerate(values))
