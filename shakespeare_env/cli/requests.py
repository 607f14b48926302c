"""Requests of the protocol, checked field by field."""

from __future__ import annotations

import json
from typing import Any

from shakespeare_env.cli.lines import check_length
from shakespeare_env.json_input import kind, parse_json

_SHOWN = 80  # characters of a wrong value that an error repeats
_MISSING: Any = object()


class RequestError(Exception):
    """A line that cannot be answered: the kind of error and details."""

    def __init__(self, type_: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.type = type_
        self.details = details


def parse_line(line: bytes) -> dict[str, Any]:
    """The JSON object in a line; RequestError `BadJSON` or `BadRequest` if there is none."""
    try:
        value = parse_json(check_length(line))
    except ValueError as error:
        raise RequestError("BadJSON", f"this is {error}") from error
    if not isinstance(value, dict):
        raise RequestError("BadRequest", f"a line must be an object, this is {kind(value)}")
    return value


def dump_line(answer: dict[str, Any]) -> str:
    """An answer as ASCII."""
    return json.dumps(answer, allow_nan=False, separators=(",", ":"))


class Request:
    """A request's fields; wrong ones raise a `BadRequest` that names them."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __contains__(self, field: str) -> bool:
        return field in self._fields

    def only(self, *allowed: str) -> None:
        """Refuse other fields: most are misspelt."""
        for field in self._fields:
            if field not in ("command", "id", *allowed):
                known = ", ".join(allowed) or "none"
                message = f"no field {self.shown(field)}; the fields of this command: {known}"
                raise RequestError("BadRequest", message, field=field)

    def identifier(self, field: str) -> str | int | None:
        """The caller's id: a string, an integer or null."""
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

    def wrong(self, field: str, fault: str) -> RequestError:
        """The error for a wrong value."""
        message = f"{field}={self.shown(self._fields[field])} {fault}"
        return RequestError("BadRequest", message, field=field)

    @staticmethod
    def shown(value: Any) -> str:
        """A value as JSON, cut to fit."""
        text = json.dumps(value)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

    def _get(self, field: str, default: Any) -> Any:
        if field in self._fields:
            return self._fields[field]
        if default is _MISSING:
            raise RequestError("BadRequest", f"the field {field!r} is missing", field=field)
        return default
