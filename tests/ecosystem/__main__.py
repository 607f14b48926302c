"""Try the recipes of docs/libraries: `make test-ecosystem`, `python -m tests.ecosystem sb3 rllib`.

Each library is installed with pip into an environment of its own under build/ecosystem, where the
recipe's tests run.  The table in docs/libraries.md is written from what came of it; a library that
is not named keeps what came of it last.
"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from tests.ecosystem import table
from tests.ecosystem.environments import LIBRARIES, kept, tried

KEYS = [library.key for library in LIBRARIES]


def main(
    libraries: Annotated[
        list[str] | None, typer.Argument(help=f"Which to try: {', '.join(KEYS)}; or all.")
    ] = None,
) -> None:
    """Install every library, run its recipe and write the table of docs/libraries.md."""
    console = Console()
    for name in libraries or []:
        if name not in KEYS:
            raise typer.BadParameter(f"{name}: there is {', '.join(KEYS)}")
    failed = []
    for library in LIBRARIES:
        if libraries and library.key not in libraries:
            continue
        outcome = tried(library, lambda text: console.print(text, markup=False))
        works = f"works, {outcome.passed} tests passed"
        console.print(f"{library.title}: {outcome.fault or works}", markup=False)
        if outcome.fault:
            failed.append(library.title)
    table.write((library, last) for library in LIBRARIES if (last := kept(library)))
    if failed:
        console.print(f"does not work: {', '.join(failed)}", markup=False)
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
