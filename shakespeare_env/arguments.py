"""Arguments that are variants of a game, refused by name where it has no such variant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any


def check_arguments(
    function: Callable[..., Any], variants: Collection[str], given: Collection[str]
) -> None:
    """Refuse what a function's `**options` took in but the game has no variant for.

    Raises:
        TypeError: in Python's own words, which other libraries look for, with all valid arguments
            and the one probably meant.
    """
    unknown = next((name for name in given if name not in variants), None)
    if unknown is None:
        return
    named = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "self" and parameter.kind is not parameter.VAR_KEYWORD
    ]
    taken = [*named, *variants]
    meant = get_close_matches(unknown, taken, n=1)
    raise TypeError(
        f"{function.__qualname__}() got an unexpected keyword argument {unknown!r}"
        + (f", did you mean {meant[0]!r}?" if meant else "")
        + f"; it takes: {', '.join(taken)}"
    )
