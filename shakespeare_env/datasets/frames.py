"""The columns as Polars types; Polars is imported when first needed."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from shakespeare_env.datasets.schema import Table
from shakespeare_env.extras import needing

if TYPE_CHECKING:
    import polars

KINDS = {
    "bool": "Boolean",
    "int8": "Int8",
    "int16": "Int16",
    "int32": "Int32",
    "int64": "Int64",
    "uint64": "UInt64",
    "float32": "Float32",
    "string": "String",
}
"""Types of values, named as Polars does."""


_ROWS_IN_A_GROUP = 8192
"""Rows are read in whole groups of this size."""


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


def polars_schema(table: Table) -> dict[str, Any]:
    """Each column's Polars type, in order."""
    pl = load_polars()
    schema: dict[str, Any] = {}
    for column in table:
        inner = column.kind.removeprefix("list[").removesuffix("]")
        dtype = getattr(pl, KINDS[inner])
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
