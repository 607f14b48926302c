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
    """Return decisions a second of a function that plays some and returns their number.

    It is called at least once.
    """
    started = clock()
    decisions = step()
    while (elapsed := clock() - started) < seconds:
        decisions += step()
    return decisions / elapsed


def in_turns(
    cases: Mapping[str, Callable[[], float | None]], repeats: int, what: str
) -> dict[str, list[float]]:
    """Measure the rates of all cases in turns, so that drift hits them alike; None is no rate."""
    found: dict[str, list[float]] = {name: [] for name in cases}
    for _ in track(range(repeats), what, transient=True):
        for name, case in cases.items():
            measured = case()
            if measured is not None:
                found[name].append(measured)
    return found


def median_ratio(rates: Rates, one: str, other: str) -> float:
    """Return the median of the ratios within repeats, so that drift cancels out."""
    return statistics.median(a / b for a, b in zip(rates[one], rates[other], strict=True))


def machine() -> str:
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def save(output: Path | None, rates: Rates, figures: Mapping[str, float] | None = None) -> None:
    """Print the machine, and save it with all results if a file is named."""
    python = platform.python_version()
    Console().print(f"{machine()}, Python {python}, seed 0")
    if output is not None:
        summary = {
            name: {"median": statistics.median(found), "min": min(found), "max": max(found)}
            for name, found in rates.items()
            if found
        }
        facts: dict[str, Any] = {"machine": machine(), "python": python, "seed": 0}
        content = {**facts, "decisions per second": summary, **(figures or {})}
        write_output(output, (json.dumps(content, indent=2) + "\n").encode())


def show(title: str, rates: Rates, names: Iterable[str]) -> None:
    """Print a table of decisions a second; a case without rates is not installed."""
    table = Table(title, "decisions/s", "lowest", "highest")
    for column in table.columns[1:]:
        column.justify = "right"
    for name in names:
        if found := rates.get(name):
            cells = [f"{rate:,.0f}" for rate in (statistics.median(found), min(found), max(found))]
        else:
            cells = ["not installed", "", ""]
        table.add_row(name, *cells)
    Console().print(table)


def show_ratio(rates: Rates, one: str, other: str) -> None:
    """Print a `median_ratio` if both cases have rates."""
    if rates.get(one) and rates.get(other):
        Console().print(f"{one} / {other}: {median_ratio(rates, one, other):.2f}")
