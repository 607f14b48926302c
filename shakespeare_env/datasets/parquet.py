"""Parquet files, read only if they take no more memory than games do.

A list or column of equal values is a few bytes for millions of them.  How many there are stands
before each page, to which the footer leads, in Thrift's compact protocol; Polars does not tell it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from shakespeare_env.checks.limits import is_utf8, readable_size, regular_size
from shakespeare_env.datasets.frames import load_polars

if TYPE_CHECKING:
    import polars

_SMALL, _MOST_TIMES = 2**26, 256
"""Bytes that any file may take in memory, and times its own size that a larger one may.

Recorded games take twenty times.
"""
_BYTES_OF_A_VALUE = 16
"""The most that Polars takes for one, be it in a list: a text's view."""
_LONGEST = 2**22
"""The most bytes of a footer."""
_ROWS, _ROW_GROUPS, _COLUMNS, _ABOUT, _STORED, _DATA, _WORDS = 3, 4, 1, 3, 7, 9, 11
"""Fields of a footer, its row groups, their columns: bytes, and where data and words begin.

Footer and row groups both give a number of rows.
"""
_UNPACKED, _PACKED, _DICTIONARY, _DATA_KINDS, _VALUES = 2, 3, 7, (5, 8), 1
"""Fields before a page: its bytes, and what is said of each kind of page."""
_KINDS = (_DICTIONARY, *_DATA_KINDS)
_I8, _I64, _DOUBLE, _BINARY, _LIST, _STRUCT = 3, 6, 7, 8, 9, 12
"""Types of values; 1 and 2 are true and false."""


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> polars.DataFrame:
    """A file's rows, all columns or some; errors as of `check_parquet`, and Polars' own."""
    check_parquet(path)
    # Polars would look for a name with `[`, `*` or `?` as a pattern.
    read: polars.DataFrame = load_polars().read_parquet(
        source_of(path), columns=columns, glob=False
    )
    return read


def source_of(path: Path) -> Path | bytes:
    """Return a file as Polars takes it: by name, or its content if the name is not UTF-8."""
    return path if is_utf8(path) else path.read_bytes()


def check_parquet(source: Path | bytes) -> None:
    """Refuse a file, or its content, that would take memory out of all proportion to its size.

    Raises:
        OSError: there is no such file, or it is a folder, device or pipe.
        ValueError: it is refused, or is no Parquet file.
    """
    size = size_of(source)
    try:
        with BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            needed = sum(
                max(page[_UNPACKED], page[kind][_VALUES] * _BYTES_OF_A_VALUE, 0)
                for page in _pages(file, size)
                for kind in _KINDS
                if kind in page
            )
    except (LookupError, TypeError, AttributeError, OverflowError, RecursionError) as fault:
        raise ValueError("what it says of its pages is damaged") from fault
    check_size(needed, size, "values")


def size_of(source: Path | bytes) -> int:
    """Return the size in bytes of a file, or of its content; errors as of `regular_size`."""
    return len(source) if isinstance(source, bytes) else regular_size(source)


def check_size(needed: int, size: int, what: str) -> None:
    """Refuse content that takes memory out of all proportion to the bytes of its files.

    Raises:
        ValueError: it takes more than recorded games can.
    """
    if needed > max(_SMALL, size * _MOST_TIMES):
        words = f"the {what} in its {size:,} bytes would take {readable_size(needed)} of memory"
        raise ValueError(f"{words}, as no games do")


def _pages(file: BinaryIO, size: int) -> Iterator[Any]:
    """What stands before each page of a file."""
    file.seek(max(size - 8, 0))
    end = file.read(8)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != b"PAR1" or length > min(size - 8, _LONGEST):
        raise ValueError("it does not end as a Parquet file does")
    file.seek(size - 8 - length)
    left = size
    footer = _struct(file)
    groups = footer[_ROW_GROUPS]
    if footer[_ROWS] != sum(group[_ROWS] for group in groups):
        raise ValueError("its number of rows is not that of its parts")
    for rows, column in ((group[_ROWS], column) for group in groups for column in group[_COLUMNS]):
        about = column[_ABOUT]
        at = min(about[_DATA], about.get(_WORDS) or about[_DATA])
        stop = at + about[_STORED]
        left -= abs(about[_STORED])
        if left < 0:  # pages that are read again and again
            raise ValueError("its columns take more than the file has")
        while at < stop:
            file.seek(at)
            yield (page := _struct(file))
            at = file.tell() + max(page[_PACKED], 0)
            rows -= sum(page[kind][_VALUES] for kind in _DATA_KINDS if kind in page)
        if rows > 0:  # missing values, which would be filled in
            raise ValueError("it names more rows than its columns have")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind <= _I8:
        return file.read(1)[0]
    if kind <= _I64:
        number = _number(file)
        return number >> 1 ^ -(number & 1)
    if kind in (_DOUBLE, _BINARY):
        return file.read(8 if kind == _DOUBLE else min(_number(file), _LONGEST))
    if kind == _LIST:
        head = file.read(1)[0]
        count = _number(file) if head >> 4 == 15 else head >> 4
        return [_value(file, head & 15) for _ in range(count)]
    if kind == _STRUCT:
        return _struct(file)
    raise TypeError(kind)


def _struct(file: BinaryIO) -> dict[int, Any]:
    """The values of a structure by the numbers of its fields."""
    fields, at = {}, 0
    while head := file.read(1)[0]:
        at = at + (head >> 4) if head >> 4 else _value(file, _I64)
        is_flag = head & 15 < _I8  # the type tells its value
        fields[at] = head & 15 == 1 if is_flag else _value(file, head & 15)
    return fields


def _number(file: BinaryIO) -> int:
    """A whole number in groups of seven bits, the lowest first."""
    byte = file.read(1)[0]
    return byte if byte < 128 else byte & 127 | _number(file) << 7
