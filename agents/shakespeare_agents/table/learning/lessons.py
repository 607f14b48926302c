"""How a game is taught: texts of a file per game, and when each of them is said.

A file has
    plan     the guided game: the seed of its deal, who plays against seat 0; `prefers`, moves that
             are suggested wherever they are legal and their condition holds; `paying`, when what
             pays most now is suggested of cards that are compared;
    how      the page "How to play": a lead and sections, each with a picture and topics, and what
             each of the `variants` is;
    asked    what is to be chosen: the first entry that fits counts;
    why      what a move is for: the first entry that fits counts;
    notes    said once each, when they first hold;
    facts    `headings` of events that are reported, the counters that matter (`counts`), and the
             moves whose card is explained (`explained`) or compared with the others (`compared`);
    end      said after the game;
    terms    words that pages explain, and the topics that do.

Entries say `first` at their first time, `again` at the second one, `later` from then on.

What `if` holds must hold of the position as its seat sees it (`view`). Values are equal, or a text
such as ">3" bounds a number, or how many there are; `move` and `told` are patterns for the whole
move, in which {me} is the seat, and for what it brings; `choice` is of a choice among cards
(`choices.py`). Braces in what is said hold values of the view. Rules stand in brackets: "[T9]".
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
_KEYS = ("plan", "how", "asked", "why", "notes", "facts", "end", "terms")
_PATTERNS = ("move", "told")

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
    """What is said at the first time, and in fewer words at the second one and later."""

    first: str
    again: str
    later: str
    title: str

    def at(self, time: int) -> str:
        """What is said after it was said `time` times."""
        return (self.first, self.again, self.later)[min(time, 2)]


@dataclass(frozen=True)
class Facts:
    """What the guide tells of events and cards; all but `counts` are patterns."""

    headings: Sequence[str]
    counts: Collection[str]
    explained: str
    compared: str

    def heading(self, event: Event) -> str:
        """The heading that an event of the table is; empty if it is none."""
        known = any(re.fullmatch(pattern, event.text) for pattern in self.headings)
        return event.text if known else ""


@dataclass(frozen=True)
class Lesson:
    """How a game is taught; see the module.

    Attributes:
        prefers: Conditions, and moves that are suggested where they hold.
        paying: When what pays most now is suggested; None if never.
        asked: Conditions, and what is said of a decision that fits.
        why: Conditions, and what is said of a move that fits.
        notes: Conditions, and what is said once.
    """

    game: str
    plan: TablePlan
    lead: str
    sections: Sequence[Section]
    prefers: Sequence[tuple[Condition, str]]
    paying: Condition | None
    asked: Sequence[tuple[Condition, Said]]
    why: Sequence[tuple[Condition, Said]]
    notes: Sequence[tuple[Condition, str]]
    facts: Facts
    end: str
    terms: Mapping[str, str]
    variants: Mapping[str, str]

    def question(self, seen: Mapping[str, Any]) -> int | None:
        """The entry of `asked` that fits a decision."""
        return _first(self.asked, seen)

    def reason(self, seen: Mapping[str, Any]) -> int | None:
        """The entry of `why` that fits a move; `seen` holds the move and what it gains."""
        return _first(self.why, seen)

    def preferred(self, position: Position, seat: int) -> str | None:
        """A move to suggest whatever else is best, since its part of the game is to be shown."""
        legal = position.moves()
        seen = view(position, seat) if any(move in legal for _, move in self.prefers) else {}
        fits = (
            move for condition, move in self.prefers if move in legal and holds(condition, seen)
        )
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
        [(one["if"], one["move"]) for one in plan.get("prefers", ())],
        plan.get("paying"),
        [(one["if"], _said(one)) for one in said["asked"]],
        [(one["if"], _said(one)) for one in said["why"]],
        [(one["if"], one["text"]) for one in said["notes"]],
        Facts(**said["facts"]),
        said["end"]["text"],
        said["terms"],
        said["how"].get("variants", {}),
    )


def view(position: Position, seat: int, move: str = "", gains: Sequence[Event] = ()) -> Any:
    """What conditions are about: a position as a seat sees it, and maybe a move of it.

    `me` holds what is the seat's own of all that every seat has, and of its cards how many have
    each thing, as `troupe_rest`; `gain` the points and counters that the move changes, for `me` and
    for the `others` together; `now` what topics say of the seat now.
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
    me |= {
        f"{name}_{key}": sum(bool(card[key]) for card in cards)
        for name, cards in me.items()
        if isinstance(cards, list) and cards and isinstance(cards[0], Mapping)
        for key in cards[0]
    }
    told = "; ".join(event.text for event in gains)
    now = {
        name: own[1]
        for name, text in position.game.presentation.topics(seen).items()
        if (own := re.search(rf"\bNow.*?\bseat {seat}: ([^;\n]+?)\.?(?:;|$)", text, re.M))
    }
    shown = {"phase": position.phase, **seen, "me": me, "gain": gained, "seat": seat}
    return {**shown, "move": move, "told": told, "now": now}


def holds(condition: Condition, seen: Mapping[str, Any]) -> bool:
    """Whether a condition holds of a view."""
    return all(
        re.fullmatch(str(wanted).replace("{me}", str(seen["seat"])), seen[name]) is not None
        if name in _PATTERNS
        else _fits(wanted, _inner(seen, name))
        for name, wanted in condition.items()
    )


def filled(
    entries: Sequence[tuple[Condition, Said]], number: int | None, seen: Mapping[str, Any]
) -> tuple[int, Said] | None:
    """An entry of a lesson, with values of the position in its words."""
    if number is None:
        return None
    said = entries[number][1]
    first, again, later = (text.format_map(seen) for text in (said.first, said.again, said.later))
    return number, Said(first, again, later, said.title)


def said_after(entry: tuple[int, Said] | None, before: Sequence[tuple[int, Said] | None]) -> str:
    """What is said after it was said before."""
    if entry is None:
        return ""
    number, said = entry
    return said.at(sum(one is not None and one[0] == number for one in before))


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
    first = one.get("first", "")
    again = one.get("again", first)
    return Said(first, again, one.get("later", ""), one.get("title", ""))


def _first(entries: Sequence[tuple[Condition, Said]], seen: Mapping[str, Any]) -> int | None:
    fits = (number for number, (condition, _) in enumerate(entries) if holds(condition, seen))
    return next(fits, None)
