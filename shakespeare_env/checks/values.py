"""Values and arguments from outside: their kind, and how messages show them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from difflib import get_close_matches

import numpy as np
import pydantic

_SHOWN = 80  # characters of a wrong value that a message repeats
_MOST_TOLD = 5  # faults of a file that a message names
LONGEST_NAME = 64
"""The most characters of a player's name."""


def short_repr(value: object) -> str:
    """A value in a message: its text, cut to fit."""
    try:
        text = repr(value)
    except Exception:  # integers of thousands of digits, endless nesting, an object's own fault
        return f"this {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def command(*words: object) -> str:
    """A `shakespeare` command as a shell reads it, whatever is in its words, such as blanks."""
    return shlex.join(["shakespeare", *map(str, words)])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question to put after an unknown word, or nothing if no known word is similar."""
    close = get_close_matches(word[:_SHOWN], list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def player_name(name: str) -> str:
    """A player's name as it is; ValueError if nobody could read it."""
    if not (0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise ValueError(f"a name has 1 to {LONGEST_NAME} printable signs, not {short_repr(name)}")
    return name


def short_name(name: str) -> str:
    """A name that fits; of a longer one, such as a path, the beginning and the end."""
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}"


def number_of(text: str) -> int | None:
    """The whole number that a text is, from 0 to 999,999,999; None if it is none."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def is_whole(value: object) -> bool:
    """Whether a value is an integer; True and spans of time are not, though they pass as one."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def in_words(fault: Exception) -> str:
    """Say in a line what is wrong with a file's content or, by Pydantic, with its first entries."""
    if not isinstance(fault, pydantic.ValidationError):
        return str(fault)
    places = (".".join(map(str, error["loc"])) for error in fault.errors())
    messages = (error["msg"] for error in fault.errors())
    found = [f"{at}: {said}" if at else said for at, said in zip(places, messages, strict=True)]
    return "; ".join(found[:_MOST_TOLD])
