"""The fuzzer: `make fuzz`, or `python -m tests.fuzz [TARGETS]`.

Feeds inputs from outside, mutated and absurd, to everything that reads any, in processes that may
die of it.  An input has to be refused with an error of the project's own, or be played to the end.
A crash, a hang of five seconds, 2 GB of memory and any other exception are findings.

The mutations are our own: Atheris needs an interpreter and extensions built with Clang to see
inside what is compiled, and Numba's code cannot be; Hypothesis draws some hundred inputs a second,
and knows cases by its own database, not by a number.
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.fuzz import campaign
from tests.fuzz.campaign import Result
from tests.fuzz.cases import generator, names, target
from tests.fuzz.findings import distinct

UNBOUNDED = 10**9
MINUTES = 30.0
"""Where neither --cases nor --minutes is given."""


def main(
    targets: Annotated[
        list[str] | None, typer.Argument(help=f"What to attack: {', '.join(names())}; or all.")
    ] = None,
    cases: Annotated[int | None, typer.Option(min=1, help="Of every target.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=0.01, help=f"In all, in equal parts; {MINUTES:g} without --cases."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Chance; without it, drawn.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    case: Annotated[
        int | None, typer.Option(min=0, help="One case alone, in this process.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--json", help="Where to write the figures.")] = None,
) -> None:
    """Attack the project and report what it does not withstand; exit code 1 if anything."""
    chosen = targets or names()
    for name in chosen:
        if name not in names():
            raise typer.BadParameter(f"no target {name!r}; there are {', '.join(names())}")
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    if case is not None:
        for name in chosen:
            target(name).prepare()
            typer.echo(f"{name} {case}: {target(name).check(generator(name, seed, case))}")
        return
    console = Console()
    console.print(f"seed {seed}, {workers} workers")
    if minutes is None:
        minutes = MINUTES if cases is None else float("inf")
    each, most = 60 * minutes / len(chosen), cases or UNBOUNDED
    results = [_watched(console, name, seed, most, workers, each) for name in chosen]
    _report(console, results)
    if file is not None:
        file.write_text(json.dumps([asdict(result) for result in results], indent=1))
    if any(result.findings for result in results):
        raise typer.Exit(1)


def _watched(
    console: Console, name: str, seed: int, cases: int, workers: int, seconds: float
) -> Result:
    columns = (
        TextColumn(f"{name:12}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} cases, {task.fields[found]} findings"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(name, total=None if cases == UNBOUNDED else cases, found=0)
        return campaign.run(
            name,
            seed=seed,
            cases=cases,
            workers=workers,
            seconds=seconds,
            show=lambda done, found: bar.update(task, completed=done, found=found),
        )


def _report(console: Console, results: list[Result]) -> None:
    table = Table(title="Inputs fed")
    for heading in ("target", "cases", "per second", "peak MB", "findings"):
        table.add_column(heading, justify="left" if heading == "target" else "right")
    table.add_column("of these")
    for result in results:
        table.add_row(
            result.target,
            f"{result.cases:,}",
            f"{result.cases / max(result.seconds, 1e-9):,.0f}",
            f"{result.peak / 1e6:,.0f}",
            f"{len(result.findings):,}",
            ", ".join(f"{count:,} {word}" for word, count in result.words.items()),
        )
    total = sum(result.cases for result in results)
    table.add_row("all", f"{total:,}", "", "", f"{sum(len(r.findings) for r in results):,}", "")
    console.print(table)
    for finding, count in distinct(found for result in results for found in result.findings):
        alone = {True: "", False: ", not alone", None: ""}[finding.alone]
        console.print(f"[bold]{finding.kind}[/] {escape(finding.what)} ({count} cases{alone})")
        console.print(f"  {finding.command}", style="dim")


if __name__ == "__main__":
    typer.run(main)
