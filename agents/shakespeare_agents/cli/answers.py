"""What a person enters, line by line."""

from __future__ import annotations

import sys
from collections import deque

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
        typer.echo()
        raise Leave from None
    except UnicodeDecodeError as error:
        give_up(f"the input is not text: {error}; write one move per line")
    if not line:
        typer.echo()
        raise Leave
    if len(line) > _LONGEST:
        give_up(f"a line has more than {_LONGEST} characters; write one move per line")
    typer.echo(line.removesuffix("\n"))
    return line
