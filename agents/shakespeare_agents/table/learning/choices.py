"""Choices among cards, such as goals: what each is worth now, and which pays most."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shakespeare_agents.table.learning.lessons import Lesson, holds, view
from shakespeare_env.core.position import Position

_POINTS = re.compile(r"\+(\d+)")


@dataclass(frozen=True)
class Choice:
    """A card to choose.

    Attributes:
        name: Its name.
        now: What it would bring as things stand, in words.
        pays: The same in points.
        steps: What it brings for how much, in words.
    """

    name: str
    now: str
    pays: int
    steps: str


def thing(move: str) -> str:
    """The card or thing that a move names first."""
    return move.partition(":")[2].partition(">")[0].removesuffix("+3")


def choices(taught: Lesson, position: Position, seat: int) -> dict[str, Choice]:
    """The moves that choose one of several cards, and those cards; empty if nothing is compared."""
    legal = [one for one in position.moves() if re.fullmatch(taught.facts.compared, one)]
    if not legal:
        return {}
    now = view(position, seat)["now"]
    texts = position.game.presentation.topics(position.seen_by(seat))
    return {one: _choice(texts[thing(one)], now.get(thing(one), "")) for one in legal}


def paying_most(taught: Lesson, position: Position, seat: int, move: str) -> str:
    """The choice that pays most now, where the lesson wants that suggested; else `move`."""
    if not taught.paying or not (cards := choices(taught, position, seat)):
        return move
    best = max(cards, key=lambda one: cards[one].pays)
    better = cards[best].pays > cards[move].pays and holds(taught.paying, view(position, seat))
    return best if better else move


def chosen(cards: Mapping[str, Choice], move: str) -> dict[str, Any]:
    """What conditions and words know of a choice: `choice`, the card against the best one now."""
    if move not in cards:
        return {}
    own, best = cards[move], max(cards.values(), key=lambda one: one.pays)
    beside = {"most": own.pays == best.pays, "best": best.name, "best_now": best.now}
    return {"choice": {"now": own.now, "pays": own.pays, "steps": own.steps, **beside}}


def _choice(text: str, now: str) -> Choice:
    name, steps = text.partition(":")[0], text.partition("\n")[0].rpartition(": ")[2]
    points = _POINTS.search(now)
    return Choice(name, now, int(points[1]) if points else 0, steps.rstrip("."))
