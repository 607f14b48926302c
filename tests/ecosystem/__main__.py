"""Try the recipes of docs/libraries: `make test-ecosystem`, `python -m tests.ecosystem sb3 rllib`.

Each library is installed with pip into an environment of its own under build/ecosystem, where the
recipe's tests run.  What came of it becomes its row in the table of docs/libraries.md.
"""

from __future__ import annotations

import platform
import venv
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree

import typer

from tests.ecosystem.libraries import LIBRARIES, RECIPES, ROOT, Library
from tests.ecosystem.trial import PINNED, installed, python_of, run, versions, write_row

BEGIN = "<!-- written by `make test-ecosystem` -->"
BESIDE = ("gymnasium", "pettingzoo", "numpy", "torch")
"""What else matters to whether a library works."""
TEST_TOOLS = ("pytest", "hypothesis")
"""What the tests need, in the versions of constraints.txt."""
KEYS = [library.key for library in LIBRARIES]


def main(
    libraries: Annotated[
        list[str] | None, typer.Argument(help=f"Which to try: {', '.join(KEYS)}; or all.")
    ] = None,
) -> None:
    """Install every library, run its recipe and write its row into docs/libraries.md."""
    for name in libraries or []:
        if name not in KEYS:
            raise typer.BadParameter(f"{name}: there is {', '.join(KEYS)}")
    faults = []
    for library in LIBRARIES:
        if libraries and library.key not in libraries:
            continue
        folder = ROOT / "build" / "ecosystem" / library.key
        python = python_of(folder)
        print(f"{library.title}: installing into {folder.relative_to(ROOT)} and testing")
        if not python.exists():
            venv.create(folder, with_pip=True)
        fault = _installed(library, python) or _tested(library, python, folder / "report.xml")
        print(f"{library.title}: {fault or 'works'}")
        faults += [fault] if fault else []
        _write(library, versions(python), fault)
    if faults:
        raise typer.Exit(1)


def _installed(library: Library, python: Path) -> str | None:
    """What pip says if it cannot install it."""
    tools = [line for line in PINNED if line.partition("==")[0] in TEST_TOOLS]
    return installed(python, "-e", ".", "-r", RECIPES / f"{library.key}.txt", *tools)


def _tested(library: Library, python: Path, report: Path) -> str | None:
    """The first reason why a test did not pass."""
    report.unlink(missing_ok=True)
    words = ["-q", "-p", "no:cacheprovider", f"--junitxml={report}", "-k", f"test_{library.key}"]
    files = ["test_recipes.py", *(["test_openspiel.py"] if library.key == "openspiel" else [])]
    done = run(python, "-m", "pytest", *words, *(Path(__file__).parent / file for file in files))
    if not report.exists():
        return f"the tests ended with {done.returncode} before they reported"
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    faults = [
        f"{case.get('name')}: {part.get('message', '')}"
        for case in cases
        for part in case
        if part.tag in ("failure", "error", "skipped")
    ]
    return " ".join(faults[0].split())[:300] if faults else None if cases else "there is no test"


def _write(library: Library, found: dict[str, str], fault: str | None) -> None:
    """Put a library's row into docs/libraries.md."""
    own = [found.get(name, f"{name} not installed") for name in library.distributions]
    others = [name for name in BESIDE if name not in library.distributions]
    beside = [found[name] for name in others if name in found]
    result = f"**does not work**: {fault}" if fault else "works"
    cells = ", ".join(own), ", ".join(beside), platform.python_version(), result
    write_row(BEGIN, (library.title,), *cells)


if __name__ == "__main__":
    typer.run(main)
