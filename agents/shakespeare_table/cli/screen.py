"""Output to a screen, in colour where it has some.

Where output goes to a file or a pipe, there is no colour and no limit, unless the environment
variables COLUMNS and LINES set one.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Mapping
from io import TextIOWrapper
from typing import Any

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.text import Text
from rich.theme import Theme

from shakespeare_env.core.game import Game

NO_LIMIT = 10_000
_SEATS = ("cyan", "magenta", "yellow", "green", "blue", "grey58")
"""Colours by seat; the last belongs to a game whose cards are red."""
_STYLES = {
    **{f"on_screen.seat{seat}": f"bold {colour}" for seat, colour in enumerate(_SEATS)},
    "on_screen.mine": "reverse",
    "on_screen.now": "bold",
    "on_screen.number": "bold",
    "on_screen.frame": "dim",
}


class _OnScreen(RegexHighlighter):
    base_style = "on_screen."
    highlights = [  # noqa: RUF012 - as in its base class
        r"(?P<frame>[─│┌┐└┘├┤┬┴┼█]+)",
        *(
            rf"(?P<seat{seat}>\b[Ss]eat {seat}\b(?: \([^)\n]*\))?|{'⓪①②③④⑤'[seat]})"
            for seat in range(len(_SEATS))
        ),
        r"(?P<number>(?:^|(?<=   )| {2,})\d+\.)(?= )",
        r"(?P<now>▶[^\n]*)",
        r"(?P<mine>\b[Ss]eat \d+ \(you\))",
    ]


def size() -> tuple[int, int]:
    """Columns and lines of the screen."""
    limits = (NO_LIMIT, NO_LIMIT)
    if is_terminal():
        limits = (80, 24)
    width, height = shutil.get_terminal_size(limits)
    return max(20, width), height


def is_terminal() -> bool:
    """Whether a person looks at the output."""
    return sys.stdout is not None and sys.stdout.isatty()


def console() -> Console:
    """Standard output, in colour if it has any; signs that it lacks become `?`."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(width=size()[0], theme=Theme(_STYLES), highlight=False)


def coloured(text: str) -> Text:
    """Text without markup, for `console`."""
    shown = Text(text)
    _OnScreen().highlight(shown)
    return shown


def print_text(text: str = "") -> None:
    """Print lines as they are, in colour."""
    console().print(coloured(text), soft_wrap=True)


def print_wrapped(text: str, indent: int) -> None:
    """Print a line that goes on, indented, where it is too long."""
    width, _ = size()
    hanging = " " * min(indent, width // 2)
    print_text("\n".join(textwrap.wrap(text, width, subsequent_indent=hanging)) or text)


def print_position(game: Game, position: Mapping[str, Any]) -> None:
    """Draw a position."""
    print_text(f"\n{game.presentation.draw(position)}\n")
