"""Output to a screen, in colour if the screen has colours.

Output to a file or a pipe has no colour. Its width and height have no limit unless the environment
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
"""The number of columns or lines that stands for no limit."""
_SEAT_COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "grey58")
"""The colour of each seat. None is red, since the game with six seats has red cards."""
_STYLES = {
    **{f"on_screen.seat{seat}": f"bold {colour}" for seat, colour in enumerate(_SEAT_COLOURS)},
    "on_screen.mine": "reverse",
    "on_screen.now": "bold",
    "on_screen.number": "bold",
    "on_screen.frame": "dim",
}
_FRAME_PATTERN = r"(?P<frame>[─│┌┐└┘├┤┬┴┼█]+)"
_SEAT_PATTERNS = [
    rf"(?P<seat{seat}>\b[Ss]eat {seat}\b(?: \([^)\n]*\))?|{sign})"
    for seat, sign in enumerate("⓪①②③④⑤")
]
_OTHER_PATTERNS = [
    r"(?P<number>(?:^|(?<=   )| {2,})\d+\.)(?= )",  # the number before an item of a list
    r"(?P<now>▶[^\n]*)",  # what happens now, up to the end of its line
    r"(?P<mine>\b[Ss]eat \d+ \(you\))",  # the reader's own seat
]


class _GameHighlighter(RegexHighlighter):
    base_style = "on_screen."
    highlights = [_FRAME_PATTERN, *_SEAT_PATTERNS, *_OTHER_PATTERNS]  # noqa: RUF012 - as in its base


def size() -> tuple[int, int]:
    """Return the columns and lines of the screen."""
    default_size = (80, 24) if is_terminal() else (NO_LIMIT, NO_LIMIT)
    width, height = shutil.get_terminal_size(default_size)
    return max(20, width), height


def is_terminal() -> bool:
    """Return whether the output goes to a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def console() -> Console:
    """Return a console on the standard output. Characters that it cannot encode become `?`."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(width=size()[0], theme=Theme(_STYLES), highlight=False)


def coloured(text: str) -> Text:
    """Return text in colour for `console`. Rich does not read brackets in it as markup."""
    coloured_text = Text(text)
    _GameHighlighter().highlight(coloured_text)
    return coloured_text


def print_text(text: str = "") -> None:
    """Print lines as they are, in colour."""
    console().print(coloured(text), soft_wrap=True)


def print_wrapped(text: str, indent: int) -> None:
    """Print a line. If it is too long, the further lines are indented."""
    width, _ = size()
    hanging = " " * min(indent, width // 2)
    # `textwrap.wrap` returns no line for a blank text.
    print_text("\n".join(textwrap.wrap(text, width, subsequent_indent=hanging)) or text)


def print_position(game: Game, position: Mapping[str, Any]) -> None:
    """Draw a position."""
    print_text(f"\n{game.presentation.draw(position)}\n")
