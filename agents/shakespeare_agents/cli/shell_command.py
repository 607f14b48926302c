"""Commands to copy into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

_WIDTH = 78
"""Columns."""
_NEXT_LINE = " \\"


def command_to_copy(parts: Sequence[Sequence[str]], moves: Sequence[str] = ()) -> str:
    r"""A command in lines that are not too long, with `\` where a shell would end the command.

    Args:
        parts: Words that stay on one line, such as an option and its value.
        moves: For `--moves`, which takes white space of any kind between them.
    """
    pieces = [(shlex.join(part), _NEXT_LINE) for part in parts]
    if moves:
        first, *others = shlex.quote(" ".join(moves)).split(" ")
        pieces.append((f"--moves {first}", _NEXT_LINE))
        pieces += [(move, "") for move in others]  # a quoted text may span lines
    lines = [f"  {pieces[0][0]}"]
    for piece, end in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) + len(_NEXT_LINE) <= _WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines[-1] += end
            lines.append(f"    {piece}")
    return "\n".join(lines)
