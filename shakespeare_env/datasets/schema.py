"""The columns of a dataset: those of its files, and those computed on reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FORMAT = 4
"""The format's version, which changes when readers must."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        kind: One of `frames.KINDS`, or `list[...]` of one.
        nullable: Whether values may be missing; the description says why.
    """

    name: str
    kind: str
    description: str
    nullable: bool = False


Table = tuple[Column, ...]

RECORDED: Mapping[str, Column] = {
    column.name: column
    for column in (
        Column("game", "string", "name of the game"),
        Column("box_digest", "string", "digest of the box played with"),
        Column("package_version", "string", "version of shakespeare-env that played"),
        Column("variants", "list[string]", "the variants played"),
        Column("players", "int8", "seats at the table"),
        Column("seed", "uint64", "seed of the deals and of the agents' draws"),
        Column("deal", "int64", "the game starts as game `deal` of `Batch(seed=seed)`"),
        Column(
            "rotation",
            "int8",
            "number of the game among those of its deal; in an arena the seats that the line-up "
            "has moved on",
        ),
        Column("agents", "list[string]", "the agents' names, by seat"),
        Column("scores", "list[int16]", "by seat, at the end or where the game was stopped"),
        Column("places", "list[int8]", "by seat, 1 the first; seats that tie share the best place"),
        Column("actions", "list[int16]", "the ids of all actions chosen, in order"),
    )
}
"""The columns that decide a recorded game and its end, in datasets and in an arena's results.

Forced moves are played automatically and are not among the actions.
"""

GAMES: Table = (
    Column("game_id", "int64", "number of the game, from 0"),
    *RECORDED.values(),
    Column(
        "values",
        "list[float32]",
        "beside each action, the return that the deciding agent expects, in units of its training "
        "reward; null entries where an agent estimates none",
    ),
)
"""One row per game, by `game_id`: what is stored."""

DECISIONS: Table = (
    Column("game_id", "int64", "the game, as in the table of games"),
    Column("number", "int32", "number of the decision in the game, from 0"),
    Column("seat", "int8", "who decides"),
    Column("agent", "string", "the agent at that seat"),
    Column("phase", "string", "the phase, as the notation names it"),
    Column("position", "string", "the whole position before the move, in notation, as JSON"),
    Column("legal_actions", "list[int16]", "the ids of all legal actions, ascending"),
    Column("legal_moves", "list[string]", "their texts"),
    Column("action", "int16", "the id of the action chosen"),
    Column("move", "string", "its text"),
    Column("is_secret", "bool", "whether the move is hidden from the other seats"),
    Column(
        "value",
        "float32",
        "of `values`, its own: the return that the deciding agent expects, in units of its "
        "training reward; null for agents that estimate none",
        nullable=True,
    ),
    Column("score", "int16", "of `scores`, that of the deciding seat: at the end of the game"),
    Column("place", "int8", "of `places`, that of the deciding seat"),
    Column("won", "bool", "whether that is the first; null in solo games", nullable=True),
)
"""One row per decision, by `game_id` and `number`: made on reading, by playing games again."""

TABLES: Mapping[str, Table] = {"games": GAMES, "decisions": DECISIONS}
"""The tables by name."""


def markdown(table: Table) -> str:
    """A table's columns as Markdown, for docs/datasets.md."""
    rows = [
        f"| `{column.name}` | {column.kind}{' or null' * column.nullable} | {column.description} |"
        for column in table
    ]
    return "\n".join(["| Column | Type | What it is |", "|---|---|---|", *rows]) + "\n"
