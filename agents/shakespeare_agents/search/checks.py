"""Options of a search, checked where it is made."""

from __future__ import annotations

import math

from shakespeare_env.checks.values import is_whole, shown


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """TypeError if it is not an integer, ValueError if it is out of range."""
    if not is_whole(value):
        raise TypeError(f"{name}={shown(value)} must be an integer")
    _check_range(name, value, least, most)


def check_number(name: str, value: object, least: float, most: float = math.inf) -> None:
    """TypeError if it is not a number, ValueError if it is out of range or not finite."""
    if not (isinstance(value, float) or is_whole(value)):
        raise TypeError(f"{name}={shown(value)} must be a number")
    _check_range(name, value, least, most)


def _check_range(name: str, value: object, least: float, most: float) -> None:
    number = float(value)  # type: ignore[arg-type]
    if not (least <= number <= most and math.isfinite(number)):
        limit = f"from {least} to {most}" if math.isfinite(most) else f"finite, at least {least}"
        raise ValueError(f"{name}={shown(value)} must be {limit}")
