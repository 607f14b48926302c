"""JSON from outside, read strictly, whole and field by field; and JSON lines, written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

_MISSING: Any = object()
_SHOWN = 80  # characters of a wrong value that an error repeats
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


def dump_line(value: Mapping[str, Any]) -> str:
    """An object as ASCII, without newline."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


class FieldError(ValueError):
    """A field that is missing, unknown or wrong."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class Fields:
    """An object's fields; wrong ones raise a FieldError that names them."""

    always: ClassVar[tuple[str, ...]] = ()
    """Fields that every such object may have."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def __contains__(self, field: str) -> bool:
        return field in self._fields

    def only(self, *allowed: str) -> None:
        """Refuse other fields, most of them misspelt."""
        for field in self._fields:
            if field not in (*self.always, *allowed):
                known = ", ".join(allowed) or "none"
                raise FieldError(f"no field {self.shown(field)}; the fields here: {known}", field)

    def identifier(self, field: str) -> str | int | None:
        """An id: a string, an integer or null."""
        value = self._get(field, _MISSING)
        if isinstance(value, bool) or not isinstance(value, str | int | None):
            raise self.wrong(field, "must be a string, an integer or null")
        return value

    def text(self, field: str, default: str = _MISSING) -> str:
        """A string."""
        value = self._get(field, default)
        if not isinstance(value, str):
            raise self.wrong(field, "must be a string")
        return value

    def texts(self, field: str) -> list[str]:
        """An array of strings."""
        value = self._get(field, _MISSING)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(field, "must be an array of strings")
        return value

    def integer(self, field: str, low: int, high: int, default: int = _MISSING) -> int:
        """An integer in a range; true and 1.0 are not."""
        value = self._get(field, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.wrong(field, f"must be an integer from {low} to {high}")
        return value

    def table(self, field: str, default: dict[str, Any] = _MISSING) -> dict[str, Any]:
        """An object."""
        value = self._get(field, default)
        if not isinstance(value, dict):
            raise self.wrong(field, "must be an object")
        return value

    def wrong(self, field: str, fault: str) -> FieldError:
        """The error for a wrong value."""
        return FieldError(f"{field}={self.shown(self._fields[field])} {fault}", field)

    @staticmethod
    def shown(value: Any) -> str:
        """A value as JSON, cut to fit."""
        text = json.dumps(value)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

    def _get(self, field: str, default: Any) -> Any:
        if field in self._fields:
            return self._fields[field]
        if default is _MISSING:
            raise FieldError(f"the field {field!r} is missing", field)
        return default
