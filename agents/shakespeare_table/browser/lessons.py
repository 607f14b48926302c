"""Lessons: how a game is taught, in texts of one file per game, and when each text is said.

A file has these tables:

- `guided_game`: the seed of its deal, the opponents of seat 0 and the `agent` that plays them;
  `preferred` moves are suggested wherever they are legal and their condition holds.
- `how_to_play`: the page of this name. It has a lead and sections, each with a picture and topics,
  and says what each of the `variants` is.
- `decisions`: what is to be decided. The first text that fits is said.
- `reasons`: what a move is for. The first text that fits is said.
- `notes`: each is said once, when its condition first holds.
- `facts`: the counters that matter (`counters`) and the moves whose card is explained
  (`explained_moves`).
- `end`: said after the game.
- `terms`: words that pages explain, and the topics that explain them.

A text is said as `first` the first time, as `again` the second time, and as `later` from then on.

Its condition `if` is an expression of Jinja that must be true of the position as its seat sees it
(`variables`); the test `like` compares text with a pattern for all of it. Braces in a text hold
values of the same variables. Rules stand in brackets: "[T9]".
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
from shakespeare_env.core.presentation import Event
from shakespeare_env.core.seat_names import with_names
from shakespeare_env.rulebook import numbered_rules
from shakespeare_table.browser.store import Occupant, TablePlan

LEARNER = 0
"""The seat of the person who learns."""
_RULE = re.compile(r"\s*\[([A-Z]+\d+\w?)\]")


def _like(text: str, pattern: str) -> bool:
    return re.fullmatch(pattern, text) is not None


_conditions = Environment()
_conditions.tests["like"] = _like
Condition = Annotated[
    Callable[[Mapping[str, Any]], bool],
    BeforeValidator(_conditions.compile_expression),
    Field(alias="if"),
]
"""Returns whether something holds of the `variables` of a position."""


@dataclass(frozen=True)
class Picture:
    """Pieces of the board in the first position of the guided game that meets a condition."""

    condition: Condition
    pieces: Sequence[str]


@dataclass(frozen=True)
class Section:
    """A section of the page "How to play". The details below its text are those of its topics."""

    title: str
    text: str
    picture: Picture
    topics: Sequence[str]


@dataclass(frozen=True)
class GuideText:
    """A text that the guide says where a condition holds, shorter when it is said again.

    Attributes:
        condition: Where it is said.
        title: The guide's title meanwhile.
        first: The text when it is said for the first time.
        again: The text the second time; None for the first one.
        later: The text from the third time on.
        move: The move to suggest there, if this is one of the preferred moves.
    """

    condition: Condition
    title: str = ""
    first: str = ""
    again: str | None = None
    later: str = ""
    move: str = ""

    def said(self, times: int, values: Mapping[str, Any]) -> str:
        """Return what is said after it was said some times, filled with a position's variables."""
        again = self.first if self.again is None else self.again
        texts = (self.first, again, self.later)
        return texts[min(times, 2)].format_map(values)


@dataclass(frozen=True)
class Lesson:
    """How a game is taught.

    Attributes:
        game: The name of the game.
        plan: The setup of the guided game.
        lead: The first words on the game.
        sections: The sections of the page "How to play".
        decisions: Texts on what is to be decided.
        reasons: Texts on what a move is for.
        notes: Texts that are said once.
        counters: The names of the counters that matter.
        explained_moves: A pattern of the moves whose card is explained.
        end: The text after the game, with a place for the `rows` of the score sheet.
        terms: The topics that explain words, by the words.
        preferred: Moves to suggest wherever they are legal and their condition holds.
        variants: What each rule variant is, by name.
    """

    game: str
    plan: TablePlan
    lead: str
    sections: Sequence[Section]
    decisions: Sequence[GuideText]
    reasons: Sequence[GuideText]
    notes: Sequence[GuideText]
    counters: Sequence[str]
    explained_moves: str
    end: str
    terms: Mapping[str, str]
    preferred: Sequence[GuideText] = ()
    variants: Mapping[str, str] = field(default_factory=dict)


