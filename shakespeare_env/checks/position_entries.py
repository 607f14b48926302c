"""Readers for the entries of a position in notation.

Each reader returns a checked value or raises PositionError, which names the place
(`seats[2].mood`), the value and the remedy. The argument `where` is that place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from shakespeare_env.checks.values import short_repr
from shakespeare_env.errors import PositionError


def refuse(where: str, fault: str, remedy: str) -> NoReturn:
    """Raise PositionError for the value at a place."""
    raise PositionError(f"{where}: {fault}; {remedy}")


def json_object(value: object, where: str) -> Mapping[str, Any]:
    """Return a value that must be a JSON object."""
    if not isinstance(value, Mapping):
        refuse(where, f"{short_repr(value)} is not an object", "write an object")
    return value


def object_with_keys(value: object, where: str, keys: Sequence[str]) -> Mapping[str, Any]:
    """Return a value that must be a JSON object with exactly these keys."""
    given = json_object(value, where)
    for key in given:
        if key not in keys:
            refuse(where, f"unknown key {short_repr(key)}", "the keys are " + ", ".join(keys))
    for key in keys:
        if key not in given:
            refuse(where, f"the key {short_repr(key)} is missing", f"add {short_repr(key)}")
    return given


def integer(value: object, where: str, low: int, high: int) -> int:
    """Return a value that must be an integer from `low` to `high`; True and 1.0 are refused."""
    if type(value) is not int or not low <= value <= high:
        remedy = f"write a whole number from {low} to {high}"
        refuse(where, f"{short_repr(value)} is out of place", remedy)
    return value


def boolean(value: object, where: str) -> bool:
    """Return a value that must be true or false."""
    if not isinstance(value, bool):
        refuse(where, f"{short_repr(value)} is out of place", "write true or false")
    return value


def choice(value: object, where: str, known: Sequence[str]) -> int:
    """Return the index of a value that must be one of the known texts."""
    if not isinstance(value, str) or value not in known:
        refuse(where, f"{short_repr(value)} is not known here", "use one of " + ", ".join(known))
    return known.index(value)


def items(value: object, where: str, most: int) -> list[Any]:
    """Return a value that must be a list of at most `most` entries."""
    if not isinstance(value, list):
        refuse(where, f"{short_repr(value)} is not a list", "write a list")
    if len(value) > most:
        refuse(where, f"it has {len(value)} entries", f"write at most {most}")
    return value


def choices(value: object, where: str, known: Sequence[str], most: int) -> list[int]:
    """Return the indices of a list of at most `most` known texts."""
    entries = items(value, where, most)
    return [choice(entry, f"{where}[{i}]", known) for i, entry in enumerate(entries)]


def seats(value: object, where: str, players: int) -> list[int]:
    """Return a list of seats at a table of `players`, each seat at most once."""
    entries = items(value, where, players)
    listed = [integer(entry, f"{where}[{i}]", 0, players - 1) for i, entry in enumerate(entries)]
    if len(set(listed)) != len(listed):
        refuse(where, f"{short_repr(value)} names a seat twice", "name every seat once")
    return listed


def counts(value: object, where: str, known: Sequence[str], high: int) -> list[int]:
    """Return the counts, from 0 to `high`, of an object that has one for each known text."""
    given = object_with_keys(value, where, known)
    return [integer(given[name], f"{where}.{name}", 0, high) for name in known]
