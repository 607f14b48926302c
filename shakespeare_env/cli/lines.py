"""Lines from outside, read without taking more memory than a line may have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from shakespeare_env.cli.choices import give_up

MOST_BYTES = 2**20
"""In a line; a position has some thousands."""


def check_length(data: bytes) -> bytes:
    """The same data; a ValueError's message continues "this is"."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"longer than {MOST_BYTES:,} bytes")
    return data


def standard_input() -> BinaryIO:
    """Standard input in bytes; gives up where it is closed."""
    if sys.stdin is None:  # as Python has it when the descriptor is not open
        give_up("standard input is closed; send something to it")
    return sys.stdin.buffer


class _Readable(Protocol):
    def readline(self, size: int, /) -> bytes: ...


def lines_of(stream: _Readable) -> Iterator[bytes]:
    """Lines without their newlines; of one beyond `MOST_BYTES` only a byte more than that.

    Its rest is skipped when the next line is asked for.
    """
    while line := stream.readline(MOST_BYTES + 1):
        yield line.removesuffix(b"\n")
        while len(line) > MOST_BYTES and not line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES + 1)
