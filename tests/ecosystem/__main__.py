"""Tests in separate environments: recipes of other libraries, and the oldest versions of extras.

`python -m tests.ecosystem recipes sb3 rllib` (`make test-ecosystem`) tests recipes of
docs/libraries. `python -m tests.ecosystem floors arena table` (`make test-floors`) installs the
wheel with each extra and its oldest libraries, and runs uses.py. Both need only Python to start,
and install everything else.
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
"""A library whose version is always the one of constraints.txt, since it takes gigabytes."""
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = {"base": _PROJECT["dependencies"]} | {
    extra: wanted
    for extra, wanted in _PROJECT["optional-dependencies"].items()
    if extra not in ("docs", "notebooks", "dev")  # these are for the checkout alone
}
_MINUTES = 20


def recipes(libraries: list[str]) -> None:
    """Install libraries, all by default, into build/ecosystem, and run their recipes' tests."""

    def fault_of(library: str) -> str:
        python = _environment(ROOT / "build" / "ecosystem" / library)
        tools = [line for line in PINNED if line.partition("==")[0] in TEST_TOOLS]
        fault = _install(python, "-e", ".", "-r", RECIPES / f"{library}.txt", *tools)
        if fault:
            return fault
        options = ["-q", "-p", "no:cacheprovider", "-k", f"test_{library}"]
        return _fault(python, "-m", "pytest", *options, Path(__file__).parent)

    _report(libraries or LIBRARIES, fault_of)


def floors(extras: list[str], use: str) -> None:
    """Install the wheel with each extra and its oldest libraries, and run uses.py.

    Args:
        extras: The extras, all if the list is empty.
        use: The function of uses.py to run, by default the one named after the extra.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        checkout = folder / "checkout"
        _copy_checkout(checkout)
        options = ["--quiet", "--no-deps", "--wheel-dir", folder]
        fault = _fault(sys.executable, "-m", "pip", "wheel", *options, checkout)
        if fault:
            raise RuntimeError(f"the wheel was not built: {fault}")
        wheel = next(folder.glob("*.whl"))

        def fault_of(extra: str) -> str:
            environment = folder / extra
            python = _environment(environment)
            work = environment / "work"
            work.mkdir()
            constraints = environment / "constraints.txt"
            lines = "".join(f"{line}\n" for line in _oldest(extra))
            constraints.write_text(lines, encoding="utf-8")
            package = wheel if extra == "base" else f"{wheel}[{extra}]"
            fault = _install(python, package, "-c", constraints)
            if not fault:
                program = Path(__file__).parent / "uses.py"
                fault = _fault(python, "-I", program, use or extra, checkout, cwd=work)
            shutil.rmtree(environment)
            return fault

        _report(extras or EXTRAS, fault_of)


def _copy_checkout(target: Path) -> None:
    """Copy the files of the checkout that Git does not ignore, so that nothing is built into it."""
    listed = _run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def _oldest(extra: str) -> Iterable[str]:
    """Yield pip's constraints for the oldest libraries that an extra takes."""
    yield from (line for line in PINNED if line.startswith(f"{ONE_VERSION}=="))
    for name in {"base", extra}:
        for requirement in EXTRAS[name]:
            bound = re.match(r"([\w.-]+)[^<>=]*>=([\w.]+)", requirement)
            if bound is None:
                raise ValueError(
                    f"pyproject.toml: {requirement} needs a lower bound first, such as >=1.0"
                )
            if bound[1] != ONE_VERSION:
                yield f"{bound[1]}=={bound[2]}"


def _report(names: Iterable[str], fault_of: Callable[[str], str]) -> None:
    """Print the fault of each name or that it works, and exit with 1 if there is a fault."""
    failed = False
    for name in names:
        fault = fault_of(name)
        print(f"{name}: {fault or 'works'}", flush=True)
        failed |= bool(fault)
    if failed:
        raise SystemExit(1)


def _environment(folder: Path) -> Path:
    """Return the Python of an environment, which is made if it does not exist."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return python


def _install(python: Path, *arguments: object) -> str:
    """Install packages, and return the end of pip's output if that fails."""
    # Python compiles modules when they are imported, and only a small part of them is.
    return _fault(python, "-m", "pip", "install", "--quiet", "--no-compile", *arguments)


def _fault(*command: object, cwd: Path = ROOT) -> str:
    """Run a command, and return the end of its output if it fails."""
    done = _run(*command, cwd=cwd)
    return (done.stdout + done.stderr).strip()[-3000:] if done.returncode else ""


def _run(*command: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
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
    parser.add_argument("--use", default="", help="floors: another function of uses.py to run")
    args = parser.parse_args()
    if args.command == "recipes":
        recipes(args.names)
    else:
        floors(args.names, args.use)
