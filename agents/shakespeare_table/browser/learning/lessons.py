"""Lessons that teach a game: the texts of one file per game, with the conditions to say them.

A file has these tables:

- `guided_game`: the seed of its deal, the `opponents` of seat 0, the `agent` that plays them, and
  `preferred` moves, which are suggested wherever they are legal and their condition holds.
- `how_to_play`: the page of this name, with a lead, sections with a picture and topics each, and a
  description of each of the `variants`.
- `decisions`: what is to be decided. The first text whose condition holds is said.
- `reasons`: what a move is for. The first text whose condition holds is said.
- `notes`: each is said once, when its condition first holds.
- `facts`: the `counters` (such as pounds) whose changes by a move are told, and `explained_moves`,
  a regular expression for moves that name a card. The guide explains the card of such a move.
- `end`: said after the game.
- `terms`: the words that pages explain, with the topics that explain them.

A text is said as `first` the first time, as `again` the second time, and as `later` from then on.

Its condition `if` is a Jinja expression over `variables`, the position as the learner's seat sees
it. The Jinja test `like` holds if a regular expression matches the complete text. Braces in a text
name values of the same variables. Numbers of rules stand in brackets, as in "[T9]".
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
from shakespeare_env.rulebook import numbered_rules
from shakespeare_table.browser.storage.plan import Occupant, TablePlan

LEARNER_NAME = "Learner"
"""The name of whoever plays a guided game."""
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
"""A function that returns whether the `variables` of a position fulfil a condition."""


@dataclass(frozen=True)
class Picture:
    """Pieces of the board in the first position of the guided game that meets a condition."""

    condition: Condition
    pieces: Sequence[str]


@dataclass(frozen=True)
class Section:
    """A section of the page "How to play". The texts of its topics are the details below it."""

    title: str
    text: str
    picture: Picture
    topics: Sequence[str]


@dataclass(frozen=True)
class GuideText:
    """A text that the guide says where a condition holds. It may be shorter when said again.

    Attributes:
        condition: The condition.
        title: The guide's title while the text is shown.
        first: The text when it is said for the first time.
        again: The text when it is said for the second time. None means that of the first time.
        later: The text from the third time on.
        move: The move to suggest, if this is one of the preferred moves.
    """

    condition: Condition
    title: str = ""
    first: str = ""
    again: str | None = None
    later: str = ""
    move: str = ""

    def filled(self, times_said: int, values: Mapping[str, Any]) -> str:
        """Return the text with the values in its braces.

        Args:
            times_said: How often the text was said before.
            values: The `variables` of the position.
        """
        again = self.first if self.again is None else self.again
        texts = (self.first, again, self.later)
        return texts[min(times_said, 2)].format_map(values)


@dataclass(frozen=True)
class Lesson:
    """The texts that teach a game, and the setup of its guided game.

    Attributes:
        game: The name of the game.
        plan: The setup of the guided game.
        lead: The introduction to the game.
        sections: The sections of the page "How to play".
        decisions: Texts on what is to be decided.
        reasons: Texts on what a move is for.
        notes: Texts that are said once.
        counters: The names of the counters whose changes are told.
        explained_moves: A regular expression for the moves that name a card to explain.
        end: The text after the game, with a place for the `rows` of the score sheet.
        terms: The topics that explain words, by the words.
        preferred: Moves to suggest wherever they are legal and their condition holds.
        variants: Descriptions of the rule variants, by name.
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
    """Return the lesson of a game; None if nobody has written one."""
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
    seats = (Occupant(LEARNER_NAME), *opponents)
    plan = TablePlan(game, len(seats), (), guided_game["seed"], seats)
    preferred = guided_game.get("preferred", ())
    entries = {**content, **how_to_play, **facts, "game": game, "plan": plan}
    entries |= {"end": end["text"], "preferred": preferred}
    return TypeAdapter(Lesson).validate_python(entries)


