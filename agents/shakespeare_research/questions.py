"""Questions about a game, the play that answers several of them at once, and their estimates."""

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
"""Items seen in fewer deals have no estimate: its error would be unknown."""
_FIGURES = {"estimate": pl.Float64(), "error": pl.Float64(), "n": pl.Int64()}
ESTIMATES = pl.Schema({"question": pl.String(), "item": pl.String(), **_FIGURES})
"""The columns of estimates; `n` counts deals."""


@dataclass(frozen=True)
class TableSetup:
    """Where questions are asked."""

    game: Game
    facts: Mapping[str, Any]  # the content of its box file
    player: str  # who holds every seat (see `naming.make`)
    players: int  # the number of seats
    games: int  # how many to begin with; questions play more, in a fixed proportion
    seed: int  # decides deals and draws

    def dealt(self, games: int) -> dict[str, Any]:
        """Keyword arguments of `self_play` and `find_positions` for so many games."""
        fixed = {"players": self.players, "player": self.player, "seed": self.seed}
        return {"game": self.game.name, "games": games, **fixed}


Play = Callable[[TableSetup], Any]
"""Games, positions or trials from which several questions are answered."""
Answer = Callable[[TableSetup, Any], pl.DataFrame]
"""From a table and what was played to rows of `item`, `deal` and `value`, maybe with a `weight`."""


@dataclass(frozen=True)
class Question:
    """A question, answered by the means of `value` by `item`; 0 says that nothing is gained."""

    name: str
    says: str  # what the value is; `{item}` stands for the item
    play: Play  # what has to be played
    answer: Answer
    seats: int  # the fewest at which it can be asked
    matters: float  # the smallest value of note
    unit: str  # of the value


def question(
    play: Play, *, seats: int = 1, matters: float = 0.2, unit: str = "points"
) -> Callable[[Answer], Question]:
    """Make a question of a function: its name, its docstring and what it answers."""

    def made(answer: Answer) -> Question:
        says = " ".join((inspect.getdoc(answer) or "").split()).rstrip(".")
        return Question(answer.__name__, says, play, answer, seats, matters, unit)

    return made


def questions_of(game: str) -> dict[str, Question]:
    """The questions about a game by name, in the order of their definition.

    Raises:
        ValueError: there are none.
    """
    module = f"{__package__}.{game}"
    if find_spec(module) is None:
        raise ValueError(f"there are no questions about {game}; write {module}")
    entries = vars(import_module(module)).values()
    return {entry.name: entry for entry in entries if isinstance(entry, Question)}


def plays_of(questions: Iterable[Question], players: int) -> dict[str, list[Question]]:
    """The questions for a table of so many seats, by the name of the play that answers them."""
    plays: dict[str, list[Question]] = {}
    for entry in questions:
        if players >= entry.seats:
            plays.setdefault(entry.play.__name__, []).append(entry)
    return plays


def estimates(table: TableSetup, asked: list[Question]) -> pl.DataFrame:
    """Answer questions of one play: one row per question and item, `ESTIMATES`.

    Items of fewer than `FEWEST_DEALS` deals, or whose values are all equal, are left out.
    """
    try:
        played = asked[0].play(table)
        rows = [
            part.answer(table, played).with_columns(question=pl.lit(part.name)) for part in asked
        ]
    except NoPositionError:  # it never came up in this box
        return pl.DataFrame(schema=ESTIMATES)
    shape = pl.col("question"), pl.col("item").cast(pl.String), "deal", pl.col("value").cast(float)
    asked_of = pl.concat([part.select(*shape, weight=weight(part)) for part in rows])
    counted = pl.col("weight")
    sums = (pl.col("value") * counted).sum()
    return (
        by_group(asked_of, ["question", "item"], "deal", sums, counted.sum())
        .select("question", "item", "error", estimate="mean", n="clusters")
        .filter(pl.col("n") >= FEWEST_DEALS, pl.col("error") > 0)
        .select(pl.col(column).cast(kind) for column, kind in ESTIMATES.items())
    )
