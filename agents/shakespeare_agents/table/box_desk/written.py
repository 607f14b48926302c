"""Values of a box as people write them into a field, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from shakespeare_env.box_entries import Keys, Kind

MISSING: Any = object()
"""The value of an entry that is not there."""
LONGEST = 400
"""The most characters in a field."""


class FieldError(ValueError):
    """What somebody wrote into a field cannot be read at all."""


def value_at(data: Any, keys: Keys) -> Any:
    """What is there, or `MISSING`."""
    for key in keys:
        if isinstance(data, Mapping):
            data = data.get(str(key), MISSING)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return MISSING
    return data


def written(value: object) -> str:
    """A value of TOML as a field shows it."""
    if value is MISSING:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(written, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} = {written(item)}" for key, item in value.items())
    return str(value)


def meant(kind: Kind, text: str) -> Any:
    """The value that a field holds, `MISSING` for an empty one.

    What is no number stays a text: the box's reader knows best what to say of it.

    Raises:
        FieldError: too long, or no pairs.
    """
    text = " ".join(text.split())
    if len(text) > LONGEST:
        raise FieldError(f"{len(text)} characters are too many; write {LONGEST} at most")
    if kind == "pairs":
        return _pairs(text)
    if not text:
        return MISSING
    if kind in ("numbers", "ids"):
        parts = [part.strip() for part in text.split(",")]
        return parts if kind == "ids" else [_number(part) for part in parts]
    if kind == "number":
        return _number(text)
    if kind == "truth":
        return {"true": True, "false": False}.get(text, text)
    return text


def _pairs(text: str) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and key and value) or re.fullmatch(r"\w+", key, re.ASCII) is None:
            raise FieldError(f"{part!r} is no pair; write name = number, parted by commas")
        if key in pairs:
            raise FieldError(f"{key} is there twice; write it once")
        pairs[key] = _number(value)
    return pairs


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch("[+-]?[0-9]{1,9}", text) else text
