"""A reader of Parquet files that refuses those that would take far more memory than games do.

A list or column of millions of equal values takes a few bytes in a file. The header of each page
says how many values it has, in Thrift's compact protocol, and the footer says where the pages are.
Polars gives no access to these headers, so this module reads them.
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

_ALWAYS_ALLOWED_BYTES = 2**26
"""Memory that any file may take, however small it is."""
_MOST_GROWTH = 256
"""Memory that a larger file may take, as a multiple of its size. Recorded games take 20 times."""
_BYTES_PER_VALUE = 16
"""The most memory that Polars takes for one value, alone or in a list.

Strings take the most. Polars keeps a view of 16 bytes for each of them.
"""
_MOST_FOOTER_BYTES = 2**22

# Numbers of the Thrift fields of the file's footer. Its row groups have the field _ROWS, too.
_ROWS = 3
_ROW_GROUPS = 4

# Numbers of the fields of a row group, of a column in it, and of the column's metadata.
_COLUMNS = 1
_METADATA = 3
_COMPRESSED_BYTES = 7
_DATA_OFFSET = 9
_DICTIONARY_OFFSET = 11

# Numbers of the fields of a page's header.
_PAGE_BYTES = 2  # uncompressed
_PAGE_COMPRESSED_BYTES = 3
_DICTIONARY_HEADER = 7
_DATA_HEADERS = (5, 8)  # versions 1 and 2
_HEADERS = (_DICTIONARY_HEADER, *_DATA_HEADERS)
_VALUE_COUNT = 1  # within each of these headers

# Types of Thrift values. The types 1 and 2 stand for true and false.
_TRUE = 1
_I8 = 3
_I64 = 6
_DOUBLE = 7
_BINARY = 8
_LIST = 9
_STRUCT = 12


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> polars.DataFrame:
    """Read all columns of a file, or some. Raises the errors of `check_parquet` and of Polars."""
    check_parquet(path)
    # Without `glob=False` Polars would take a name with `[`, `*` or `?` for a pattern.
    frame: polars.DataFrame = load_polars().read_parquet(
        source_of(path), columns=columns, glob=False
    )
    return frame


def source_of(path: Path) -> Path | bytes:
    """Return a file's path, or its content if the path is not UTF-8, which Polars needs."""
    return path if is_utf8(path) else path.read_bytes()


def check_parquet(source: Path | bytes) -> None:
    """Refuse a file, or its content, that would take memory out of all proportion to its size.

    Raises:
        OSError: There is no such file, or the path is a folder, device or pipe.
        ValueError: The file would take too much memory, or it is not a Parquet file.
    """
    size = size_of(source)
    try:
        with BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            # Every page has one of the headers of `_HEADERS`.
            needed = sum(
                max(page[_PAGE_BYTES], page[kind][_VALUE_COUNT] * _BYTES_PER_VALUE, 0)
                for page in _page_headers(file, size)
                for kind in _HEADERS
                if kind in page
            )
    except (LookupError, TypeError, AttributeError, OverflowError, RecursionError) as fault:
        raise ValueError("its footer or a page header is damaged") from fault
    check_size(needed, size, "values")


def size_of(source: Path | bytes) -> int:
    """Return the size in bytes of a file or of its content. Raises the errors of `regular_size`."""
    return len(source) if isinstance(source, bytes) else regular_size(source)


def check_size(needed: int, size: int, what: str) -> None:
    """Refuse content that takes memory out of all proportion to the bytes of its files.

    Raises:
        ValueError: The content takes more memory than recorded games can.
    """
    if needed > max(_ALWAYS_ALLOWED_BYTES, size * _MOST_GROWTH):
        memory = readable_size(needed)
        raise ValueError(
            f"the {what} in its {size:,} bytes would take {memory} of memory, as no games do"
        )


def _page_headers(file: BinaryIO, size: int) -> Iterator[Any]:
    """Yield the header of each page of a file of `size` bytes, as `_struct` reads it."""
    file.seek(max(size - 8, 0))
    end = file.read(8)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != b"PAR1" or length > min(size - 8, _MOST_FOOTER_BYTES):
        raise ValueError("it does not end as a Parquet file does")
    file.seek(size - 8 - length)
    footer = _struct(file)
    groups = footer[_ROW_GROUPS]
    if footer[_ROWS] != sum(group[_ROWS] for group in groups):
        raise ValueError("its number of rows is not the sum of its row groups")

    bytes_left = size  # bytes that no column has taken yet
    rows_and_columns = ((group[_ROWS], column) for group in groups for column in group[_COLUMNS])
    for rows, column in rows_and_columns:
        rows_left = rows  # rows that no page has held yet
        metadata = column[_METADATA]
        data_offset = metadata[_DATA_OFFSET]
        offset = min(data_offset, metadata.get(_DICTIONARY_OFFSET) or data_offset)
        stop = offset + metadata[_COMPRESSED_BYTES]
        bytes_left -= abs(metadata[_COMPRESSED_BYTES])
        if bytes_left < 0:  # the columns share pages, which would be read again and again
            raise ValueError("its columns take more bytes than the file has")
        while offset < stop:
            file.seek(offset)
            header = _struct(file)
            yield header
            offset = file.tell() + max(header[_PAGE_COMPRESSED_BYTES], 0)
            rows_left -= sum(header[kind][_VALUE_COUNT] for kind in _DATA_HEADERS if kind in header)
        if rows_left > 0:  # Polars would fill in the missing values
            raise ValueError("its footer names more rows than its columns have")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind <= _I8:  # a flag in a list, or an integer of 8 bits
        return file.read(1)[0]
    if kind <= _I64:  # an integer of 16, 32 or 64 bits
        number = _varint(file)
        # Zigzag encoding: the lowest bit is the sign.
        return (number >> 1) ^ -(number & 1)
    if kind == _DOUBLE:
        return file.read(8)
    if kind == _BINARY:
        return file.read(min(_varint(file), _MOST_FOOTER_BYTES))
    if kind == _LIST:
        head = file.read(1)[0]
        # The high four bits are the count. 15 means that the count follows.
        count = _varint(file) if head >> 4 == 15 else head >> 4
        return [_value(file, head & 15) for _ in range(count)]
    if kind == _STRUCT:
        return _struct(file)
    raise TypeError(kind)


def _struct(file: BinaryIO) -> dict[int, Any]:
    """Read a structure as its values by field number."""
    fields = {}
    number = 0
    while head := file.read(1)[0]:
        step = head >> 4
        kind = head & 15
        # A step of 0 means that the field's number follows.
        number = number + step if step else _value(file, _I64)
        is_flag = kind < _I8  # the type of a flag is its value
        fields[number] = kind == _TRUE if is_flag else _value(file, kind)
    return fields


def _varint(file: BinaryIO) -> int:
    """Read an unsigned varint: groups of seven bits, the lowest first."""
    byte = file.read(1)[0]
    if byte < 128:  # the last group
        return byte
    return (byte & 127) | (_varint(file) << 7)
