"""Reading a position in text; refusals name place (`seats[2].mood`), value and remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from shakespeare_env.checks.values import short_repr
from shakespeare_env.errors import PositionError


def refuse(where: str, fault: str, remedy: str) -> NoReturn:
    """Raise the PositionError for a value."""
    raise PositionError(f"{where}: {fault}; {remedy}")


def mapping(value: object, where: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, Mapping):
        refuse(where, f"{short_repr(value)} is not an object", "write an object")
    return value


def table(value: object, where: str, keys: Sequence[str]) -> Mapping[str, Any]:
    """A JSON object with exactly these keys."""
    given = mapping(value, where)
    if unknown := [key for key in given if key not in keys]:
        refuse(where, f"unknown key {short_repr(unknown[0])}", "the keys are " + ", ".join(keys))
    if missing := [key for key in keys if key not in given]:
        refuse(
            where, f"the key {short_repr(missing[0])} is missing", f"add {short_repr(missing[0])}"
        )
    return given


def integer(value: object, where: str, low: int, high: int) -> int:
    """A whole number in a range; True and 1.0 do not count."""
    if type(value) is not int or not low <= value <= high:
        remedy = f"write a whole number from {low} to {high}"
        refuse(where, f"{short_repr(value)} is out of place", remedy)
    return value


def truth(value: object, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        refuse(where, f"{short_repr(value)} is out of place", "write true or false")
    return value


def choice(value: object, where: str, known: Sequence[str]) -> int:
    """The index of a known text."""
    if not isinstance(value, str) or value not in known:
        refuse(where, f"{short_repr(value)} is not known here", "use one of " + ", ".join(known))
    return known.index(value)


def items(value: object, where: str, most: int) -> list[Any]:
    """A list of limited length."""
    if not isinstance(value, list):
        refuse(where, f"{short_repr(value)} is not a list", "write a list")
    if len(value) > most:
        refuse(where, f"{len(value)} entries", f"at most {most} can stand here")
    return value


def choices(value: object, where: str, known: Sequence[str], most: int) -> list[int]:
    """A list of known texts, as indices."""
    entries = items(value, where, most)
    return [choice(entry, f"{where}[{i}]", known) for i, entry in enumerate(entries)]


def seats(value: object, where: str, players: int) -> list[int]:
    """A list of distinct seats at the table."""
    entries = items(value, where, players)
    found = [integer(entry, f"{where}[{i}]", 0, players - 1) for i, entry in enumerate(entries)]
    if len(set(found)) != len(found):
        refuse(where, f"{short_repr(value)} names a seat twice", "name every seat once")
    return found


def counts(value: object, where: str, known: Sequence[str], high: int) -> list[int]:
    """An object with a count for each known text, in order."""
    given = table(value, where, known)
    return [integer(given[name], f"{where}.{name}", 0, high) for name in known]
