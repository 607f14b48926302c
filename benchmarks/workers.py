"""Measure how much faster two workers are: `make bench ARGS=workers`.

The results are games a second of `evaluate` at the usual number of seats: in this process, on two
processes, and on a Ray cluster of two cores started here. Cases take turns, and ratios are taken
within a repeat. The start of workers is measured separately, since it takes the same few seconds
however many games follow.
"""

from __future__ import annotations

import statistics
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.engine import usual_seats
from shakespeare_agents.workers import Workers, open_workers
from shakespeare_arena import evaluate
from shakespeare_env.core import registry

TARGET = 1.7
"""The least ratio that two workers should reach."""
# The options of `open_workers` by kind. The first is what the others are compared with.
KINDS = {"this process": {}, "2 processes": {"processes": 2}, "Ray": {"ray": "local"}}
WARM_UP = 256
"""Games that make workers load and compile everything."""


def rate(game: str, agent: str, games: int, workers: Workers | None) -> float:
    """Return games a second of an agent against its copies."""
    seats = usual_seats(game)
    began = time.perf_counter()
    result = evaluate([agent] * seats, game, games=games, workers=workers)
    return result.games / (time.perf_counter() - began)


def main(
    seconds: Annotated[float, typer.Option(help="Seconds of each case in this process.")] = 15,
    repeats: Annotated[int, typer.Option(help="The number of repeats of every case.")] = 5,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure heuristic agents and networks in both games."""
    baseline, *others = KINDS
    table = Table("games", *KINDS, *(f"{kind}, ratio" for kind in others))
    for column in table.columns[1:]:
        column.justify = "right"
    figures: dict[str, float] = {}
    with ExitStack() as stack:
        workers: dict[str, Workers] = {}
        for kind, options in KINDS.items():
            began = time.perf_counter()
            workers[kind] = stack.enter_context(open_workers(**options))  # type: ignore[arg-type]
            evaluate(["random"], games=WARM_UP, workers=workers[kind])
            figures[f"start of {kind}"] = time.perf_counter() - began
        for game in registry.names():
            for agent in ("heuristic", "network"):
                for workers_of_kind in workers.values():
                    rate(game, agent, WARM_UP, workers_of_kind)
                games = max(int(rate(game, agent, WARM_UP, None) * seconds), WARM_UP)
                timed = {
                    kind: partial(rate, game, agent, games, workers_of_kind)
                    for kind, workers_of_kind in workers.items()
                }
                rates = report.in_turns(timed, repeats, f"{game}, {agent}")
                ratios = {kind: report.median_ratio(rates, kind, baseline) for kind in others}
                figures |= {f"{game}, {agent}, {kind}": ratio for kind, ratio in ratios.items()}
                medians = [f"{statistics.median(measured):,.0f}" for measured in rates.values()]
                table.add_row(
                    f"{game}, {agent}s", *medians, *(f"{ratio:.2f}" for ratio in ratios.values())
                )
    console = Console()
    console.print(table)
    started = ", ".join(f"{kind} {figures[f'start of {kind}']:.1f} s" for kind in others)
    console.print(
        f"Games a second. Ratios are to this process and should be at least {TARGET}. "
        f"Starting took: {started}."
    )
    report.save(output, {}, figures)


if __name__ == "__main__":
    typer.run(main)
