"""Questions about good play, which are answered by estimates from played games.

A question is asked about items, such as the cards of a game. One set of games can answer several
questions. The answers hold for one box, which is a set of the game's cards and numbers. A deal is
the setup that a game begins from.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import polars as pl

from shakespeare_arena.intervals import by_group
from shakespeare_env.core.game import Game
from shakespeare_research.groups import weight
from shakespeare_research.trials import NoPositionError

FEWEST_DEALS = 10
"""Items seen in fewer deals have no estimate, as its error would be unknown."""
ESTIMATES = pl.Schema(
    {
        "question": pl.String(),
        "item": pl.String(),
        "estimate": pl.Float64(),
        "error": pl.Float64(),
        "n": pl.Int64(),
    }
)
"""The columns of estimates; `error` is the standard error, and `n` counts deals."""


@dataclass(frozen=True)
class TableSetup:
    """The box, number of seats and player that a question is asked about."""

    game: Game
    facts: Mapping[str, Any]  # the content of its box file
    player: str  # the agent that holds every seat (see `making.make`)
    players: int  # the number of seats
    games: int  # the number of games to begin with; questions play a fixed multiple of it
    seed: int  # decides deals and draws

    def self_play(self, games: int) -> dict[str, Any]:
        """Return keyword arguments of `self_play` and `find_positions` for some games."""
        return {
            "game": self.game.name,
            "games": games,
            "players": self.players,
            "agents": [self.player],
            "seed": self.seed,
        }


Play = Callable[[TableSetup], Any]
"""Plays games and returns them, positions or trials, from which questions are answered."""
Answer = Callable[[TableSetup, Any], pl.DataFrame]
"""Turns the games played at a table into rows of `item`, `deal`, `value` and perhaps `weight`."""


@dataclass(frozen=True)
class Question:
    """A question whose answer is the mean of `value` by `item`. A mean of 0 means no difference."""

    name: str
    meaning: str  # what the value means; `{item}` stands for the item
    play: Play  # plays the games that it needs
    answer: Answer
    seats: int  # the fewest seats at which it can be asked
    matters: float  # the smallest value that matters
    unit: str  # of the value


def question(
    play: Play, *, seats: int = 1, matters: float = 0.2, unit: str = "points"
) -> Callable[[Answer], Question]:
    """Return a decorator that turns an `Answer` into a question.

    The question has the function's name, and its docstring as `meaning`.
    """

    def decorate(answer: Answer) -> Question:
        meaning = " ".join((inspect.getdoc(answer) or "").split()).rstrip(".")
        return Question(answer.__name__, meaning, play, answer, seats, matters, unit)

    return decorate


def questions_of(game: str) -> dict[str, Question]:
    """Return the questions about a game by name, in the order of their definition.

    Raises:
        ValueError: There are none.
    """
    module = f"{__package__}.{game}"
    if find_spec(module) is None:
        raise ValueError(f"there are no questions about {game}; write them in {module}")
    entries = vars(import_module(module)).values()
    return {entry.name: entry for entry in entries if isinstance(entry, Question)}


def plays_of(questions: Iterable[Question], players: int) -> dict[str, list[Question]]:
    """Return the questions for this number of seats, by the name of the play that answers them."""
    plays: dict[str, list[Question]] = {}
    for entry in questions:
        if players >= entry.seats:
            plays.setdefault(entry.play.__name__, []).append(entry)
    return plays


def estimates(table: TableSetup, questions: list[Question]) -> pl.DataFrame:
    """Answer questions that share a play, with a row of `ESTIMATES` per question and item.

    Items of fewer than `FEWEST_DEALS` deals are left out, and so are those whose values are all
    equal.
    """
    try:
        played = questions[0].play(table)
        rows = [
            entry.answer(table, played).with_columns(question=pl.lit(entry.name))
            for entry in questions
        ]
    except NoPositionError:  # no such position came up in this box
        return pl.DataFrame(schema=ESTIMATES)
    columns = [
        pl.col("question"),
        pl.col("item").cast(pl.String),
        pl.col("deal"),
        pl.col("value").cast(float),
    ]
    answers = pl.concat([part.select(*columns, weight=weight(part)) for part in rows])
    weights = pl.col("weight")
    groups = by_group(
        answers,
        by=["question", "item"],
        cluster="deal",
        sums=(pl.col("value") * weights).sum(),
        counts=weights.sum(),
    )
    return (
        groups.select("question", "item", "error", estimate="mean", n="clusters")
        .filter(pl.col("n") >= FEWEST_DEALS, pl.col("error") > 0)
        .select(pl.col(column).cast(kind) for column, kind in ESTIMATES.items())
    )
