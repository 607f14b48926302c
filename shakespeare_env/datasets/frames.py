"""The columns of recorded games, and frames of them; Polars is imported when first needed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shakespeare_env.errors import DatasetError
from shakespeare_env.extras import needing

if TYPE_CHECKING:
    import polars

_NAMES = {"bool": "Boolean", "uint64": "UInt64"}
"""Types that are not named as Polars does, but for capitals."""
_ROWS_IN_A_GROUP = 8192
Schema = Mapping[str, str]
"""A table's columns by name: types of Polars in lower case, `bool`, or `list[...]` of one.

docs/datasets.md and docs/arena.md say what they mean.
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
"""What decides a recorded game and its end, in datasets and in an arena's results.

Forced moves are played automatically and are not among the actions.
"""

GAMES: Schema = {"game_id": "int64", **RECORDED, "values": "list[float32]"}
"""One row per game, by `game_id`: what is stored."""

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
"""One row per decision, by `game_id` and `number`: made on reading, by playing games again."""

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
"""One row per finished game, of arenas and of recordings, whose `values` are not null."""


def load_polars() -> Any:
    """The module `polars`; the error says how to install it."""
    return load_library("polars")


def load_library(name: str) -> Any:
    """A module that datasets need; the error says how to install it."""
    with needing("data", "datasets need"):
        return import_module(name)


def parquet_errors() -> tuple[type[BaseException], ...]:
    """The errors that Polars raises for damaged files."""
    exceptions = load_polars().exceptions
    # Some damage makes its Rust code panic, which raises no Exception.
    return exceptions.PolarsError, exceptions.PanicException, OSError, ValueError, MemoryError


def first_line(error: BaseException) -> str:
    """What an error says first, cut to fit."""
    return str(error).partition("\n")[0][:200]


@contextmanager
def naming_source(source: str) -> Iterator[None]:
    """Name the source in DatasetErrors, which Polars' errors for damaged files become, too."""
    try:
        yield
    except DatasetError as error:  # a ValueError, too
        raise DatasetError(f"{source}: {error}") from error
    except parquet_errors() as error:
        raise DatasetError(
            f"{source}: Polars cannot read the games ({first_line(error)}); copy them again"
        ) from error


def polars_schema(table: Schema) -> dict[str, Any]:
    """Each column's Polars type, in order."""
    pl = load_polars()
    schema: dict[str, Any] = {}
    for name, kind in table.items():
        inner = kind.removeprefix("list[").removesuffix("]")
        dtype = getattr(pl, _NAMES.get(inner, inner.capitalize()))
        schema[name] = pl.List(dtype) if inner != kind else dtype
    return schema


def frame(table: Schema, columns: Mapping[str, Sequence[Any]]) -> polars.DataFrame:
    """A frame in the table's columns (else ValueError); None marks missing values."""
    schema = polars_schema(table)
    if list(columns) != list(schema):
        raise ValueError(f"columns {list(columns)}; the table has {list(schema)}")
    made: polars.DataFrame = load_polars().DataFrame(dict(columns), schema=schema)
    return made


def check_unique(games: polars.DataFrame | polars.LazyFrame, column: str, remedy: str) -> None:
    """Raise DatasetError if two games have the same value in a column, as frames put together may.

    Counts and lengths by that column would take them for one game.
    """
    pl = load_polars()
    held = games.lazy().select(column).drop_nulls()
    twice = held.filter(pl.col(column).is_duplicated()).head(1).collect()
    if twice.height:
        raise DatasetError(f"several games have the {column} {twice.item()}; {remedy}")


def parquet_bytes(frame: polars.DataFrame) -> bytes:
    """A frame as a Parquet file."""
    content = io.BytesIO()
    # There are no statistics, as nobody looks for rows by ranges of values.
    frame.write_parquet(
        content, compression="zstd", statistics=False, row_group_size=_ROWS_IN_A_GROUP
    )
    return content.getvalue()
