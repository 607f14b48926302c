"""Requests of the protocol."""

from __future__ import annotations

from typing import Any

from shakespeare_env.cli.lines import check_length
from shakespeare_env.json_input import Fields, kind, parse_json


class RequestError(Exception):
    """A line that cannot be answered: the kind of error and details."""

    def __init__(self, type_: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.type = type_
        self.details = details


class Request(Fields):
    """A request's fields."""

    always = ("command", "id")


def parse_line(line: bytes) -> dict[str, Any]:
    """The JSON object in a line; RequestError `BadJSON` or `BadRequest` if there is none."""
    try:
        value = parse_json(check_length(line))
    except ValueError as error:
        raise RequestError("BadJSON", f"this is {error}") from error
    if not isinstance(value, dict):
        raise RequestError("BadRequest", f"a line must be an object, this is {kind(value)}")
    return value