@cache
def lesson(game: str) -> Lesson | None:
    """Return how a game is taught; None if nobody has written a lesson for it."""
    file = files("shakespeare_table.browser") / "learning" / f"{game}.toml"
    if not file.is_file():
        return None
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    guided_game = content.pop("guided_game")
    how_to_play = content.pop("how_to_play")
    facts = content.pop("facts")
    end = content.pop("end")

    agent = guided_game["agent"]
    opponents = [Occupant(name, agent) for name in guided_game["opponents"]]
    seats = (Occupant("You"), *opponents)
    plan = TablePlan(game, len(seats), (), guided_game["seed"], seats)
    preferred = guided_game.get("preferred", ())
    given = {**content, **how_to_play, **facts, "game": game, "plan": plan}
    given |= {"end": end["text"], "preferred": preferred}
    return TypeAdapter(Lesson).validate_python(given)


def variables(
    position: Position, seat: int, move: str = "", events: Sequence[Event] = ()
) -> dict[str, Any]:
    """Return what the conditions and texts of a lesson may ask of a position.

    Args:
        position: The position.
        seat: The seat that reads; it finds what it knows and no more.
        move: A move of the seat, or none.
        events: The effects that the move has for sure.

    Returns:
        The position in notation as the seat sees it, and
        - `me`: the seat's own of everything that each seat has. Of its cards it also holds the
          number that have each property, as `troupe_rest`.
        - `now`: what topics say of the seat in this position, by the topics' names.
        - `gain`: the points and counters that the move changes, of `me` and of the `others`.
        - `seat`, `phase`, `move`, and `told`: the effects in words.
    """
    seen = position.seen_by(seat)
    gain: dict[str, Counter[str]] = {"me": Counter(), "others": Counter()}
    for event in events:
        if event.seat is not None:
            whose = "me" if event.seat == seat else "others"
            gain[whose].update({"points": event.points, **event.counters})
    topics = position.game.presentation.topics(seen)
    return {
        "phase": position.phase,
        **seen,
        "me": _own_values(seen, seat, position.players),
        "gain": gain,
        "seat": seat,
        "move": move,
        "told": "; ".join(with_names(event.text) for event in events),
        "now": {name: topic.values[seat] for name, topic in topics.items() if topic.values},
    }


def _own_values(seen: Mapping[str, Any], seat: int, players: int) -> dict[str, Any]:
    own = {
        name: value[seat]
        for name, value in seen.items()
        if isinstance(value, list) and len(value) == players
    }
    if isinstance(own.get("seats"), dict):
        own |= own["seats"]
    counts = {}
    for name, cards in own.items():
        if isinstance(cards, list) and cards and isinstance(cards[0], Mapping):
            for key in cards[0]:
                counts[f"{name}_{key}"] = sum(bool(card[key]) for card in cards)
    return own | counts


def first_fitting(texts: Sequence[GuideText], values: Mapping[str, Any]) -> GuideText | None:
    """Return the first text whose condition holds; None if no condition does."""
    return next((text for text in texts if text.condition(values)), None)


def with_links(text: str, game: str) -> Markup:
    """Return a text of a lesson as HTML, with links to its rules.

    The first mention of each term can be clicked for its explanation, and the links to the rules
    that stand in brackets follow the text.
    """
    rules = {number for number, _, _ in numbered_rules(game)}
    numbers = [number for number in dict.fromkeys(_RULE.findall(text)) if number in rules]
    links = [
        f'<a class="rule" href="/rules/{game}#{number}" title="Rule {number}">{number}</a>'
        for number in numbers
    ]
    taught = lesson(game)
    terms = taught.terms if taught else {}
    marked: set[str] = set()

    def without_rule(found: re.Match[str]) -> str:
        return "" if found[1] in rules else found[0]

    def term(found: re.Match[str]) -> str:
        word = found[1]
        topic = terms.get(word) or terms.get(word[0].lower() + word[1:])
        if topic is None or topic in marked:
            return found[0]
        marked.add(topic)
        return (
            f'<span class="term" role="button" tabindex="0" data-topic="{topic}">{found[0]}</span>'
        )

    plain = _RULE.sub(without_rule, str(escape(text)))
    words = _terms_pattern(tuple(terms)).sub(term, plain).strip()
    return Markup(" ".join([words, *links]))


@cache
def _terms_pattern(terms: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of terms, the longest first, also as sentences begin and in the plural."""
    patterns = []
    for term in sorted(terms, key=len, reverse=True):
        first = term[0]
        either_case = f"[{first}{first.upper()}]" if first.islower() else re.escape(first)
        patterns.append(either_case + re.escape(term[1:]))
    return re.compile(rf"(?<![\w+])({'|'.join(patterns) or '(?!)'})s?(?!\w)")
