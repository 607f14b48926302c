"""What a person types at the terminal, and which move is meant by it."""

from __future__ import annotations

import sys
from collections import deque

import typer

from shakespeare_env import Position
from shakespeare_env.cli.choices import give_up


class Leave(Exception):  # noqa: N818 - no error: the person is free to go
    """The person leaves the game."""


class Answers:
    """The words a person types, one after the other; a line may hold several."""

    def __init__(self) -> None:
        self._ahead: deque[str] = deque()

    @property
    def typed_ahead(self) -> bool:
        """Whether there are words that have not been asked for yet."""
        return bool(self._ahead)

    def next(self, prompt: str) -> str:
        """The next word; asks until there is one.

        Raises:
            Leave: the input has ended, or was interrupted.
        """
        while not self._ahead:
            self._ahead.extend(_line(prompt).split())
        return self._ahead.popleft()

    def forget(self) -> None:
        """Drop what was typed ahead."""
        self._ahead.clear()


def _line(prompt: str) -> str:
    """A line of the input; a terminal shows it by itself, else it is printed."""
    try:
        line = input(prompt)
    except (EOFError, KeyboardInterrupt):
        typer.echo()
        raise Leave from None
    except UnicodeDecodeError as error:
        give_up(f"the input is no text: {error}; write moves, one a line")
    if not sys.stdin.isatty():
        typer.echo(line)
    return line


def meant_move(answer: str, position: Position) -> str:
    """The legal move that is meant by its text or its number.

    Raises:
        ValueError: none is; says why.
    """
    legal = position.moves()
    if answer in legal:
        return answer
    if position.is_move(answer):
        raise ValueError(
            f"{answer} ({position.describe_move(answer)}) is no legal move now; "
            "type one of the list"
        )
    if not (answer.isascii() and answer.isdigit()):
        raise ValueError(f"{answer!r} is neither a move nor a number; ? says what can be typed")
    if len(answer) > 9 or not 1 <= int(answer) <= len(legal):
        raise ValueError(f"there is no move {answer}; the moves are numbered 1 to {len(legal)}")
    return legal[int(answer) - 1]
