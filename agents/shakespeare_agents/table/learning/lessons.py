"""How a game is taught: texts of a file per game, and when each of them is said.

A file has
    plan     the guided game: the seed of its deal, and who plays against seat 0;
    how      the page "How to play": a lead and sections, each with a picture and topics;
    phases   what is asked in each phase, at its first time and again;
    why      what a move is for: the first entry that fits counts, said at its first time and again;
    notes    said once each, when they first hold;
    end      said after the game;
    terms    words that pages explain, and the topics that do.

What `if` holds must hold of the position as its seat sees it (`view`). Values are equal, or a text
such as ">3" bounds a number, or how many there are; `move` is a pattern for the whole move, in
which {me} is the seat. Rules stand in brackets: "[T9]".
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from shakespeare_agents.table.store import SeatPlan, TablePlan
from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Event

SEAT = 0
"""The seat of whoever learns."""
_BOUND = re.compile(r"([<>])(-?\d+)")
_KEYS = ("plan", "how", "phases", "why", "notes", "end", "terms")

Condition = Mapping[str, Any]


@dataclass(frozen=True)
class Picture:
    """Pieces of the board in the first position of the guided game for which a condition holds."""

    condition: Condition
    pieces: Sequence[str]


@dataclass(frozen=True)
class Section:
    """A section of the page "How to play"; `topics` are explained exactly below it."""

    title: str
    text: str
    picture: Picture
    topics: Sequence[str]


@dataclass(frozen=True)
class Said:
    """What is said at the first time, and in fewer words again."""

    first: str
    again: str
    title: str = ""


@dataclass(frozen=True)
class Lesson:
    """How a game is taught; see the module.

    Attributes:
        why: Conditions, and what is said of a move that fits.
        notes: Conditions, and what is said once.
    """

    game: str
    plan: TablePlan
    lead: str
    sections: Sequence[Section]
    phases: Mapping[str, Said]
    why: Sequence[tuple[Condition, Said]]
    notes: Sequence[tuple[Condition, str]]
    end: str
    terms: Mapping[str, str]

    def is_of(self, plan: TablePlan) -> bool:
        """Whether a table plays the guided game."""
        return plan == self.plan

    def reason(self, seen: Mapping[str, Any]) -> int | None:
        """The entry of `why` that fits a move; `seen` holds the move and what it gains."""
        fits = (number for number, (condition, _) in enumerate(self.why) if holds(condition, seen))
        return next(fits, None)

    def notes_on(self, seen: Mapping[str, Any]) -> frozenset[int]:
        """The notes that hold."""
        noted = enumerate(self.notes)
        return frozenset(number for number, (condition, _) in noted if holds(condition, seen))


@cache
def lesson(game: str) -> Lesson | None:
    """How a game is taught; None if nobody has written that."""
    file = files(__package__) / f"{game}.toml"
    if not file.is_file():
        return None
    said = tomllib.loads(file.read_text(encoding="utf-8"))
    assert tuple(said) == _KEYS, f"{file} holds {', '.join(said)}"
    plan = said["plan"]
    opponents = (SeatPlan(name, plan["agent"]) for name in plan["opponents"])
    seats = (SeatPlan("You"), *opponents)
    return Lesson(
        game,
        TablePlan(game, len(seats), (), plan["seed"], seats),
        said["how"]["lead"],
        [_section(one) for one in said["how"]["sections"]],
        {phase: _said(one) for phase, one in said["phases"].items()},
        [(one["if"], _said(one)) for one in said["why"]],
        [(one["if"], one["text"]) for one in said["notes"]],
        said["end"]["text"],
        said["terms"],
    )


def view(position: Position, seat: int, move: str = "", gains: Sequence[Event] = ()) -> Any:
    """What conditions are about: a position as a seat sees it, and maybe a move of it.

    `me` holds what is the seat's own of all that every seat has; `gain` the points and counters
    that the move changes, for `me` and for the `others` together.
    """
    seen = position.seen_by(seat)
    each = {
        name: value[seat]
        for name, value in seen.items()
        if isinstance(value, list) and len(value) == position.players
    }
    gained: dict[str, Counter[str]] = {"me": Counter(), "others": Counter()}
    for event in gains:
        whose = gained["me" if event.seat == seat else "others"]
        if event.seat is not None:
            whose.update({"points": event.points, **event.counters})
    me = each | (each["seats"] if isinstance(each.get("seats"), dict) else {})
    return {"phase": position.phase, **seen, "me": me, "gain": gained, "move": move, "seat": seat}


def holds(condition: Condition, seen: Mapping[str, Any]) -> bool:
    """Whether a condition holds of a view."""
    return all(
        re.fullmatch(str(wanted).replace("{me}", str(seen["seat"])), seen["move"]) is not None
        if name == "move"
        else _fits(wanted, _inner(seen, name))
        for name, wanted in condition.items()
    )


def topic_text(topics: Mapping[str, str], name: str) -> str:
    """What a topic says of every position: lines about the present one are left out."""
    lines = topics.get(name, "").splitlines()
    return "\n".join(line for line in lines if not line.startswith("Now"))


def _fits(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, Mapping):
        return all(_fits(inner, _inner(value, name)) for name, inner in wanted.items())
    if isinstance(wanted, str) and (bound := _BOUND.fullmatch(wanted)):
        number, limit = _number(value), int(bound[2])
        return number > limit if bound[1] == ">" else number < limit
    return bool(value == wanted)


def _inner(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return None


def _number(value: Any) -> int:
    """A number; of a collection how many it holds."""
    if isinstance(value, Mapping):
        return sum(value.values())
    return len(value) if isinstance(value, list) else int(value or 0)


def _section(one: Mapping[str, Any]) -> Section:
    picture = Picture(one["picture"]["if"], one["picture"]["pieces"])
    return Section(one["title"], one["text"], picture, one["topics"])


def _said(one: Mapping[str, str]) -> Said:
    return Said(one["first"], one.get("again", one["first"]), one.get("title", ""))
