"""What a person enters, line by line, and what Tab completes."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import typer

from shakespeare_env.cli.choices import give_up

_LONGEST = 10_000
"""The most characters in a line of input."""


class Leave(Exception):  # noqa: N818 - not an error
    """The person leaves the game."""


class Answers:
    """A person's words; a line may hold several, kept `waiting`."""

    def __init__(self) -> None:
        self.waiting: deque[str] = deque()

    def next(self, prompt: str) -> str:
        """The next word; raises `Leave` when the input ends or is interrupted."""
        while not self.waiting:
            self.waiting.extend(_line(prompt).split())
        return self.waiting.popleft()

    def rest(self) -> str:
        """What else its line holds; may be empty."""
        words = " ".join(self.waiting)
        self.waiting.clear()
        return words


def is_number(word: str) -> bool:
    """Whether a word is a whole number from 0 to 999,999,999."""
    return word.isascii() and word.isdigit() and len(word) < 10


def complete_from(words: Callable[[], Iterable[str]]) -> None:
    """Let Tab complete the current `words` at every prompt from now on, where Python can."""
    try:
        readline: Any = import_module("readline")
    except ImportError:  # as on Windows
        return

    def complete(start: str, number: int) -> str | None:
        """The n-th word with that start, None after the last, as readline asks for it."""
        found = sorted({word for word in words() if word.startswith(start)})
        return f"{found[number]} " if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")  # moves hold colons
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")


def _line(prompt: str) -> str:
    """A line of input, echoed unless a terminal shows it."""
    if sys.stdin is None:  # the descriptor is not open
        raise Leave
    try:
        if sys.stdin.isatty():
            return input(prompt)
        typer.echo(prompt, nl=False)
        line = sys.stdin.readline(_LONGEST + 1)
    except (EOFError, KeyboardInterrupt):
        line = ""
    except UnicodeDecodeError as error:
        give_up(f"the input is not text: {error}; write one move per line")
    if not line:
        typer.echo()
        raise Leave
    if len(line) > _LONGEST:
        give_up(f"a line has more than {_LONGEST} characters; write one move per line")
    typer.echo(line.removesuffix("\n"))
    return line
