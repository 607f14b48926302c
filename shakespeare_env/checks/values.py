"""Checks of single values from outside, and short texts of values for messages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from difflib import get_close_matches

import numpy as np
import pydantic

_LONGEST_REPR = 80  # the most characters of a wrong value that a message repeats
_MOST_FAULTS = 5  # the most faults of a file that a message names
LONGEST_NAME = 64
"""The most characters of a player's name."""


def short_repr(value: object) -> str:
    """Return a value's `repr` for a message, cut to fit."""
    try:
        text = repr(value)
    except Exception:  # a huge integer, endless nesting, or a fault in the object's own `repr`
        return f"this {type(value).__name__}"
    return text if len(text) <= _LONGEST_REPR else f"{text[:_LONGEST_REPR]}..."


def command(*words: object) -> str:
    """Return a `shakespeare` command line for a shell, with quotes where they are needed."""
    return shlex.join(["shakespeare", *map(str, words)])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question to put after an unknown word; empty if no known word is similar."""
    close = get_close_matches(word[:_LONGEST_REPR], list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def player_name(name: str) -> str:
    """Return a player's name; ValueError if it is empty, too long or not printable."""
    if not (0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise ValueError(
            f"the name {short_repr(name)} cannot be used; give 1 to {LONGEST_NAME} printable "
            "characters"
        )
    return name


def short_name(name: str) -> str:
    """Return a name, shortened in the middle if it is too long for a player's name."""
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}"


def parse_number(text: str) -> int | None:
    """Return a text of 1 to 9 digits as an integer; None for any other text."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def is_integer(value: object) -> bool:
    """Return whether a value is an integer. True and time spans do not count as integers."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def error_text(fault: Exception) -> str:
    """Return an error about a file's content in one line.

    Of a Pydantic error, only the first few faults are named.
    """
    if not isinstance(fault, pydantic.ValidationError):
        return str(fault)

    messages = []
    for error in fault.errors()[:_MOST_FAULTS]:
        place = ".".join(map(str, error["loc"]))
        messages.append(f"{place}: {error['msg']}" if place else error["msg"])
    return "; ".join(messages)
