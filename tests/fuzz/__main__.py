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

from tests.fuzz import campaign
from tests.fuzz.campaign import distinct, generator, names, target

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
    print(f"seed {seed}, {workers} workers")
    if minutes is None:
        minutes = MINUTES if cases is None else float("inf")
    each, most = min(60 * minutes / len(chosen), 1e9), cases or UNBOUNDED
    results = []
    for name in chosen:
        result = campaign.run(name, seed=seed, cases=most, workers=workers, seconds=each)
        words = ", ".join(f"{count:,} {word}" for word, count in result.words.items())
        speed = result.cases / max(result.seconds, 1e-9)
        print(
            f"{name:12} {result.cases:10,} cases, {speed:,.0f} a second, "
            f"{result.peak / 1e6:,.0f} MB at most: {words}",
            flush=True,
        )
        for finding, count in distinct(result.findings):
            print(f"{finding.kind} {finding.what} ({count} cases)\n  {finding.command}")
        results.append(result)
    print(f"{'all':12} {sum(result.cases for result in results):10,} cases")
    if file is not None:
        file.write_text(json.dumps([asdict(result) for result in results], indent=1))
    if any(result.findings for result in results):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
