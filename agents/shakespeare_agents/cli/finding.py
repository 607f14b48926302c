"""The move or the topic that a person's words name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from shakespeare_env import Position
from shakespeare_env.checks.values import meant, shown

_MOST_CANDIDATES = 12
_SEPARATORS = re.compile(r"[:>]")


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
        question = meant(answer, words)
        raise NoMoveError(
            f"{shown(answer)} is neither a move nor a number{question}; ? shows what you can enter"
        )
    if len(found) > 1:
        numbered = [f"{legal.index(move) + 1} {move}" for move in found]
        raise ValueError(f"{answer!r} could be: {_listed(numbered)}; enter more of it")
    return found[0]


def _candidates(answer: str, legal: list[str]) -> list[str]:
    """The moves with these parts or, failing that, with parts whose words begin like these."""
    parts = _SEPARATORS.split(answer)
    if not any(parts):
        return []
    exact = [move for move in legal if _within(parts, move, whole=True)]
    return exact or [move for move in legal if _within(parts, move, whole=False)]


def _within(parts: list[str], move: str, *, whole: bool) -> bool:
    """Whether consecutive parts of a move equal (`whole`) or fit these."""
    own = [part.lower() for part in _SEPARATORS.split(move)]
    for start in range(len(own) - len(parts) + 1):
        pairs = list(zip(parts, own[start:], strict=False))
        if all(part == mine if whole else f"_{part}" in f"_{mine}" for part, mine in pairs):
            return True
    return False


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
    question = meant(wanted, topics) or f"; there is: {_listed(sorted(topics), None)}"
    raise ValueError(f"nothing is called {shown(words)}{question}")


def _plain(words: str) -> str:
    return re.sub(r"[\s_-]+", "_", words.strip().lower())


def _listed(entries: Iterable[str], most: int | None = _MOST_CANDIDATES) -> str:
    named = list(entries)
    left = "" if most is None or len(named) <= most else f" and {len(named) - most} more"
    return ", ".join(named[:most]) + left
