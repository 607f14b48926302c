"""Completion of words with Tab, where Python has readline."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any


def complete_from(words: Callable[[], Iterable[str]]) -> None:
    """Let Tab complete the current `words` at every prompt from now on."""
    try:
        readline: Any = import_module("readline")
    except ImportError:  # as on Windows
        return
    readline.set_completer(completer(words))
    readline.set_completer_delims(" ")  # moves hold colons
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")


def completer(words: Callable[[], Iterable[str]]) -> Callable[[str, int], str | None]:
    """A completer as readline asks for it: the n-th word with that start, None after the last."""

    def complete(start: str, number: int) -> str | None:
        found = sorted({word for word in words() if word.startswith(start)})
        return f"{found[number]} " if number < len(found) else None

    return complete
