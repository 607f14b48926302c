"""Try each extra with the oldest libraries that pyproject.toml takes: `make test-floors`.

`python -m tests.ecosystem.extras arena table` makes a new environment for each, installs the wheel
with that extra into it, and does what uses.py says.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Annotated

import typer
from packaging.requirements import Requirement

from tests.ecosystem.libraries import PINNED, ROOT, ended, installed, python_of

ONE_VERSION = "torch"
"""Always that of constraints.txt: every release takes gigabytes."""
BASE = "base"
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_FOR_WORK = ("docs", "notebooks", "dev")
"""Extras of the checkout alone, in the versions of constraints.txt."""
NAMED = {BASE: _PROJECT["dependencies"]} | {
    extra: wanted
    for extra, wanted in _PROJECT["optional-dependencies"].items()
    if extra not in _FOR_WORK
}
"""What pyproject.toml asks for, by extra."""


def main(
    extras: Annotated[
        list[str] | None, typer.Argument(help=f"Which to try: {', '.join(NAMED)}; or all.")
    ] = None,
    use: Annotated[str | None, typer.Option(help="Another use of uses.py.")] = None,
) -> None:
    """Install the wheel with each extra, use it, and say what came of it."""
    faults = 0
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        checkout = _copied(place / "checkout")
        wheel = _built(checkout, place / "wheel")
        for extra in extras or NAMED:
            print(f"{extra}: installing and using it", flush=True)
            folder = place / extra
            fault = _installed(folder, wheel, extra) or _used(folder, use or extra, checkout)
            print(f"{extra}: {fault or 'works'}", flush=True)
            faults += fault is not None
            shutil.rmtree(folder)
    if faults:
        raise typer.Exit(1)


def _floors(extra: str) -> list[str]:
    """For pip: the lower bounds of all that is installed with an extra."""
    wanted = [Requirement(line) for name in {BASE, extra} for line in NAMED[name]]
    pinned = [line for line in PINNED if line.startswith(f"{ONE_VERSION}==")]
    return pinned + [_floor(one) for one in wanted if one.name != ONE_VERSION]


def _floor(wanted: Requirement) -> str:
    """The oldest release that a requirement takes; ValueError if it does not say."""
    bounds = [one.version for one in wanted.specifier if one.operator == ">="]
    if len(bounds) != 1:
        raise ValueError(f"pyproject.toml: {wanted} needs one lower bound, such as >=1.0")
    return f"{wanted.name}=={bounds[0]}"


def _copied(folder: Path) -> Path:
    """A copy of the checkout's own files, so that nothing is built into it."""
    listed = ended("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def _built(checkout: Path, folder: Path) -> Path:
    """The wheel."""
    words = "--no-isolation", "--wheel", "--outdir", folder
    done = ended(sys.executable, "-m", "build", *words, checkout)
    if done.returncode:
        raise RuntimeError(f"the wheel was not built: {done.stderr}")
    return next(folder.glob("*.whl"))


def _installed(folder: Path, wheel: Path, extra: str) -> str | None:
    """Install an extra of the wheel into a new environment; the fault, if there is one."""
    made = ended(sys.executable, "-m", "venv", folder)
    if made.returncode:
        return f"no environment: {made.stdout}{made.stderr}"
    limits = folder / "constraints.txt"
    limits.write_text("".join(f"{line}\n" for line in _floors(extra)), encoding="utf-8")
    wanted = wheel if extra == BASE else f"{wheel}[{extra}]"
    return installed(python_of(folder), wanted, "-c", limits)


def _used(folder: Path, use: str, checkout: Path) -> str | None:
    """What uses.py says if something fails; no package of the checkout is imported."""
    work = folder / "work"
    work.mkdir()
    program = Path(__file__).parent / "uses.py"
    done = ended(python_of(folder), "-I", program, use, checkout, cwd=work)
    return (done.stderr or done.stdout).strip()[-3000:] if done.returncode else None


if __name__ == "__main__":
    typer.run(main)
