"""How a game is taught: texts of a file per game, and when each of them is said.

A file has
    plan     the guided game: the seed of its deal, who plays against seat 0; `prefers`, moves that
             are suggested wherever they are legal and their condition holds;
    how      the page "How to play": a lead and sections, each with a picture and topics, and what
             each of the `variants` is;
    asked    what is to be chosen: the first entry that fits counts;
    why      what a move is for: the first entry that fits counts;
    notes    said once each, when they first hold;
    facts    which counters matter (`counts`), and moves whose card is `explained`;
    end      said after the game;
    terms    words that pages explain, and the topics that do.

Entries say `first` at their first time, `again` at the second one, `later` from then on.

What `if` holds, an expression of Jinja, must be true of the position as its seat sees it (`view`);
text `is like` a pattern for the whole of it. Braces in what is said hold values of the view. Rules
stand in brackets: "[T9]".
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from jinja2 import Environment
from markupsafe import Markup, escape
from pydantic import BeforeValidator, Field, TypeAdapter

from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Event, Topic
from shakespeare_env.rulebook import rules_of
from shakespeare_table.browser.store import Sitter, TablePlan

SEAT = 0
"""The seat of whoever learns."""
_LINK = re.compile(r"\s*\[([A-Z]+\d+\w?)\]")

_conditions = Environment()
_conditions.tests["like"] = lambda text, pattern: re.fullmatch(pattern, text) is not None
Condition = Annotated[
    Callable[[Mapping[str, Any]], bool],
    BeforeValidator(_conditions.compile_expression),
    Field(alias="if"),
]
"""Whether something holds of a view of a position (`view`)."""


@dataclass(frozen=True)
class Picture:
    """Pieces of the board at the first position of the guided game for which a condition holds."""

    condition: Condition
    pieces: Sequence[str]


@dataclass(frozen=True)
class Section:
    """A section of the page "How to play"; its topics are explained exactly below the text."""

    title: str
    text: str
    picture: Picture
    topics: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """What is said where a condition holds, in fewer words at the second time and later.

    Attributes:
        move: The move that is suggested there, of those that a lesson prefers.
    """

    condition: Condition
    title: str = ""
    first: str = ""
    again: str | None = None
    later: str = ""
    move: str = ""

    def at(self, time: int, seen: Mapping[str, Any]) -> str:
        """What is said after it was said `time` times, with values of the position."""
        again = self.first if self.again is None else self.again
        return (self.first, again, self.later)[min(time, 2)].format_map(seen)


@dataclass(frozen=True)
class Lesson:
    """How a game is taught; see the module.

    Attributes:
        counts: The counters that matter.
        explained: A pattern of moves whose card is explained.
    """

    game: str
    plan: TablePlan
    lead: str
    sections: Sequence[Section]
    asked: Sequence[Entry]
    why: Sequence[Entry]
    notes: Sequence[Entry]
    counts: Sequence[str]
    explained: str
    end: str
    terms: Mapping[str, str]
    prefers: Sequence[Entry] = ()
    variants: Mapping[str, str] = field(default_factory=dict)


@cache
def lesson(game: str) -> Lesson | None:
    """How a game is taught; None if nobody has written that."""
    file = files("shakespeare_table.browser") / "learning" / f"{game}.toml"
    if not file.is_file():
        return None
    given = tomllib.loads(file.read_text(encoding="utf-8"))
    guided = given.pop("plan")
    agent, seed = guided.pop("agent"), guided.pop("seed")
    seats = (Sitter("You"), *(Sitter(name, agent) for name in guided.pop("opponents")))
    plan = TablePlan(game, len(seats), (), seed, seats)
    given |= guided | given.pop("how") | given.pop("facts") | {"end": given["end"]["text"]}
    return TypeAdapter(Lesson).validate_python({"game": game, "plan": plan, **given})


def view(position: Position, seat: int, move: str = "", gains: Sequence[Event] = ()) -> Any:
    """What conditions are about: a position as a seat sees it, and maybe a move of it.

    `me` holds what is the seat's own of all that every seat has, and of its cards how many have
    each thing, as `troupe_rest`; `gain` the points and counters that the move changes, for `me` and
    for the `others`; `now` what topics say of the seat now.
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
        if (own := re.search(rf"\bNow.*?\bseat {seat}: ([^;\n]+?)\.?(?:;|$)", str(text), re.M))
    }
    shown = {"phase": position.phase, **seen, "me": me, "gain": gained, "seat": seat}
    return {**shown, "move": move, "told": told, "now": now}


def fitting(entries: Sequence[Entry], seen: Mapping[str, Any]) -> Entry | None:
    """The first entry of a lesson that fits a decision or a move."""
    return next((entry for entry in entries if entry.condition(seen)), None)


def topic_text(topics: Mapping[str, Topic], name: str) -> str:
    """What a topic says of every position: lines about the present one are left out."""
    lines = str(topics.get(name, "")).splitlines()
    return "\n".join(line for line in lines if not line.startswith("Now"))


def with_links(text: str, game: str) -> Markup:
    """Text as HTML, in which terms can be asked about once, and after it links to its rules."""
    known = {number for number, _, _ in rules_of(game)}
    numbers = [number for number in dict.fromkeys(_LINK.findall(text)) if number in known]
    links = (
        f'<a class="rule" href="/rules/{game}#{number}" title="Rule {number}">{number}</a>'
        for number in numbers
    )
    plain = _LINK.sub(lambda found: "" if found[1] in known else found[0], str(escape(text)))
    terms, asked = (taught.terms if (taught := lesson(game)) else {}), set[str]()

    def term(found: re.Match[str]) -> str:
        word = found[1]
        topic = terms.get(word) or terms.get(word[0].lower() + word[1:])
        if topic is None or topic in asked:
            return found[0]
        asked.add(topic)
        return (
            f'<span class="term" role="button" tabindex="0" data-topic="{topic}">{found[0]}</span>'
        )

    return Markup(" ".join([_terms_pattern(tuple(terms)).sub(term, plain).strip(), *links]))


@cache
def _terms_pattern(terms: Sequence[str]) -> re.Pattern[str]:
    each = [
        f"[{term[0]}{term[0].upper()}]{re.escape(term[1:])}"
        if term[0].islower()
        else re.escape(term)
        for term in sorted(terms, key=len, reverse=True)
    ]
    return re.compile(rf"(?<![\w+])({'|'.join(each) or '(?!)'})s?(?!\w)")
