"""Tests in environments of their own: recipes of libraries, and oldest versions of extras.

`python -m tests.ecosystem recipes sb3 rllib` (`make test-ecosystem`) runs the tests of recipes of
docs/libraries, and `python -m tests.ecosystem floors arena table` (`make test-floors`) installs the
wheel with each extra and its oldest libraries, and does what uses.py says.  Python alone is enough
to start them: they install whatever they need.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.ecosystem.libraries import LIBRARIES, RECIPES, ROOT

PINNED = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
TEST_TOOLS = ("pytest", "hypothesis")
ONE_VERSION = "torch"
"""Always that of constraints.txt: every release takes gigabytes."""
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = {"base": _PROJECT["dependencies"]} | {
    extra: wanted
    for extra, wanted in _PROJECT["optional-dependencies"].items()
    if extra not in ("docs", "notebooks", "dev")  # of the checkout alone
}
_MINUTES = 20


def recipes(libraries: list[str]) -> None:
    """Install libraries, all by default, into build/ecosystem, and run their recipes' tests."""

    def fault_of(key: str) -> str:
        python = _environment(ROOT / "build" / "ecosystem" / key)
        tools = [line for line in PINNED if line.partition("==")[0] in TEST_TOOLS]
        words = ["-q", "-p", "no:cacheprovider", "-k", f"test_{key}"]
        return _installed(python, "-e", ".", "-r", RECIPES / f"{key}.txt", *tools) or _fault(
            python, "-m", "pytest", *words, Path(__file__).parent
        )

    _report(libraries or LIBRARIES, fault_of)


def floors(extras: list[str], use: str) -> None:
    """Install the wheel with extras, all by default, and use it, or as another use of uses.py."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        checkout = place / "checkout"
        # A copy of the checkout's own files, so that nothing is built into it.
        listed = _ended("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (checkout / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, checkout / name)
        words = "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place
        if fault := _fault(sys.executable, "-m", *words, checkout):
            raise RuntimeError(f"the wheel was not built: {fault}")
        wheel = next(place.glob("*.whl"))

        def fault_of(extra: str) -> str:
            folder = place / extra
            python = _environment(folder)
            (work := folder / "work").mkdir()
            limits = folder / "constraints.txt"
            limits.write_text("".join(f"{line}\n" for line in _oldest(extra)), encoding="utf-8")
            wanted = wheel if extra == "base" else f"{wheel}[{extra}]"
            program = Path(__file__).parent / "uses.py"
            fault = _installed(python, wanted, "-c", limits) or _fault(
                *(python, "-I", program, use or extra, checkout), cwd=work
            )
            shutil.rmtree(folder)
            return fault

        _report(extras or EXTRAS, fault_of)


def _oldest(extra: str) -> Iterable[str]:
    """For pip: the lower bounds of all that is installed with an extra."""
    yield from (line for line in PINNED if line.startswith(f"{ONE_VERSION}=="))
    for wanted in (line for name in {"base", extra} for line in EXTRAS[name]):
        if not (bound := re.match(r"([\w.-]+)[^<>=]*>=([\w.]+)", wanted)):
            raise ValueError(f"pyproject.toml: {wanted} needs a lower bound first, such as >=1.0")
        if bound[1] != ONE_VERSION:
            yield f"{bound[1]}=={bound[2]}"


def _report(names: Iterable[str], fault_of: Callable[[str], str]) -> None:
    failed = False
    for name in names:
        fault = fault_of(name)
        print(f"{name}: {fault or 'works'}", flush=True)
        failed |= bool(fault)
    if failed:
        raise SystemExit(1)


def _environment(folder: Path) -> Path:
    """Return the Python of an environment, and make the environment if there is none."""
    if not (python := folder / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return python


def _installed(python: Path, *wanted: object) -> str:
    """Install packages, and return what pip says if it cannot."""
    # Python compiles what is imported, a small part of what is installed.
    return _fault(python, "-m", "pip", "install", "--quiet", "--no-compile", *wanted)


def _fault(*command: object, cwd: Path = ROOT) -> str:
    """Run a command, and return the end of its output if it fails."""
    done = _ended(*command, cwd=cwd)
    return (done.stdout + done.stderr).strip()[-3000:] if done.returncode else ""


def _ended(*command: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    try:
        return subprocess.run(
            words, cwd=cwd, capture_output=True, text=True, check=False, timeout=60 * _MINUTES
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", f"not done after {_MINUTES} minutes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.ecosystem", description=__doc__)
    parser.add_argument("command", choices=["recipes", "floors"])
    parser.add_argument("names", nargs="*", help="libraries or extras; all by default")
    parser.add_argument("--use", default="", help="what floors do with the wheel, in uses.py")
    given = parser.parse_args()
    if given.command == "recipes":
        recipes(given.names)
    else:
        floors(given.names, given.use)
