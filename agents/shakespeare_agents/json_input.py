"""JSON from outside, read strictly; and JSON lines, written."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

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
        raise ValueError(f"{json_type(value)}, not an object")
    return value


def json_type(value: Any) -> str:
    """A JSON value's type, with its article."""
    return "null" if value is None else _KINDS.get(type(value), "a number")


def dump_line(value: Mapping[str, Any]) -> str:
    """An object as ASCII, without newline."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
