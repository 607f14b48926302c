"""Pydantic's faults of settings, each in a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from shakespeare_env.checks.values import shown

if TYPE_CHECKING:
    from pydantic import ValidationError

_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}
_MOST = 5
"""The most faults named at once."""


def in_words(fault: ValidationError, unknown: Callable[[str], str]) -> str:
    """The place, value and remedy of the first faults; `unknown` words unknown names."""
    lines = []
    for error in fault.errors(include_url=False)[:_MOST]:
        place = ".".join(map(str, error["loc"]))
        if error["type"] in _UNKNOWN:
            lines.append(unknown(place))
        else:
            value = "" if error["type"].startswith("missing") else f" = {shown(error['input'])}"
            lines.append(f"{place}{value}: {error['msg'].removeprefix('Value error, ')}")
    return "; ".join(lines)
