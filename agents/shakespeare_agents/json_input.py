"""Strict parsing of JSON from untrusted sources, and writing of JSON lines."""

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
        ValueError: the data is not JSON, is nested deeply, or holds NaN or integers of thousands
            of digits. The message is a phrase that completes a sentence like "the file is ...".
    """
    try:
        return from_json(data.removeprefix(BOM_UTF8), allow_inf_nan=False)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None


def parse_object(data: bytes) -> dict[str, Any]:
    """Parse a JSON object. Other JSON values raise a ValueError, as for `parse_json`."""
    value = parse_json(data)
    if not isinstance(value, dict):
        raise ValueError(f"{json_type(value)}, not an object")
    return value


def json_type(value: Any) -> str:
    """Return the name of a JSON value's type with an article, such as "an array"."""
    return "null" if value is None else _TYPES.get(type(value), "a number")


def dump_line(value: Mapping[str, Any]) -> str:
    """Return an object as one line of ASCII text, without a newline."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
