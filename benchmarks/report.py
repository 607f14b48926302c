"""Timing, tables and files that the benchmarks share."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from shakespeare_agents.storage import write_output

Rates = Mapping[str, Sequence[float]]
"""Decisions a second of every repeat, by case."""


def rate(
    step: Callable[[], int], seconds: float, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return decisions a second of a function that makes decisions and returns their number.

    The function is called until the seconds have passed, and at least once.
    """
    started = clock()
    decisions = step()
    elapsed = clock() - started
    while elapsed < seconds:
        decisions += step()
        elapsed = clock() - started
    return decisions / elapsed


def in_turns(
    cases: Mapping[str, Callable[[], float | None]], repeats: int, description: str
) -> dict[str, list[float]]:
    """Measure the rates of all cases in turns, so that drift affects them equally.

    Cases that return None have no rate. The description stands beside the progress bar.
    """
    rates: dict[str, list[float]] = {name: [] for name in cases}
    for _ in track(range(repeats), description, transient=True):
        for name, case in cases.items():
            measured = case()
            if measured is not None:
                rates[name].append(measured)
    return rates


def median_ratio(rates: Rates, one: str, other: str) -> float:
    """Return the median over repeats of the ratio of two rates, in which drift cancels out."""
    pairs = zip(rates[one], rates[other], strict=True)
    return statistics.median(first / second for first, second in pairs)


def machine() -> str:
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def save(output: Path | None, rates: Rates, figures: Mapping[str, float] | None = None) -> None:
    """Print the machine, and save it with all results if a file is given."""
    python = platform.python_version()
    Console().print(f"{machine()}, Python {python}, seed 0")
    if output is not None:
        summary = {
            name: {"median": statistics.median(of_case), "min": min(of_case), "max": max(of_case)}
            for name, of_case in rates.items()
            if of_case
        }
        facts: dict[str, Any] = {"machine": machine(), "python": python, "seed": 0}
        content = {**facts, "decisions per second": summary, **(figures or {})}
        write_output(output, (json.dumps(content, indent=2) + "\n").encode())


def show(title: str, rates: Rates, names: Iterable[str], unit: str = "decisions/s") -> None:
    """Print a table of rates. A case without rates counts as not installed."""
    table = Table(title, unit, "lowest", "highest")
    for column in table.columns[1:]:
        column.justify = "right"
    for name in names:
        cells = ["not installed", "", ""]
        of_case = rates.get(name)
        if of_case:
            figures = (statistics.median(of_case), min(of_case), max(of_case))
            cells = [f"{figure:,.0f}" for figure in figures]
        table.add_row(name, *cells)
    Console().print(table)


def show_ratio(rates: Rates, one: str, other: str) -> None:
    """Print a `median_ratio` if both cases have rates."""
    if rates.get(one) and rates.get(other):
        Console().print(f"{one} / {other}: {median_ratio(rates, one, other):.2f}")
