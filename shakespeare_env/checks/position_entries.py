"""Readers for the entries of a position in text.

Each returns a checked value or raises PositionError, which names the place (`seats[2].mood`), the
value and the remedy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from shakespeare_env.checks.values import short_repr
from shakespeare_env.errors import PositionError


def refuse(where: str, fault: str, remedy: str) -> NoReturn:
    """Raise PositionError for the value at a place."""
    raise PositionError(f"{where}: {fault}; {remedy}")


def mapping(value: object, where: str) -> Mapping[str, Any]:
    """Return a JSON object."""
    if not isinstance(value, Mapping):
        refuse(where, f"{short_repr(value)} is not an object", "write an object")
    return value


def table(value: object, where: str, keys: Sequence[str]) -> Mapping[str, Any]:
    """Return a JSON object that has exactly these keys."""
    given = mapping(value, where)
    for key in given:
        if key not in keys:
            refuse(where, f"unknown key {short_repr(key)}", "the keys are " + ", ".join(keys))
    for key in keys:
        if key not in given:
            refuse(where, f"the key {short_repr(key)} is missing", f"add {short_repr(key)}")
    return given


def integer(value: object, where: str, low: int, high: int) -> int:
    """Return an integer in a range; True and 1.0 are refused."""
    if type(value) is not int or not low <= value <= high:
        remedy = f"write a whole number from {low} to {high}"
        refuse(where, f"{short_repr(value)} is out of place", remedy)
    return value


def truth(value: object, where: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        refuse(where, f"{short_repr(value)} is out of place", "write true or false")
    return value


def choice(value: object, where: str, known: Sequence[str]) -> int:
    """Return the index of a text among those that are known."""
    if not isinstance(value, str) or value not in known:
        refuse(where, f"{short_repr(value)} is not known here", "use one of " + ", ".join(known))
    return known.index(value)


def items(value: object, where: str, most: int) -> list[Any]:
    """Return a list of limited length."""
    if not isinstance(value, list):
        refuse(where, f"{short_repr(value)} is not a list", "write a list")
    if len(value) > most:
        refuse(where, f"it has {len(value)} entries", f"write at most {most}")
    return value


def choices(value: object, where: str, known: Sequence[str], most: int) -> list[int]:
    """Return the indices of a list of known texts."""
    entries = items(value, where, most)
    return [choice(entry, f"{where}[{i}]", known) for i, entry in enumerate(entries)]


def seats(value: object, where: str, players: int) -> list[int]:
    """Return a list of different seats at the table."""
    entries = items(value, where, players)
    found = [integer(entry, f"{where}[{i}]", 0, players - 1) for i, entry in enumerate(entries)]
    if len(set(found)) != len(found):
        refuse(where, f"{short_repr(value)} names a seat twice", "name every seat once")
    return found


def counts(value: object, where: str, known: Sequence[str], high: int) -> list[int]:
    """Return the counts of an object that has one for each known text, in order."""
    given = table(value, where, known)
    return [integer(given[name], f"{where}.{name}", 0, high) for name in known]
