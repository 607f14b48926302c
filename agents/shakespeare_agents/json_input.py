"""JSON from outside, parsed strictly, and JSON lines, written."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

_TYPES = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}


def parse_json(data: bytes) -> Any:
    """Parse UTF-8 encoded JSON, with or without a byte order mark.

    Raises:
        ValueError: the data is no JSON, or holds NaN, integers of thousands of digits or deep
            nesting. The message continues the words "this is".
    """
    try:
        return from_json(data.removeprefix(BOM_UTF8), allow_inf_nan=False)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None


def parse_object(data: bytes) -> dict[str, Any]:
    """Parse a JSON object; raises what `parse_json` raises, also for other JSON values."""
    value = parse_json(data)
    if not isinstance(value, dict):
        raise ValueError(f"{json_type(value)}, not an object")
    return value


def json_type(value: Any) -> str:
    """Return the name of a JSON value's type, with its article."""
    return "null" if value is None else _TYPES.get(type(value), "a number")


def dump_line(value: Mapping[str, Any]) -> str:
    """Write an object as one line of ASCII, without the newline."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
