"""JSON objects as lines, one each: written, and read field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

_SHOWN = 80  # characters of a wrong value that an error repeats
_MISSING: Any = object()


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
