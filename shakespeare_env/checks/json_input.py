"""JSON from outside, read strictly, whole and field by field; and JSON lines, written."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json

_MISSING: Any = object()
_SHOWN = 80  # characters of a wrong value that an error repeats
_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}


def parse_json(data: bytes) -> Any:
    """Parse UTF-8 encoded JSON; a ValueError's message continues the words "this is".

    NaN, integers of thousands of digits and deep nesting are refused, a byte order mark is not.
    """
    try:
        return from_json(data.removeprefix(BOM_UTF8), allow_inf_nan=False)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None


def parse_object(data: bytes) -> dict[str, Any]:
    """The same for a JSON object."""
    value = parse_json(data)
    if not isinstance(value, dict):
        raise ValueError(f"{kind(value)}, not an object")
    return value


def kind(value: Any) -> str:
    """A JSON value's type, with its article."""
    return "null" if value is None else _KINDS.get(type(value), "a number")


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

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def __contains__(self, field: str) -> bool:
        return field in self._fields

    def only(self, *allowed: str) -> None:
        """Refuse other fields, most of them misspelt."""
        for field in self._fields:
            if field not in allowed:
                known = ", ".join(allowed)
                raise FieldError(f"no field {self.shown(field)}; the fields here: {known}", field)

    def get(self, field: str, wanted: Any, default: Any = _MISSING) -> Any:
        """A field of a type that Pydantic knows; one without a default has to be there."""
        if field in self._fields:
            try:
                return _reader(wanted).validate_python(self._fields[field], strict=True)
            except ValidationError as error:
                raise self.wrong(field, error.errors()[0]["msg"]) from None
        if default is _MISSING:
            raise FieldError(f"the field {field!r} is missing", field)
        return default

    def identifier(self, field: str) -> str | int | None:
        """An id: a string, an integer or null."""
        value: str | int | None = self.get(field, str | int | None)
        return value

    def text(self, field: str, default: str = _MISSING) -> str:
        """A string."""
        value: str = self.get(field, str, default)
        return value

    def integer(self, field: str, low: int, high: int, default: int = _MISSING) -> int:
        """An integer in a range; true and 1.0 are not."""
        value: int = self.get(field, Annotated[int, Field(ge=low, le=high)], default)
        return value

    def wrong(self, field: str, fault: str) -> FieldError:
        """The error for a wrong value."""
        return FieldError(f"{field}={self.shown(self._fields[field])}: {fault}", field)

    @staticmethod
    def shown(value: Any) -> str:
        """A value as JSON, cut to fit."""
        text = json.dumps(value)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


@cache
def _reader(wanted: Any) -> TypeAdapter[Any]:
    return TypeAdapter(wanted)
