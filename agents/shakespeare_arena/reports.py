"""Results that are printed as a table and saved as JSON, and the format of names and numbers."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console
from rich.table import Table

from shakespeare_agents.storage import write_output
from shakespeare_env.core.registry import box_digest

WIDTH = 80
"""Columns of a printed report."""


class Report:
    """Base class of results: a dataclass that is printed as a table and saved as JSON.

    Attributes:
        FORMAT: The version of the JSON.
        game: The name of the game played.
    """

    FORMAT: ClassVar[int]
    game: str

    def table(self) -> Table:
        """Return the results as a table of at most 80 columns."""
        raise NotImplementedError

    def __str__(self) -> str:
        text = io.StringIO()
        Console(file=text, width=WIDTH, color_system=None).print(self.table())
        return text.getvalue().rstrip("\n")

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON types, with the format's version and the box's digest."""
        # Encoding and decoding turn tuples into lists.
        facts = json.loads(json.dumps(asdict(self)))  # type: ignore[call-overload]
        return {"format": self.FORMAT, "box_digest": box_digest(self.game), **facts}

    def save(self, path: Path) -> None:
        """Write the JSON atomically.

        Raises:
            OSError: the file cannot be written.
            ValueError: a number is not finite.
        """
        text = json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n"
        write_output(path, text.encode())


# ------------------------------------------------------------------------------- names and numbers


def printable_name(name: str, most: int = 48) -> str:
    """Return a user's name for an agent as one printable line of at most `most` characters.

    Some characters move a terminal's cursor or reverse the direction of the text, so characters
    that do not print are replaced. Long names lose their middle, because paths differ at their
    ends.
    """
    printable = "".join(sign if sign.isprintable() else "\ufffd" for sign in name)
    if len(printable) <= most:
        return printable
    kept = most - 1  # one character is the ellipsis
    return f"{printable[: kept - kept // 2]}…{printable[len(printable) - kept // 2 :]}"


def format_number(value: float | None, digits: int = 0) -> str:
    """Format a number with grouped thousands and `digits` decimals, or "–" if there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    # Adding 0 turns a rounded −0 into 0.
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def format_milliseconds(value: float | None) -> str:
    """Format a time with two significant digits and at most three decimals: 0.004, 0.90, 24."""
    if value is None or value >= 9.95 or value == 0:
        return format_number(value)
    return format_number(value, min(3, 1 - math.floor(math.log10(value))))


def format_estimate(
    row: Mapping[str, Any], value: str, ends: str = "", digits: int = 0, unit: int = 1
) -> str:
    """Format a row's estimate with its interval, `213 (195 to 232)`, or nothing if it is null.

    Args:
        row: A row of a frame.
        value: The column of the estimate.
        ends: The prefix of `low` and `high` in the names of the interval's columns.
        digits: Decimals.
        unit: The factor of all three numbers, 100 for percentages.
    """
    estimate = row[value]
    low = row[f"{ends}low"]
    high = row[f"{ends}high"]
    if estimate is None:
        return ""
    text = format_number(unit * estimate, digits)
    if low is None or high is None:
        return text
    return f"{text} ({format_number(unit * low, digits)} to {format_number(unit * high, digits)})"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: `1 game`, `1,200 games`."""
    return f"{count:,} {noun if count == 1 else noun + 's'}"
