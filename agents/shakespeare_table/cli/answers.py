"""What a person enters, and the move or topic that their words name."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import typer

from shakespeare_env.checks.values import did_you_mean, shown
from shakespeare_env.cli.choices import give_up

if TYPE_CHECKING:
    from shakespeare_env import Position

_MOST_CANDIDATES = 12
_SEPARATORS = re.compile(r"[:>]")


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


def _line(prompt: str) -> str:
    """A line of input, echoed unless a terminal shows it."""
    if sys.stdin is None:  # the descriptor is not open
        raise Leave
    try:
        if sys.stdin.isatty():
            return input(prompt)
        typer.echo(prompt, nl=False)
        line = sys.stdin.readline()
    except (EOFError, KeyboardInterrupt):
        line = ""
    except UnicodeDecodeError as error:
        give_up(f"the input is not text: {error}; write one move per line")
    if not line:
        typer.echo()
        raise Leave
    typer.echo(line.removesuffix("\n"))
    return line


class NoMoveError(ValueError):
    """Words that are like no legal move."""


def find_move(answer: str, position: Position, commands: Iterable[str] = ()) -> str:
    """The legal move that a text, a part of it or a number names; ValueError if there is none.

    `commands` is what else a misspelt word may stand for.
    """
    legal = position.moves()
    if answer in legal:
        return answer
    if answer.isascii() and answer.isdigit():
        if len(answer) > 9 or not 1 <= int(answer) <= len(legal):
            last = len(legal)
            raise ValueError(f"there is no move {answer[:9]}; the moves are numbered 1 to {last}")
        return legal[int(answer) - 1]
    if position.is_move(answer):
        raise ValueError(
            f"{answer} ({position.describe_move(answer)}) is not legal now; enter one of the list"
        )
    found = _candidates(answer.lower(), legal)
    if not found:
        parts = [part for move in legal for part in _SEPARATORS.split(move)]
        words = [*commands, *legal, *(part for part in parts if not part.isdigit())]
        question = did_you_mean(answer, words)
        raise NoMoveError(
            f"{shown(answer)} is neither a move nor a number{question}; ? shows what you can enter"
        )
    if len(found) > 1:
        numbered = [f"{legal.index(move) + 1} {move}" for move in found]
        raise ValueError(f"{answer!r} could be: {_listed(numbered)}; enter more of it")
    return found[0]


def _candidates(answer: str, legal: list[str]) -> list[str]:
    """The moves with these parts or, failing that, with parts whose words begin like these."""
    parts = [re.escape(part) for part in _SEPARATORS.split(answer)]
    whole = rf"(^|[:>]){'[:>]'.join(parts)}($|[:>])"
    begun = rf"(^|[:>_]){'[^:>]*[:>]([^:>]*_)?'.join(parts)}"
    for pattern in (whole, begun):
        if any(parts) and (found := [one for one in legal if re.search(pattern, one.lower())]):
            return found
    return []


def names_move(words: str) -> bool:
    """Whether words look like a move or its number rather than a thing's name."""
    return bool(_SEPARATORS.search(words)) or (words.isascii() and words.isdigit())


def topics_of_move(move: str, topics: Mapping[str, str]) -> list[str]:
    """The names in `topics` of a move's kind and of what it names."""
    parts = [part.partition("+")[0] for part in _SEPARATORS.split(move)]
    return [part for part in dict.fromkeys(parts) if part in topics]


def find_topics(words: str, topics: Mapping[str, str]) -> list[str]:
    """The names in `topics` that words stand for: one of that name, else all beginning like it.

    Raises:
        ValueError: there are none.
    """
    wanted = _plain(words)
    if wanted in topics:
        return [wanted]
    plain = {name: _plain(name) for name in topics}
    for fits in (str.__eq__, str.startswith, str.__contains__):
        if found := [name for name, text in plain.items() if fits(text, wanted)]:
            return found
    question = did_you_mean(wanted, topics) or f"; there is: {_listed(sorted(topics), None)}"
    raise ValueError(f"nothing is called {shown(words)}{question}")


def _plain(words: str) -> str:
    return re.sub(r"[\s_-]+", "_", words.strip().lower())


def _listed(entries: Iterable[str], most: int | None = _MOST_CANDIDATES) -> str:
    named = list(entries)
    left = "" if most is None or len(named) <= most else f" and {len(named) - most} more"
    return ", ".join(named[:most]) + left
