"""Text layout: columns and wrapped lines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

_DISCS = "⓪①②③④⑤⑥⑦⑧⑨"
GLUE = "\N{NO-BREAK SPACE}"
"""A space at which `wrapped` breaks no line."""


def columns(
    rows: Sequence[Sequence[str]], aligns: Sequence[Callable[[str, int], str]], gap: str = "  "
) -> list[str]:
    """Return rows of cells as lines, with columns as wide as their widest cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        gap.join(
            align(cell, width) for cell, align, width in zip(row, aligns, widths, strict=False)
        ).rstrip()
        for row in rows
    ]


def wrapped(text: str, width: int, first: str, other: str) -> list[str]:
    """Wrap text, indented by `first` and then `other`; parts joined by `GLUE` stay together."""
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=other, break_on_hyphens=False
    )
    return [line.replace(GLUE, " ") for line in lines]


def disc(owner: int | str) -> str:
    """Return the sign of a seat's disc, or of a neutral one, in one column."""
    return _DISCS[owner] if isinstance(owner, int) else "Ⓝ"
