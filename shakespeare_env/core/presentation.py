"""The presentation of a game to people: drawings, words, and the parts of the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from shakespeare_env.core.seat_names import seat_placeholder, with_names


@dataclass(frozen=True)
class Piece:
    """A part of the board that stands by itself, such as a card.

    Attributes:
        name: The piece's name, unique on a board, of letters, digits, `-` and `_`.
        title: The title that screen readers say.
        block: The drawing, a `drawing.shapes.Block`, at the size at which it reads best.
    """

    name: str
    title: str
    block: Any


@dataclass(frozen=True)
class Panel:
    """A group of pieces that belong together.

    Attributes:
        name: The panel's name, unique on a board, of letters, digits, `-` and `_`.
        title: The title that screen readers say.
        pieces: The pieces in reading order.
        seat: The seat that they belong to; None for those of the table.
        summary: A short form of the panel in a few lines. It keeps the places that other seats
            click when they move. None if there is no summary.
        aside: Whether people look at it only now and then.
    """

    name: str
    title: str
    pieces: Sequence[Piece]
    seat: int | None = None
    summary: Piece | None = None
    aside: bool = False


@dataclass(frozen=True)
class Headline:
    """A description in words of where a game stands.

    Attributes:
        game: The game's title.
        table: The number of seats and the variants.
        progress: How far the game is, such as the day or the round.
        phase: The phase.
        sentence: A sentence that says who decides what, or who has won.
        aside: A remark beside the sentence; empty if there is none.
    """

    game: str
    table: str
    progress: str
    phase: str
    sentence: str
    aside: str = ""

    def named(self, names: Sequence[str]) -> Self:
        """Return the headline with the players' names, by seat, in place of its placeholders."""
        return replace(
            self,
            phase=with_names(self.phase, names),
            sentence=with_names(self.sentence, names),
            aside=with_names(self.aside, names),
        )


@dataclass(frozen=True)
class Event:
    """One effect, with its cause, of a move or of what the game did by itself after the move.

    Attributes:
        seat: The seat that is affected; None for the table.
        text: The effect in words, amounts included, with placeholders for `seat_names.with_names`.
        source: The source of the points, in a word or two, as the score sheet names it.
        points: The change of the seat's score.
        counters: The changes of the seat's other counters, by name.
    """

    seat: int | None
    text: str
    source: str = ""
    points: int = 0
    counters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Topic:
    """An explanation of a card, a move or a thing on the table; `str` gives all of its lines.

    The texts have placeholders for `seat_names.with_names`.

    Attributes:
        text: A description of what it does in any position.
        now: A sentence about this position. If there are `values`, the words that introduce them.
        values: A text about each seat in this position, by seat; empty if it says nothing of seats.
        title: Its title; empty if its name is a good title.
        places: The clickable places of the board that show this topic, besides the places with the
            topic's own name. A place includes all places inside it. The name of a place that every
            seat has is given without the number of the seat.
    """

    text: str
    now: str = ""
    values: tuple[str, ...] = ()
    title: str = ""
    places: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.named(())

    def named(self, names: Sequence[str]) -> str:
        """Return the text, followed by the line about this position if there is one.

        Args:
            names: The players' names by seat; without names, seats stay numbers.
        """
        lines = [self.text]
        if self.values:
            by_seat = "; ".join(
                f"{seat_placeholder(seat)}: {value}" for seat, value in enumerate(self.values)
            )
            lines.append(f"{self.now}: {by_seat}.")
        elif self.now:
            lines.append(self.now)
        return with_names("\n".join(lines), names)


@dataclass(frozen=True)
class NextScoring:
    """The changes that the next scoring would bring every seat if it took place now.

    Attributes:
        condition: The condition in words, such as "if the round ended now".
        points: The change of the score, by seat.
        more: What else it brings, in words, by seat; empty where it brings nothing else.
    """

    condition: str
    points: Sequence[int]
    more: Sequence[str]


@dataclass(frozen=True)
class Presentation:
    """The functions that draw a game's positions and put them in words.

    A position is given as the notation's JSON object (`dict`), complete or as a seat sees it. Names
    are those of the players by seat; without names, seats stay numbers.

    Attributes:
        chapter: The key of a position whose value changes with each new day or round. Spectators
            are shown the table whenever it changes.
        draw: (dict) -> the position as text of at most 80 columns.
        picture: (dict, names) -> the position as an SVG document.
        board: (dict, names) -> the position in pieces: the table first, then the seats in order.
            Every place has an attribute `data-place`.
        headline: (dict, names) -> where the game stands, in words.
        places: (dict, move) -> the places to click, one after the other, in order to play a legal
            move; none for moves that have no place on the board. Several moves may share places.
        needs_confirming: (dict, legal move) -> whether people confirm the move before it is played,
            since a slip of the finger would be expensive. Such a move decides on a day, on a round
            or on the rest of the game.
        seat_colours: The fill and the lettering of each seat in the drawings.
        topics: (dict) -> a `Topic` on each card, move and thing on the table, in our own words, by
            its lower-case name in moves.
        events: (record, legal action, record after it, seat) -> all effects in order, as far as the
            seat may know them. If the seat is None, these are all effects. If it is `SPECTATOR`,
            they are those that everybody knows. Points and counters add up to the changes of each
            seat.
        score_sheet: (dict) -> (source, points by seat) for each source. The points of a seat add up
            to its score.
        score_sign: The sign of points as people read them: -1 if the points are lengths, of which
            the least wins.
        next_scoring: (dict) -> the `NextScoring` of the position, or None if no scoring is to come.
            It follows from what every seat knows.
        consequences: The consequences of a decision, each a `core.consequences.Consequence`, that
            sentences about mistakes may name. Without any, only the rows of the score sheet explain
            a mistake.
    """

    chapter: str
    draw: Callable[[Mapping[str, Any]], str]
    picture: Callable[..., str]
    board: Callable[[Mapping[str, Any], Sequence[str]], list[Panel]]
    headline: Callable[..., Headline]
    places: Callable[[Mapping[str, Any], str], tuple[str, ...]]
    needs_confirming: Callable[[Mapping[str, Any], str], bool]
    seat_colours: tuple[tuple[str, str], ...]
    topics: Callable[[Mapping[str, Any]], Mapping[str, Topic]]
    events: Callable[[Any, int, Any, int | None], list[Event]]
    score_sheet: Callable[[Mapping[str, Any]], list[tuple[str, list[int]]]]
    score_sign: int = 1
    next_scoring: Callable[[Mapping[str, Any]], NextScoring | None] = lambda position: None
    consequences: Sequence[Any] = ()
