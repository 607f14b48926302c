"""Columns of recorded games, and frames with these columns.

Polars is imported when it is first needed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shakespeare_env.errors import DatasetError
from shakespeare_env.extras import requires_extra

if TYPE_CHECKING:
    import polars

_POLARS_NAMES = {"bool": "Boolean", "uint64": "UInt64"}
"""The types whose names in Polars differ from ours by more than a capital first letter."""
_ROWS_IN_A_GROUP = 8192  # of a Parquet file
Schema = Mapping[str, str]
"""The types of a table's columns: Polars types in lower case, `bool`, or `list[...]` of one.

docs/datasets.md and docs/arena.md say what the columns mean.
"""

_PLAYED = {
    "game": "string",
    "box_digest": "string",
    "package_version": "string",
    "variants": "list[string]",
    "players": "int8",
    "seed": "uint64",
    "deal": "int64",
    "rotation": "int8",
    "agents": "list[string]",
}
_ENDED = {"scores": "list[int16]", "places": "list[int8]"}
_ACTIONS = {"actions": "list[int16]"}
RECORDED: Schema = {**_PLAYED, **_ENDED, **_ACTIONS}
"""The columns from which a game can be played again and its end checked.

Datasets and an arena's results have them.

Forced moves are played automatically, so they are not among the actions.
"""

GAMES: Schema = {"game_id": "int64", **RECORDED, "values": "list[float32]"}
"""One row per recorded game, by `game_id`."""

DECISIONS: Schema = {
    "game_id": "int64",
    "number": "int32",
    "seat": "int8",
    "agent": "string",
    "phase": "string",
    "position": "string",
    "legal_actions": "list[int16]",
    "legal_moves": "list[string]",
    "action": "int16",
    "move": "string",
    "is_secret": "bool",
    "value": "float32",
    "score": "int16",
    "place": "int8",
    "won": "bool",
}
"""One row per decision, by `game_id` and `number`. They are made by playing games again."""

RESULTS: Schema = {
    "key": "string",
    "match": "string",
    **_PLAYED,
    "digests": "list[string]",
    **_ENDED,
    "forfeited_by": "int8",
    "fault": "string",
    "fault_details": "string",
    "seconds": "list[float32]",
    "decisions": "list[int32]",
    **_ACTIONS,
    "values": "list[float32]",
}
"""One row per finished game of an arena or a dataset.

Only datasets have `values`, which are null in an arena.
"""


def load_polars() -> Any:
    """Import and return `polars`. If it is missing, the error says how to install it."""
    with requires_extra("data", "datasets need"):
        return import_module("polars")


def parquet_errors() -> tuple[type[BaseException], ...]:
    """Return the errors that Polars raises for damaged files."""
    exceptions = load_polars().exceptions
    # Some damage makes Polars' Rust code panic. PanicException does not inherit from Exception.
    return exceptions.PolarsError, exceptions.PanicException, OSError, ValueError, MemoryError


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, cut to 200 characters."""
    return str(error).partition("\n")[0][:200]


@contextmanager
def naming_source(source: str) -> Iterator[None]:
    """Name the source in DatasetErrors, and turn Polars' errors for damaged files into them."""
    try:
        yield
    except DatasetError as error:  # it is a ValueError, which the next branch would catch
        raise DatasetError(f"{source}: {error}") from error
    except parquet_errors() as error:
        raise DatasetError(
            f"{source}: Polars cannot read the games ({first_line(error)}); copy them again"
        ) from error


def polars_schema(table: Schema) -> dict[str, Any]:
    """Return the Polars type of each column, in order."""
    pl = load_polars()
    schema: dict[str, Any] = {}
    for name, kind in table.items():
        inner = kind.removeprefix("list[").removesuffix("]")
        dtype = getattr(pl, _POLARS_NAMES.get(inner, inner.capitalize()))
        schema[name] = pl.List(dtype) if inner != kind else dtype
    return schema


def frame(table: Schema, columns: Mapping[str, Sequence[Any]]) -> polars.DataFrame:
    """Return a frame of columns, in which None marks missing values.

    Raises:
        ValueError: The columns are not those of the table.
    """
    schema = polars_schema(table)
    if list(columns) != list(schema):
        raise ValueError(f"the columns are {list(columns)}, but the table has {list(schema)}")
    result: polars.DataFrame = load_polars().DataFrame(dict(columns), schema=schema)
    return result


def check_unique(games: polars.DataFrame | polars.LazyFrame, column: str, remedy: str) -> None:
    """Raise DatasetError if two games have the same value in a column.

    Frames that were put together may hold such games, and counts by that column would take them for
    one game.
    """
    pl = load_polars()
    values = games.lazy().select(column).drop_nulls()
    repeated = values.filter(pl.col(column).is_duplicated()).head(1).collect()
    if repeated.height:
        raise DatasetError(f"several games have the {column} {repeated.item()}; {remedy}")


def parquet_bytes(frame: polars.DataFrame) -> bytes:
    """Return the content of a Parquet file that holds a frame."""
    content = io.BytesIO()
    # Statistics would be useless, since nobody looks for rows by ranges of values.
    frame.write_parquet(
        content, compression="zstd", statistics=False, row_group_size=_ROWS_IN_A_GROUP
    )
    return content.getvalue()
