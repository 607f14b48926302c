"""Completion of words that hold `:` or `=`, at which bash breaks them."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from itertools import pairwise

import typer

_BREAK = re.compile("[:=]+")
"""The signs that bash makes words of their own by default (COMP_WORDBREAKS)."""


@contextmanager
def whole_words() -> Iterator[None]:
    """Let a completion that bash asks for see whole words, and print what bash is to append.

    Bash replaces only what follows the last break: of `my.py:Agent` it wants `Agent` for `my.py:A`.
    """
    if os.environ.get("_SHAKESPEARE_COMPLETE") != "complete_bash":
        yield
        return
    typed = os.environ["COMP_WORDS"].split("\n")[: int(os.environ["COMP_CWORD"]) + 1]
    words = _joined(typed)
    kept = "" if words[-1] == typed[-1] else _up_to_last_break(words[-1])
    # Nothing is restored, as the process ends with its answer.
    os.environ |= {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    with io.StringIO() as printed:
        try:
            with redirect_stdout(printed):
                yield
        finally:
            lines = (line.removeprefix(kept) for line in printed.getvalue().splitlines())
            typer.echo("\n".join(filter(None, lines)))


def _joined(typed: Sequence[str]) -> list[str]:
    """Words as they were typed; a break between them belongs to the words on both sides."""
    words = [typed[0]]
    for before, word in pairwise(typed):
        if _BREAK.fullmatch(word) or (_BREAK.fullmatch(before) and word):
            words[-1] += word
        else:
            words.append(word)
    return words


def _up_to_last_break(word: str) -> str:
    return word[: max(found.end() for found in _BREAK.finditer(word))]
