"""The columns of a dataset's two tables, declared once: files, reader and page follow from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FORMAT = 2
"""Version of the schema and of the folder; it changes when a reader would have to."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: As the files have it.
        kind: Type of its values: one of `frames.KINDS`, or `list[...]` of one.
        description: What they are.
        nullable: Whether a value may be missing, for the reason that the description gives.
    """

    name: str
    kind: str
    description: str
    nullable: bool = False


Table = tuple[Column, ...]

GAMES: Table = (
    Column("game_id", "int64", "number of the game, from 0: deal × seats + rotation"),
    Column("game", "string", "name of the game"),
    Column("seed", "uint64", "seed of the dataset, the same in every row"),
    Column("deal", "int64", "the game begins as game `deal` of `Batch(seed=seed)`"),
    Column("rotation", "int8", "by how many seats the table has moved on for this deal"),
    Column("players", "int8", "seats at the table"),
    Column("variants", "list[string]", "the variants played with, as `--option` names them"),
    Column("agents", "list[string]", "who sits at each seat, seat 0 first, as named when recorded"),
    Column("first_position", "string", "the position before the first move, in notation, as JSON"),
    Column("moves", "list[string]", "all moves in order; forced ones are none (rule D1)"),
    Column("last_position", "string", "the position at the end, in notation, as JSON"),
    Column("final_scores", "list[int16]", "by seat"),
    Column("winners", "list[int8]", "the seats that have won; empty at a table of one seat"),
    Column("decisions", "int32", "how many moves there are"),
    Column("package_version", "string", "version of shakespeare-env that played"),
    Column("box_digest", "string", "SHA-256 of the component file played with"),
)
"""One row for each game, by `game_id`."""

DECISIONS: Table = (
    Column("game_id", "int64", "the game, as in the table of games"),
    Column("number", "int32", "how many decisions of the game came before, so the first has 0"),
    Column("seat", "int8", "who decides"),
    Column("agent", "string", "the agent at that seat"),
    Column("phase", "string", "the phase, in the words of the notation"),
    Column("position", "string", "the whole position before the move, in notation, as JSON"),
    Column("legal_moves", "list[string]", "all legal moves, in the order of the action table"),
    Column("move", "string", "the move that was chosen"),
    Column("is_secret", "bool", "whether the other seats are not told the move when it is played"),
    Column(
        "value",
        "float32",
        "what the deciding agent expects, in units of the reward it was trained with; null for "
        "agents that estimate nothing",
        nullable=True,
    ),
    Column("final_score", "int16", "the deciding seat's score at the end of the game"),
    Column(
        "won",
        "bool",
        "whether the deciding seat is among the winners; null at a table of one seat",
        nullable=True,
    ),
)
"""One row for each decision, by `game_id` and `number`."""

TABLES: Mapping[str, Table] = {"games": GAMES, "decisions": DECISIONS}
"""The tables by name; a shard's files are named after them."""


def markdown(table: Table) -> str:
    """A table's columns as Markdown, for the page on datasets."""
    rows = [
        f"| `{column.name}` | {column.kind}{' or null' * column.nullable} | {column.description} |"
        for column in table
    ]
    return "\n".join(["| Column | Type | What it is |", "|---|---|---|", *rows]) + "\n"
