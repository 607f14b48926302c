"""Try each extra with the oldest or newest libraries: `make test-floors`, `make test-newest`.

`python -m tests.ecosystem.extras oldest arena table` makes a new environment for each, installs the
wheel with that extra into it, and does what uses.py says.  What came of it becomes its row in the
table of docs/libraries.md.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rich.console import Console
from rich.table import Table

from tests.ecosystem.libraries import ROOT
from tests.ecosystem.trial import PINNED, installed, python_of, run, versions, write_row

BEGIN = "<!-- written by `make test-floors` and `make test-newest` -->"
ONE_VERSION = "torch"
"""Always that of constraints.txt: every release takes gigabytes."""
WITH: dict[str, tuple[str, ...]] = {}
"""Extras that are used with others alone."""
BASE = "base"
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMED = {BASE: _PROJECT["dependencies"], **_PROJECT["optional-dependencies"]}
"""What pyproject.toml asks for, by extra."""


class Versions(StrEnum):
    """Which releases of libraries to install."""

    OLDEST = "oldest"
    NEWEST = "newest"


def main(
    which: Annotated[
        Versions, typer.Argument(help="Those that pyproject.toml begins at, or the latest.")
    ],
    extras: Annotated[
        list[str] | None, typer.Argument(help=f"Which to try: {', '.join(NAMED)}; or all.")
    ] = None,
    python: Annotated[str, typer.Option(help="The Python to try them with.")] = sys.executable,
    use: Annotated[
        str | None, typer.Option(help="Another use of uses.py; no row is written.")
    ] = None,
) -> None:
    """Install the wheel with each extra, use it, and say what came of it."""
    for name in extras or []:
        if name not in NAMED:
            raise typer.BadParameter(f"{name}: there is {', '.join(NAMED)}")
    constraints = {name: _constraints(name, which) for name in NAMED}
    shown = Table("Extra", "Versions", "Result", "Seconds", title=f"The {which} libraries")
    faults = 0
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        checkout = _copied(place / "checkout")
        wheel = _built(checkout, place / "wheel")
        for extra in extras or NAMED:
            print(f"{extra}, {which}: installing and using it", flush=True)
            began, folder = time.monotonic(), place / extra
            fault = _installed(folder, python, wheel, extra, constraints[extra])
            fault = fault or _used(folder, use or extra, checkout)
            seconds = f"{time.monotonic() - began:.0f}"
            print(f"{extra}, {which}: {fault or 'works'}, {seconds} seconds", flush=True)
            own = _own_versions(folder, extra)
            shown.add_row(extra, own, "does not work" if fault else "works", seconds)
            faults += fault is not None
            if use is None:
                result = f"**does not work**: {fault.splitlines()[-1]}" if fault else "works"
                write_row(BEGIN, (extra, which, _python(folder)), own, result)
            shutil.rmtree(folder)
    Console().print(shown)
    if faults:
        raise typer.Exit(1)


def _constraints(extra: str, which: Versions) -> list[str]:
    """For pip: the lower bounds of all that is installed with an extra, or of nothing."""
    wanted = [one for name in _together(extra) for one in _requirements(name)]
    pinned = [line for line in PINNED if line.startswith(f"{ONE_VERSION}==")]
    if which == Versions.NEWEST:
        return pinned
    return pinned + [_floor(one) for one in wanted if one.name != ONE_VERSION]


def _together(extra: str) -> tuple[str, ...]:
    return (BASE, *WITH.get(extra, ()), *([extra] if extra != BASE else []))


def _requirements(extra: str) -> list[Requirement]:
    return [Requirement(line) for line in NAMED[extra]]


def _floor(wanted: Requirement) -> str:
    """The oldest release that a requirement takes; ValueError if it does not say."""
    bounds = [one.version for one in wanted.specifier if one.operator == ">="]
    if len(bounds) != 1:
        raise ValueError(f"pyproject.toml: {wanted} needs one lower bound, such as >=1.0")
    return f"{wanted.name}=={bounds[0]}"


def _copied(folder: Path) -> Path:
    """A copy of the checkout's own files, so that nothing is built into it."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def _built(checkout: Path, folder: Path) -> Path:
    """The wheel."""
    words = "--no-isolation", "--wheel", "--outdir", folder
    done = run(sys.executable, "-m", "build", *words, checkout)
    if done.returncode:
        raise RuntimeError(f"the wheel was not built: {done.stderr}")
    return next(folder.glob("*.whl"))


def _installed(
    folder: Path, python: str, wheel: Path, extra: str, constraints: list[str]
) -> str | None:
    """Install an extra of the wheel into a new environment; the fault, if there is one."""
    made = run(python, "-m", "venv", folder)
    if made.returncode:
        return f"no environment: {made.stdout}{made.stderr}"
    limits = folder / "constraints.txt"
    limits.write_text("".join(f"{line}\n" for line in constraints), encoding="utf-8")
    names = ",".join(name for name in _together(extra) if name != BASE)
    return installed(python_of(folder), f"{wheel}[{names}]" if names else wheel, "-c", limits)


def _used(folder: Path, use: str, checkout: Path) -> str | None:
    """What uses.py says if something fails; no package of the checkout is imported."""
    work = folder / "work"
    work.mkdir()
    program = Path(__file__).parent / "uses.py"
    done = run(python_of(folder), "-I", program, use, checkout, cwd=work)
    return (done.stderr or done.stdout).strip()[-3000:] if done.returncode else None


def _own_versions(folder: Path, extra: str) -> str:
    """Of the libraries that an extra names."""
    found = versions(python_of(folder))
    names = [canonicalize_name(one.name) for one in _requirements(extra)]
    return ", ".join(found.get(name, f"no {name}") for name in names)


def _python(folder: Path) -> str:
    """Its version, such as 3.11."""
    asked = "import sys; print(f'{sys.version_info.major}.{sys.version_info.minor}')"
    return run(python_of(folder), "-c", asked).stdout.strip()


if __name__ == "__main__":
    typer.run(main)
