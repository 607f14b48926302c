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
(`guide.py`). Braces in what is said hold values of the view. Rules stand in brackets: "[T9]".
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

from markupsafe import Markup, escape

from shakespeare_env.core import registry
from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Event
from shakespeare_table.browser.store import SeatPlan, TablePlan

SEAT = 0
"""The seat of whoever learns."""
_BOUND = re.compile(r"([<>])(-?\d+)")
_PATTERNS = ("move", "told")
_ROW = re.compile(r"\| (?P<rule>[A-Z]+\d+\w?)(?P<ruling> Ruling)? \| (?P<text>[^|]+) \|")
_LINK = re.compile(r"\s*\[([A-Z]+\d+\w?)\]")

Condition = Mapping[str, Any]


@dataclass(frozen=True)
class Section:
    """A section of the page "How to play".

    Attributes:
        condition: The picture is of the first position of the guided game for which it holds.
        pieces: The pieces of the board in the picture.
        topics: What is explained exactly below the text.
    """

    title: str
    text: str
    condition: Condition
    pieces: Sequence[str]
    topics: Sequence[str]


@dataclass(frozen=True)
class Said:
    """What is said where a condition holds; in fewer words at the second time and later."""

    condition: Condition
    first: str
    again: str
    later: str
    title: str

    def at(self, time: int, seen: Mapping[str, Any]) -> str:
        """What is said after it was said `time` times, with values of the position."""
        return (self.first, self.again, self.later)[min(time, 2)].format_map(seen)


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
        notes: Conditions, and what is said once.
    """

    game: str
    plan: TablePlan
    lead: str
    sections: Sequence[Section]
    prefers: Sequence[tuple[Condition, str]]
    paying: Condition | None
    asked: Sequence[Said]
    why: Sequence[Said]
    notes: Sequence[tuple[Condition, str]]
    facts: Facts
    end: str
    terms: Mapping[str, str]
    variants: Mapping[str, str]


def taught_games() -> list[str]:
    """The games that are taught."""
    return [name for name in registry.names() if lesson(name) is not None]


@cache
def lesson(game: str) -> Lesson | None:
    """How a game is taught; None if nobody has written that."""
    file = files(__package__) / f"{game}.toml"
    if not file.is_file():
        return None
    said = tomllib.loads(file.read_text(encoding="utf-8"))
    plan, how = said["plan"], said["how"]
    opponents = (SeatPlan(name, plan["agent"]) for name in plan["opponents"])
    seats = (SeatPlan("You"), *opponents)
    return Lesson(
        game,
        TablePlan(game, len(seats), (), plan["seed"], seats),
        how["lead"],
        [
            Section(
                one["title"],
                one["text"],
                one["picture"]["if"],
                one["picture"]["pieces"],
                one["topics"],
            )
            for one in how["sections"]
        ],
        [(one["if"], one["move"]) for one in plan.get("prefers", ())],
        plan.get("paying"),
        [_said(one) for one in said["asked"]],
        [_said(one) for one in said["why"]],
        [(one["if"], one["text"]) for one in said["notes"]],
        Facts(**said["facts"]),
        said["end"]["text"],
        said["terms"],
        how.get("variants", {}),
    )


def _said(one: Mapping[str, Any]) -> Said:
    again = one.get("again", one["first"])
    return Said(one["if"], one["first"], again, one.get("later", ""), one.get("title", ""))


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


def topic_text(topics: Mapping[str, str], name: str) -> str:
    """What a topic says of every position: lines about the present one are left out."""
    lines = topics.get(name, "").splitlines()
    return "\n".join(line for line in lines if not line.startswith("Now"))


@cache
def rules_of(game: str) -> list[tuple[str, str, bool]]:
    """(number, what it says, whether it settles what the rule book leaves open), in order.

    They are read from the table of the game's `RULES.md`; empty if it has none.
    """
    if not registry.has_box(game) or not (file := registry.folder(game) / "RULES.md").is_file():
        return []
    rows = map(_ROW.match, file.read_text(encoding="utf-8").splitlines())
    return [
        (row["rule"], row["text"].replace("`", ""), row["ruling"] is not None)
        for row in rows
        if row is not None
    ]


def with_links(text: str, game: str) -> Markup:
    """Text as HTML, in which terms can be asked about, and after it links to its rules."""
    known = {number for number, _, _ in rules_of(game)}
    links: list[str] = []

    def noted(found: re.Match[str]) -> str:
        if found[1] not in known:
            return found[0]
        address, title = f"/rules/{game}#{found[1]}", f"Rule {found[1]}"
        links.append(f'<a class="rule" href="{address}" title="{title}">{found[1]}</a>')
        return ""

    plain = _with_terms(_LINK.sub(noted, str(escape(text))), game)
    return Markup(" ".join([plain.strip(), *dict.fromkeys(links)]))


def _with_terms(text: str, game: str) -> str:
    """Text in which each term can be asked about once."""
    if (taught := lesson(game)) is None:
        return text
    asked: set[str] = set()

    def term(found: re.Match[str]) -> str:
        word = found[1]
        topic = taught.terms.get(word) or taught.terms.get(word[0].lower() + word[1:])
        if topic is None or topic in asked:
            return found[0]
        asked.add(topic)
        return (
            f'<span class="term" role="button" tabindex="0" data-topic="{topic}">{found[0]}</span>'
        )

    return _terms_pattern(game).sub(term, text)


@cache
def _terms_pattern(game: str) -> re.Pattern[str]:
    taught = lesson(game)
    assert taught is not None
    each = [
        f"[{one[0]}{one[0].upper()}]{re.escape(one[1:])}" if one[0].islower() else re.escape(one)
        for one in sorted(taught.terms, key=len, reverse=True)
    ]
    return re.compile(rf"(?<![\w+])({'|'.join(each)})s?(?!\w)")
