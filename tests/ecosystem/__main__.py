"""Try the recipes of docs/libraries: `make test-ecosystem`, `python -m tests.ecosystem sb3 rllib`.

Each library is installed with pip into an environment of its own under build/ecosystem, where the
recipe's tests run.
"""

from __future__ import annotations

import venv
from pathlib import Path
from typing import Annotated

import typer

from tests.ecosystem.libraries import (
    LIBRARIES,
    PINNED,
    RECIPES,
    ROOT,
    Library,
    ended,
    installed,
    python_of,
)

TEST_TOOLS = ("pytest", "hypothesis")
"""What the tests need, in the versions of constraints.txt."""
KEYS = [library.key for library in LIBRARIES]


def main(
    libraries: Annotated[
        list[str] | None, typer.Argument(help=f"Which to try: {', '.join(KEYS)}; or all.")
    ] = None,
) -> None:
    """Install every library, run its recipe's tests and say what came of it."""
    faults = 0
    for library in LIBRARIES:
        if libraries and library.key not in libraries:
            continue
        print(f"{library.title}: installing and testing", flush=True)
        fault = _fault(library, ROOT / "build" / "ecosystem" / library.key)
        print(f"{library.title}: {fault or 'works'}", flush=True)
        faults += fault is not None
    if faults:
        raise typer.Exit(1)


def _fault(library: Library, folder: Path) -> str | None:
    python = python_of(folder)
    if not python.exists():
        venv.create(folder, with_pip=True)
    tools = [line for line in PINNED if line.partition("==")[0] in TEST_TOOLS]
    fault = installed(python, "-e", ".", "-r", RECIPES / f"{library.key}.txt", *tools)
    if fault is not None:
        return fault
    words = ["-q", "-p", "no:cacheprovider", "-k", f"test_{library.key}"]
    done = ended(python, "-m", "pytest", *words, Path(__file__).parent)
    return done.stdout[-3000:] if done.returncode else None


if __name__ == "__main__":
    typer.run(main)