def variables(
    position: Position, seat: int, move: str = "", events: Sequence[Event] = ()
) -> dict[str, Any]:
    """Return the values that the conditions and texts of a lesson may name.

    Args:
        position: The position.
        seat: The seat of the reader. The values hold no more than this seat may know.
        move: A legal move of the seat; empty for a position alone.
        events: The certain effects of the move.

    Returns:
        The position in notation as the seat sees it, and these values:

        - `seat` and `move`: as given.
        - `parts`: the parts of the move's text, split at each `:` and `>`.
        - `phase`: the phase.
        - `me`: the seat's own entry of every list that has an entry for each seat. If the position
          has an object for each seat in `seats`, the keys of the seat's object are in `me` too. For
          a list of cards among these, such as `troupe`, and a key of the cards, such as `rest`, the
          number of cards in which that key is not empty, false or 0 is in `me` as `troupe_rest`.
        - `now`: the values of topics for the seat (`Topic.values`), by the topics' names.
        - `by_seat`: the values of topics for all seats, by the topics' names.
        - `gain`: the changes of points and counters by the events, for `me` and for the `others`.
        - `after`: the position after the move and the forced moves that follow, with its own `me`,
          `now` and `by_seat`; empty without a move. What the seat does not know of it is drawn at
          random, so conditions must name only what the seat knows.
    """
    gain: dict[str, Counter[str]] = {"me": Counter(), "others": Counter()}
    for event in events:
        if event.seat is not None:
            whose = "me" if event.seat == seat else "others"
            gain[whose].update({"points": event.points, **event.counters})

    after = {}
    if move:
        position_after = position.determinize(seat, 0)
        position_after.push(move)
        after = _values_of(position_after, seat)
    return {
        **_values_of(position, seat),
        "seat": seat,
        "move": move,
        "parts": re.split("[:>]", move),
        "gain": gain,
        "after": after,
    }


def _values_of(position: Position, seat: int) -> dict[str, Any]:
    seen = position.seen_by(seat)
    topics = position.game.presentation.topics(seen)
    by_seat = {name: topic.values for name, topic in topics.items() if topic.values}
    return {
        "phase": position.phase,
        **seen,
        "me": _own_values(seen, seat, position.players),
        "now": {name: values[seat] for name, values in by_seat.items()},
        "by_seat": by_seat,
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

    The first mention of each term can be clicked for its explanation. The rules in brackets are
    replaced by links after the text.
    """
    rules = {number for number, _, _ in numbered_rules(game)}
    numbers = [number for number in dict.fromkeys(_RULE.findall(text)) if number in rules]
    links = [
        f'<a class="rule" href="/rules/{game}#{number}" title="Rule {number}">{number}</a>'
        for number in numbers
    ]
    taught = lesson(game)
    terms = taught.terms if taught else {}
    marked_topics: set[str] = set()

    def without_rule(match: re.Match[str]) -> str:
        return "" if match[1] in rules else match[0]

    def marked_term(match: re.Match[str]) -> str:
        word = match[1]
        topic = terms.get(word) or terms.get(word[0].lower() + word[1:])
        if topic is None or topic in marked_topics:
            return match[0]
        marked_topics.add(topic)
        return (
            f'<span class="term" role="button" tabindex="0" data-topic="{topic}">{match[0]}</span>'
        )

    plain = _RULE.sub(without_rule, str(escape(text)))
    marked = _terms_pattern(tuple(terms)).sub(marked_term, plain).strip()
    return Markup(" ".join([marked, *links]))


@cache
def _terms_pattern(terms: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern that matches terms, also in the plural and with a capital letter."""
    patterns = []
    for term in sorted(terms, key=len, reverse=True):  # a longer term before its parts
        first = term[0]
        either_case = f"[{first}{first.upper()}]" if first.islower() else re.escape(first)
        patterns.append(either_case + re.escape(term[1:]))
    return re.compile(rf"(?<![\w+])({'|'.join(patterns) or '(?!)'})s?(?!\w)")
