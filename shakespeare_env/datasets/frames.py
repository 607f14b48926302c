"""The columns of recorded games, and frames of them; Polars is imported when first needed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from shakespeare_env.errors import DatasetError
from shakespeare_env.extras import needing

if TYPE_CHECKING:
    import polars

FORMAT = 4
"""The format's version, which changes when readers must."""

_NAMES = {"bool": "Boolean", "uint64": "UInt64"}
"""Types that are not named as Polars does, but for capitals."""
_ROWS_IN_A_GROUP = 8192
"""Rows are read in whole groups of this size."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        kind: A type of Polars in lower case, `bool`, or `list[...]` of one.
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
    Column("value", "float32", "its entry of `values`, or null", nullable=True),
    Column("score", "int16", "the deciding seat's score at the end of the game"),
    Column("place", "int8", "the deciding seat's place"),
    Column("won", "bool", "whether that is the first; null in solo games", nullable=True),
)
"""One row per decision, by `game_id` and `number`: made on reading, by playing games again."""

TABLES: Mapping[str, Table] = {"games": GAMES, "decisions": DECISIONS}
"""The tables by name."""


def load_polars() -> Any:
    """The module `polars`; the error says how to install it."""
    return load("polars")


def load(name: str) -> Any:
    """A module that datasets need; the error says how to install it."""
    with needing("data", "datasets need"):
        return import_module(name)


def faults() -> tuple[type[BaseException], ...]:
    """The errors that Polars raises for damaged files."""
    exceptions = load_polars().exceptions
    # Some damage makes its Rust code panic, which raises no Exception.
    return exceptions.PolarsError, exceptions.PanicException, OSError, ValueError, MemoryError


def first_line(error: BaseException) -> str:
    """What an error says first, cut to fit."""
    return str(error).partition("\n")[0][:200]


@contextmanager
def named_faults(source: str) -> Iterator[None]:
    """Turn Polars' errors for damaged files into a DatasetError."""
    try:
        yield
    except DatasetError:  # a ValueError, too
        raise
    except faults() as error:
        raise DatasetError(
            f"{source}{': ' * bool(source)}Polars cannot read the games ({first_line(error)}); "
            "copy them again"
        ) from error


def polars_schema(table: Table) -> dict[str, Any]:
    """Each column's Polars type, in order."""
    pl = load_polars()
    schema: dict[str, Any] = {}
    for column in table:
        inner = column.kind.removeprefix("list[").removesuffix("]")
        dtype = getattr(pl, _NAMES.get(inner, inner.capitalize()))
        schema[column.name] = pl.List(dtype) if inner != column.kind else dtype
    return schema


def frame(table: Table, columns: Mapping[str, Sequence[Any]]) -> polars.DataFrame:
    """A frame in the table's columns (else ValueError); None marks missing values."""
    schema = polars_schema(table)
    if list(columns) != list(schema):
        raise ValueError(f"columns {list(columns)}; the table has {list(schema)}")
    made: polars.DataFrame = load_polars().DataFrame(dict(columns), schema=schema)
    return made


def by_seat(values: Sequence[Any] | NDArray[Any], seats: int) -> polars.Series:
    """Lists of `seats` values each, from the values of all lists one after the other."""
    pl = load_polars()
    flat = pl.Series(values=values)
    # Much faster than lists of Python, one by one.
    made: polars.Series = flat.reshape((-1, seats)).cast(pl.List(flat.dtype))
    return made


def parquet(frame: polars.DataFrame) -> bytes:
    """A frame as a Parquet file."""
    content = io.BytesIO()
    # There are no statistics, as nobody looks for rows by ranges of values.
    frame.write_parquet(
        content, compression="zstd", statistics=False, row_group_size=_ROWS_IN_A_GROUP
    )
    return content.getvalue()
