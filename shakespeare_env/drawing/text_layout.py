"""Layout of text in columns and wrapped lines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

_DISCS = "⓪①②③④⑤⑥⑦⑧⑨"
GLUE = "\N{NO-BREAK SPACE}"
"""A space at which `wrapped` does not break a line."""


def columns(
    rows: Sequence[Sequence[str]], aligns: Sequence[Callable[[str, int], str]], gap: str = "  "
) -> list[str]:
    """Return rows of cells as lines, with columns as wide as their widest cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = zip(row, aligns, widths, strict=False)
        line = gap.join(align(cell, width) for cell, align, width in cells)
        lines.append(line.rstrip())
    return lines


def wrapped(text: str, width: int, indent: int) -> list[str]:
    """Wrap text, with all lines but the first indented. Parts joined by `GLUE` stay together."""
    lines = textwrap.wrap(text, width, subsequent_indent=" " * indent, break_on_hyphens=False)
    return [line.replace(GLUE, " ") for line in lines]


def disc(owner: int | str) -> str:
    """Return a character for a seat's disc, or for a neutral disc."""
    return _DISCS[owner] if isinstance(owner, int) else "Ⓝ"
