"""Pydantic's faults of settings, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from shakespeare_env.checks.values import shown

if TYPE_CHECKING:
    from pydantic import ValidationError

_MUST_BE: dict[str, str] = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a table of names and values",
    "model_type": "a table of names and values",
    "dataclass_type": "a table of names and values",
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "below {lt}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "string_pattern_mismatch": "of the form {pattern}",
    "string_too_long": "at most {max_length} characters long",
    "json_invalid": "text of whole characters, without lone surrogates",
    "too_short": "at least {min_length} long",
    "too_long": "at most {max_length} long",
}
"""What a value must be, by the type of error."""
_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}
_MISSING = {"missing", "missing_argument"}
_LONGEST_PLACE = 200
_MOST = 5
"""The most faults named at once."""


def in_words(fault: ValidationError, data: Mapping[str, Any], unknown: Callable[[str], str]) -> str:
    """Name place, value and remedy of the first faults of `data`; `unknown` words unknown names."""
    errors: list[Mapping[str, Any]] = []
    # For JSON every error would copy all of its input.
    for error in fault.errors(include_url=False, include_input=False):
        # A list is too short for pydantic once it has dropped a wrong entry.
        if not any(part["loc"][: len(error["loc"])] == error["loc"] for part in errors):
            errors.append(error)
    lines = [_line(error, data, unknown) for error in errors[:_MOST]]
    if len(errors) > _MOST:
        lines.append(f"and {len(errors) - _MOST} more")
    return "; ".join(lines)


def _line(error: Mapping[str, Any], data: Any, unknown: Callable[[str], str]) -> str:
    kind, given = error["type"], _value(data, error["loc"])
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in error["loc"]]
    place = "".join(steps).removeprefix(".")[:_LONGEST_PLACE]
    if kind in _UNKNOWN:
        return unknown(place)
    if kind in _MISSING:
        return f"{place} is missing"
    value = f"{place} = {shown(given)}"
    if kind == "value_error":
        fault = str(error["ctx"]["error"])
        if isinstance(given, Mapping):  # shown whole it would hide the fault
            value = place
    else:
        bounds = error.get("ctx", {}).items()
        facts = {name: f"{b:.15g}" if isinstance(b, float) else b for name, b in bounds}
        fault = f"must be {_MUST_BE.get(kind, 'something else').format(**facts)}"
    return f"{value}: {fault}" if place else fault


def _value(data: Any, steps: tuple[int | str, ...]) -> Any:
    """The value at a place, or the table that lacks it."""
    for step in steps:
        try:
            data = data[step]
        except (LookupError, TypeError):
            return data
    return data
