"""The fuzzer: `make fuzz`, or `python -m tests.fuzz [TARGETS]`.

Feeds inputs from outside, mutated and absurd, to everything that reads any, in processes that may
die of it.  An input has to be refused with an error of the project's own, or be played to the end.
A crash, a hang of five seconds, 2 GB of memory and any other exception are findings.

The mutations are our own: Atheris needs an interpreter and extensions built with Clang to see
inside what is compiled, and Numba's code cannot be; Hypothesis draws some hundred inputs a second,
and knows cases by its own database, not by a number.
"""

from __future__ import annotations

import os
import random
from typing import Annotated

import typer

from tests.fuzz import campaign
from tests.fuzz.campaign import distinct, generator, names, target


def main(
    targets: Annotated[
        list[str] | None, typer.Argument(help=f"What to attack: {', '.join(names())}; or all.")
    ] = None,
    cases: Annotated[int, typer.Option(min=1, help="Of every target, at most.")] = 10**9,
    minutes: Annotated[float, typer.Option(min=0.01, help="In all, in equal parts.")] = 30.0,
    seed: Annotated[int | None, typer.Option(help="Chance; without it, drawn.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    case: Annotated[
        int | None, typer.Option(min=0, help="One case alone, in this process.")
    ] = None,
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
    each, all_cases, is_whole = 60 * minutes / len(chosen), 0, True
    for name in chosen:
        found = campaign.run(name, seed=seed, cases=cases, workers=workers, seconds=each)
        words = ", ".join(f"{count:,} {word}" for word, count in found.words.items())
        number = found.words.total()
        speed = number / max(found.seconds, 1e-9)
        print(
            f"{name:12} {number:10,} cases, {speed:,.0f} a second, "
            f"{found.peak / 1e6:,.0f} MB at most: {words}",
            flush=True,
        )
        for finding, count in distinct(found.findings):
            print(f"{finding.kind} {finding.what} ({count} cases)\n  {finding.command}")
        all_cases, is_whole = all_cases + number, is_whole and not found.findings
    print(f"{'all':12} {all_cases:10,} cases")
    if not is_whole:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
