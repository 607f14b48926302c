"""Measure how much faster two workers are: `make bench ARGS=workers`.

The results are games of `evaluate` a second at the usual seats, in this process, on two processes
and on a Ray cluster of two cores started here. Cases take turns, and ratios are taken within a
repeat. Starting workers is measured apart, since it takes the same few seconds however many games
follow.
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
KINDS = {"this process": {}, "2 processes": {"processes": 2}, "Ray": {"ray": "local"}}
WARM_UP = 256
"""Games that make workers load what they need."""


def rate(game: str, agent: str, games: int, workers: Workers | None) -> float:
    """Return games a second of an agent against its copies."""
    seats = usual_seats(game)
    began = time.perf_counter()
    found = evaluate([agent] * seats, game, games=games, workers=workers)
    return found.games / (time.perf_counter() - began)


def main(
    seconds: Annotated[float, typer.Option(help="Of each case in this process.")] = 15,
    repeats: Annotated[int, typer.Option(help="Measurements of each case.")] = 5,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure heuristic agents and networks in both games."""
    table = Table("games", *KINDS, *(f"{kind}, ratio" for kind in list(KINDS)[1:]))
    for column in table.columns[1:]:
        column.justify = "right"
    figures: dict[str, float] = {}
    with ExitStack() as stack:
        crews: dict[str, Workers] = {}
        for kind, options in KINDS.items():
            began = time.perf_counter()
            crews[kind] = stack.enter_context(open_workers(**options))  # type: ignore[arg-type]
            evaluate(["random"], games=WARM_UP, workers=crews[kind])
            figures[f"start of {kind}"] = time.perf_counter() - began
        for game in registry.names():
            for agent in ("heuristic", "network"):
                for crew in crews.values():
                    rate(game, agent, WARM_UP, crew)
                games = max(int(rate(game, agent, WARM_UP, None) * seconds), WARM_UP)
                timed = {
                    kind: partial(rate, game, agent, games, crew) for kind, crew in crews.items()
                }
                found = report.in_turns(timed, repeats, f"{game}, {agent}")
                ratios = {
                    kind: report.median_ratio(found, kind, "this process")
                    for kind in list(KINDS)[1:]
                }
                figures |= {f"{game}, {agent}, {kind}": ratio for kind, ratio in ratios.items()}
                rates = [f"{statistics.median(speeds):,.0f}" for speeds in found.values()]
                table.add_row(
                    f"{game}, {agent}s", *rates, *(f"{ratio:.2f}" for ratio in ratios.values())
                )
    console = Console()
    console.print(table)
    started = ", ".join(f"{kind} {figures[f'start of {kind}']:.1f} s" for kind in list(KINDS)[1:])
    console.print(f"Games a second; ratios to this process, target {TARGET}. Start: {started}")
    report.save(output, {}, figures)


if __name__ == "__main__":
    typer.run(main)
