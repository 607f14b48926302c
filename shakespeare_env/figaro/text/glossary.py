"""Explanations of moves, cards and things on the table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakespeare_env.core.presentation import Topic
from shakespeare_env.core.seat_names import seat_placeholder
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.text.wording import card_count, colours_of, pile_colour, pile_total

_WORDS = tomllib.loads((Path(__file__).parents[1] / "words.toml").read_text(encoding="utf-8"))
_PLACES_OF_SEATS = ("front", "hand", "road", "taken")
"""Topics that every seat has a place for: `hand0`, `hand1`, ... for `hand`."""


def topics(position: Mapping[str, Any]) -> dict[str, Topic]:
    """Return explanations of moves, cards and things on the table, by their names in moves."""
    players = position["players"]
    front = position["front"]
    rounds = enumerate(position["pieces"], 1)
    to_come = [f"round {n}: {', '.join(map(str, pieces))}" for n, pieces in rounds if pieces]
    facts = {
        **vars(t),  # texts may mention any constant of the box
        "hand": t.HAND[players],
        "rings": t.COPIES[players, t.RING],
        "up": card_count(sum(map(len, front))),
        "round": position["round"],
        "king": seat_placeholder(position["king"]),
        "to_come": "; ".join(to_come) or "none",
    }
    by_seat = {
        "totals": [pile_total(pile) for pile in front],
        "hands": [sum(hand.values()) for hand in position["hands"]],
        "taken": [len(cards) for cards in position["taken"]],
        "roads": [sum(road) for road in position["roads"]],
    }

    explained = {}
    for name, text in _WORDS["topics"].items():
        # `now` is the sentence about this position. Values by seat follow it if there are any.
        now = _WORDS["now"].get(name, "")
        values: tuple[str, ...] = ()
        if name in _WORDS["now_by_seat"]:
            now, quantity = _WORDS["now_by_seat"][name]
            values = tuple(map(str, by_seat[quantity]))
        explained[name] = Topic(
            text.format_map(facts), now.format_map(facts), values, places=_places_of(name, players)
        )

    owners = {pile_colour(pile): seat_placeholder(seat) for seat, pile in enumerate(front)}
    for colour in colours_of(position):
        now = f"Now: in front of {owners.get(colour, 'nobody')}."
        explained[colour] = Topic(explained["colour"].text, now)
    for kind, card in enumerate(t.KIND_IDS[: t.RING]):
        copies = t.COPIES[players, kind]
        if copies > 0:
            explained[card] = Topic(f"{copies} such cards in play, of value {t.VALUE[kind]}.")
    return explained


def _places_of(topic: str, players: int) -> tuple[str, ...]:
    if topic in _PLACES_OF_SEATS:
        return tuple(f"{topic}{seat}" for seat in range(players))
    return ("pieces",) if topic == "piece" else ()
