"""JSON from outside, read strictly."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

_MOST_DIGITS = 1000
_DEEPEST = 64
_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}


def parse_json(data: bytes) -> Any:
    """Parse UTF-8 encoded JSON; a ValueError's message continues the words "this is".

    NaN, infinities, huge integers, deep nesting and repeated keys are refused, too.
    """
    try:
        value = json.loads(
            data.decode(),
            parse_int=_integer,
            parse_float=_finite,
            parse_constant=_not_finite,
            object_pairs_hook=_without_repeats,
        )
        _check_depth(value)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: {error.reason} at byte {error.start}") from error
    except RecursionError as error:
        raise ValueError(f"not JSON: it nests deeper than {_DEEPEST} levels") from error
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        what = error.msg[:1].lower() + error.msg[1:]
        raise ValueError(f"not JSON: {what} at {line}character {error.colno}") from error
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    return value


def parse_object(data: bytes) -> dict[str, Any]:
    """The same for a JSON object."""
    value = parse_json(data)
    if not isinstance(value, dict):
        raise ValueError(f"{kind(value)}, not an object")
    return value


def kind(value: Any) -> str:
    """A JSON value's type, with its article."""
    return "null" if value is None else _KINDS.get(type(value), "a number")


def _check_depth(value: Any) -> None:
    """Refuse nesting that could exhaust the stack when printed."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(_DEEPEST):
        level = [
            item
            for outer in level
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, dict | list)
        ]
        if not level:
            return
    raise ValueError(f"it nests deeper than {_DEEPEST} levels")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse repeated keys: readers may choose different values."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name[:80]!r} stands twice in one object")
        found[name] = value
    return found


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"the number {text[:20]}... has more than {_MOST_DIGITS} digits")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _not_finite(text)
    return number


def _not_finite(text: str) -> NoReturn:
    raise ValueError(f"the number {text[:20]} is not finite")
