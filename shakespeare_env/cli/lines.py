"""Lines from outside, read without taking more memory than a line may have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from shakespeare_env.cli.choices import give_up

MOST_BYTES = 2**20
"""The most bytes of a line; a position has some thousands."""


def check_length(data: bytes) -> bytes:
    """The same data; a ValueError's message continues the words "this is"."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"longer than {MOST_BYTES:,} bytes")
    return data


def standard_input() -> BinaryIO:
    """Standard input in bytes; gives up where it is closed."""
    if sys.stdin is None:  # the descriptor is not open
        give_up("standard input is closed; send something to it")
    return sys.stdin.buffer


class _Readable(Protocol):
    def readline(self, size: int, /) -> bytes: ...


def lines_of(stream: _Readable) -> Iterator[bytes]:
    """Lines without their newlines.

    A longer line is cut to `MOST_BYTES` + 1 bytes and its rest skipped with the next request.
    """
    while line := stream.readline(MOST_BYTES + 1):
        yield line.removesuffix(b"\n")
        while len(line) > MOST_BYTES and not line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES + 1)
