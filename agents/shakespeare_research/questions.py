"""Questions about a game, the play that answers several of them at once, and their estimates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import polars as pl

from shakespeare_arena.intervals import clustered_error
from shakespeare_env.core.game import Game
from shakespeare_research.groups import weight
from shakespeare_research.trials import NoPositionError

FEWEST_DEALS = 10
"""Items seen in fewer deals have no estimate: its error would be unknown."""
ESTIMATES = {
    **{"question": pl.String, "item": pl.String},
    **{"estimate": pl.Float64, "error": pl.Float64, "n": pl.Int64},
}
"""The columns of estimates; `n` counts deals."""


@dataclass(frozen=True)
class Table:
    """Where questions are asked.

    Attributes:
        game: The game.
        facts: The content of its box file.
        player: Who holds every seat (see `registry.make`).
        players: The number of seats.
        games: How many games to begin with; questions play more, in a fixed proportion.
        seed: Decides deals and draws.
    """

    game: Game
    facts: Mapping[str, Any]
    player: str
    players: int
    games: int
    seed: int

    def dealt(self, games: int) -> dict[str, Any]:
        """Keyword arguments of `self_play` and `find_positions` for so many games."""
        given = {"players": self.players, "games": games, "player": self.player}
        return {**given, "seed": self.seed}


Play = Callable[[Table], Any]
"""Games, positions or trials from which several questions are answered."""
Answer = Callable[[Table, Any], pl.DataFrame]
"""From a table and what was played to rows of `item`, `deal` and `value`, maybe with a `weight`."""


@dataclass(frozen=True)
class Question:
    """A question, answered by the means of `value` by `item`; 0 says that nothing is gained.

    Attributes:
        name: Its name.
        says: What the value is; `{item}` stands for the item.
        play: What has to be played.
        answer: See `Answer`.
        seats: The fewest at which it can be asked.
        matters: The smallest value of note.
        unit: Of the value.
    """

    name: str
    says: str
    play: Play
    answer: Answer
    seats: int
    matters: float
    unit: str

    def label(self, item: str) -> str:
        """What the value of an item is, in words."""
        return self.says.format(item=item)


class Questions:
    """The questions about a game, in the order of their definition."""

    def __init__(self) -> None:
        self._asked: dict[str, Question] = {}

    def __iter__(self) -> Iterator[Question]:
        return iter(self._asked.values())

    def __getitem__(self, name: str) -> Question:
        return self._asked[name]

    def answered_by(
        self, play: Play, *, seats: int = 1, matters: float = 0.2, unit: str = "points"
    ) -> Callable[[Answer], Answer]:
        """Make a question of a function: its name, its docstring and what it answers."""

        def add(answer: Answer) -> Answer:
            says = " ".join((inspect.getdoc(answer) or "").split()).rstrip(".")
            name = answer.__name__
            self._asked[name] = Question(name, says, play, answer, seats, matters, unit)
            return answer

        return add

    def plays(self, players: int) -> dict[str, list[Question]]:
        """The questions for a table of so many seats, by the name of the play that answers them."""
        found: dict[str, list[Question]] = {}
        for one in self:
            if players >= one.seats:
                found.setdefault(one.play.__name__, []).append(one)
        return found


def questions_of(game: str) -> Questions:
    """The questions about a game.

    Raises:
        ValueError: there are none.
    """
    module = f"{__package__}.{game}"
    if find_spec(module) is None:
        raise ValueError(f"there are no questions about {game}; write {module}")
    found: Questions = import_module(module).QUESTIONS
    return found


def estimates(table: Table, asked: list[Question]) -> pl.DataFrame:
    """Answer questions of one play: one row per question and item, `ESTIMATES`.

    Items of fewer than `FEWEST_DEALS` deals, or whose values are all equal, are left out.
    """
    try:
        played = asked[0].play(table)
        rows = [one.answer(table, played).with_columns(question=pl.lit(one.name)) for one in asked]
    except NoPositionError:  # it never came up in this box
        return pl.DataFrame(schema=ESTIMATES)
    shape = pl.col("question"), pl.col("item").cast(pl.String), "deal", pl.col("value").cast(float)
    deals = (
        pl.concat([one.select(*shape, weight=weight(one)) for one in rows])
        .group_by("question", "item", "deal")
        .agg(sum=(pl.col("value") * pl.col("weight")).sum(), count=pl.col("weight").sum())
    )
    sums, counts = pl.col("sum"), pl.col("count")
    found = deals.group_by("question", "item").agg(
        estimate=sums.sum() / counts.sum(), error=clustered_error(sums, counts), n=pl.len()
    )
    kept = found.filter(pl.col("n") >= FEWEST_DEALS, pl.col("error") > 0)
    return kept.sort("question", "item").select(
        pl.col(name).cast(kind) for name, kind in ESTIMATES.items()
    )
