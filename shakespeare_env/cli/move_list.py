"""Legal moves as a numbered list that groups similar ones to save lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shakespeare_env import Position

_FEW = 6
"""The most moves that get a line each."""
_PARTS = re.compile(r"[:>]")


def move_lines(position: Position, width: int) -> list[str]:
    """The legal moves, numbered from 1, in lines of at most `width` columns where words allow."""
    numbered = list(enumerate(position.moves(), 1))
    if len(numbered) <= _FEW:
        return [
            f"{number:>3}. {position.describe_move(move)}  ({move})" for number, move in numbered
        ]
    lines = []
    for _, group in groupby(numbered, key=lambda entry: _PARTS.split(entry[1])[:-1] or entry[1]):
        lines += _group(position, list(group), width)
    return lines


def _group(position: Position, group: Sequence[tuple[int, str]], width: int) -> list[str]:
    """The words that the moves share, then those of each."""
    words = [position.describe_move(move).split() for _, move in group]
    if len(group) == 1:
        number, move = group[0]
        return [f"{number:>3}. {' '.join(words[0])}  ({move})"]
    shared = _alike(words)
    if shared and any(len(phrase) > shared and phrase[shared].isdigit() for phrase in words):
        shared -= 1  # a number needs its word: "seat 1"
    if not shared:
        return [
            f"{number:>3}. {' '.join(phrase)}"
            for (number, _), phrase in zip(group, words, strict=True)
        ]
    ends = _alike([phrase[: shared - 1 : -1] for phrase in words])
    last = -ends or None
    head = " ".join(words[0][:shared]) + (f" … {' '.join(words[0][last:])}" if ends else "")
    cells = [
        f"{number}. {' '.join(phrase[shared:last])}"
        for (number, _), phrase in zip(group, words, strict=True)
    ]
    return _wrapped(f"     {head}:", cells, width)


def _alike(rows: Sequence[Sequence[str]]) -> int:
    """The number of words with which all rows begin."""
    columns = zip(*rows, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


def _wrapped(head: str, cells: Sequence[str], width: int) -> list[str]:
    """Cells after a heading, none broken, in as many lines as they need."""
    lines = [head]
    for cell in cells:
        if len(lines[-1]) + 3 + len(cell) > width and lines[-1].strip():
            lines.append(" " * 5)
        lines[-1] += f"   {cell}"
    return lines
