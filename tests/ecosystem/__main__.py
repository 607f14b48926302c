"""Try the recipes of docs/libraries: `make test-ecosystem`, `python -m tests.ecosystem sb3 rllib`.

Each library is installed with pip into an environment of its own under build/ecosystem, where the
recipe's tests run.  What came of it becomes its row in the table of docs/libraries.md.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import venv
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree

import typer

from tests.ecosystem.libraries import LIBRARIES, RECIPES, ROOT, Library

PAGE = ROOT / "docs" / "libraries.md"
BEGIN, END = "<!-- written by `make test-ecosystem` -->", "<!-- end -->"
BESIDE = ("gymnasium", "pettingzoo", "numpy", "torch")
"""What else matters to whether a library works."""
TEST_TOOLS = ("pytest", "hypothesis")
"""What the tests need, in the versions of constraints.txt."""
KEYS = [library.key for library in LIBRARIES]
_MINUTES = 20


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
        python = folder / "bin" / "python"
        print(f"{library.title}: installing into {folder.relative_to(ROOT)} and testing")
        if not python.exists():
            venv.create(folder, with_pip=True)
        fault = _installed(library, python) or _tested(library, python, folder / "report.xml")
        print(f"{library.title}: {fault or 'works'}")
        faults += [fault] if fault else []
        _write(library, _versions(python), fault)
    if faults:
        raise typer.Exit(1)


def _installed(library: Library, python: Path) -> str | None:
    """What pip says if it cannot install it."""
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    tools = [line for line in pinned if line.partition("==")[0] in TEST_TOOLS]
    wanted = RECIPES / f"{library.key}.txt"
    done = _run(python, "-m", "pip", "install", "--quiet", "-e", ".", "-r", wanted, *tools)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    why = " ".join(errors or ["no reason given"])[:300]
    return f"pip cannot install it: {why}" if done.returncode else None


def _tested(library: Library, python: Path, report: Path) -> str | None:
    """The first reason why a test did not pass."""
    report.unlink(missing_ok=True)
    words = ["-q", "-p", "no:cacheprovider", f"--junitxml={report}", "-k", f"test_{library.key}"]
    files = ["test_recipes.py", *(["test_openspiel.py"] if library.key == "openspiel" else [])]
    done = _run(python, "-m", "pytest", *words, *(Path(__file__).parent / file for file in files))
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


def _versions(python: Path) -> dict[str, str]:
    """Of everything installed; a local version such as 2.13.0+cpu says where a build came from."""
    listed = _run(python, "-m", "pip", "list", "--format", "json")
    rows = json.loads(listed.stdout) if not listed.returncode else []
    named = {row["name"].lower().replace("_", "-"): row["version"] for row in rows}
    return {name: f"{name} {version.partition('+')[0]}" for name, version in named.items()}


def _write(library: Library, versions: dict[str, str], fault: str | None) -> None:
    """Put a library's row into the table, in place of its last one."""
    own = [versions.get(name, f"{name} not installed") for name in library.distributions]
    others = [name for name in BESIDE if name not in library.distributions]
    beside = [versions[name] for name in others if name in versions]
    result = f"**does not work**: {fault}" if fault else "works"
    cells = (library.title, ", ".join(own), ", ".join(beside), platform.python_version(), result)
    row = "| " + " | ".join(re.sub(r"\s*\|\s*", " / ", cell) for cell in cells) + " |\n"
    before, table, after = re.split(f"({BEGIN}.*?)(?={END})", PAGE.read_text("utf-8"), flags=re.S)
    last = re.compile(rf"^\| {re.escape(library.title)} \|.*\n", re.MULTILINE)
    found = last.sub(lambda _: row, table)
    if not last.search(table):
        found = f"{table.rstrip()}\n{row}\n"
    PAGE.write_text(before + found + after, encoding="utf-8")


def _run(*command: object) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    try:
        return subprocess.run(
            words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60 * _MINUTES
        )
    except subprocess.TimeoutExpired:
        fault = f"ERROR: not done after {_MINUTES} minutes"
        return subprocess.CompletedProcess(words, -1, "", fault)


if __name__ == "__main__":
    typer.run(main)
