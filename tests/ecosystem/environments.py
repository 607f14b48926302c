"""One environment for each library: installed with pip, its recipe tested, its versions read."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import subprocess
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "libraries"
MADE = ROOT / "build" / "ecosystem"
TEST_TOOLS = ("pytest", "hypothesis")
"""What the tests need, in the versions of constraints.txt."""
_MINUTES = 20


@dataclass(frozen=True)
class Library:
    """A library with a recipe.

    Attributes:
        key: Of `docs/libraries/<key>.txt`, what is installed, and of its tests: `test_<key>...`.
        title: Its name.
        distributions: Whose versions make up its own.
    """

    key: str
    title: str
    distributions: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What came of a library.

    Attributes:
        versions: Of everything installed, by lower-case name.
        python: The interpreter's version.
        passed: How many tests passed.
        fault: Why it does not work, None if it does.
    """

    versions: dict[str, str]
    python: str
    passed: int
    fault: str | None


LIBRARIES = (
    Library("sb3", "Stable-Baselines3, sb3-contrib", ("stable-baselines3", "sb3-contrib")),
    Library("cleanrl", "PPO in one file", ("torch",)),
    Library("torchrl", "TorchRL", ("torchrl",)),
    Library("tianshou", "Tianshou", ("tianshou",)),
    Library("rllib", "RLlib", ("ray",)),
    Library("supersuit", "SuperSuit", ("supersuit",)),
    Library("openspiel", "OpenSpiel", ("open-spiel",)),
)


def tried(library: Library, say: Callable[[str], None]) -> Outcome:
    """Install a library, run its tests and keep the outcome, which `kept` reads."""
    folder = MADE / library.key
    python = folder / "bin" / "python"
    say(f"{library.title}: installing into {folder.relative_to(ROOT)}")
    fault = _installed(library, folder, python)
    passed = 0
    if fault is None:
        say(f"{library.title}: testing")
        passed, fault = _tested(library, folder, python)
    versions = _versions(python) if python.exists() else {}
    outcome = Outcome(versions, platform.python_version(), passed, fault)
    MADE.mkdir(parents=True, exist_ok=True)
    _file(library).write_text(json.dumps(vars(outcome), indent=1), encoding="utf-8")
    return outcome


def kept(library: Library) -> Outcome | None:
    """What came of a library when it was last tried here, if it was."""
    if not _file(library).exists():
        return None
    return Outcome(**json.loads(_file(library).read_text(encoding="utf-8")))


def _file(library: Library) -> Path:
    return MADE / f"{library.key}.json"


def _installed(library: Library, folder: Path, python: Path) -> str | None:
    """Install what is new since the last time; what pip says if it cannot."""
    wanted = RECIPES / f"{library.key}.txt"
    inputs = b"".join(path.read_bytes() for path in (wanted, ROOT / "pyproject.toml"))
    stamp, digest = folder / "installed", hashlib.sha256(inputs).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return None
    if not python.exists():
        venv.create(folder, with_pip=True)
    tools = [f"{tool}=={_pinned(tool)}" for tool in TEST_TOOLS]
    command = [python, "-m", "pip", "install", "--quiet", "-e", ".", "-r", wanted, *tools]
    done = _run(command)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
        return "pip cannot install it: " + " ".join(errors or ["no reason given"])[:300]
    stamp.write_text(digest)
    return None


def _pinned(name: str) -> str:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(name)}==(\S+)$", text, re.MULTILINE)
    if found is None:
        raise LookupError(f"constraints.txt does not pin {name}")
    return found[1]


def _tested(library: Library, folder: Path, python: Path) -> tuple[int, str | None]:
    """How many tests passed, and the first reason why others did not."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    tests = ROOT / "tests" / "ecosystem"
    words = ["-q", "-p", "no:cacheprovider", f"--junitxml={report}", "-k", f"test_{library.key}"]
    own = tests / f"test_{library.key}.py"
    files = [tests / "test_recipes.py", *([own] if own.exists() else [])]
    command = [python, "-m", "pytest", *words, *files]
    done = _run(command)
    if not report.exists():
        return 0, f"the tests ended with {done.returncode} before they reported"
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    faults = [
        f"{case.get('name')}: {part.get('message', '')}"
        for case in cases
        for part in case
        if part.tag in ("failure", "error", "skipped")
    ]
    if not cases:
        faults = ["there is no test"]
    return len(cases) - len(faults), " ".join(faults[0].split())[:300] if faults else None


def _versions(python: Path) -> dict[str, str]:
    listed = _run([python, "-m", "pip", "list", "--format", "json"])
    rows = json.loads(listed.stdout) if not listed.returncode else []
    return {row["name"].lower().replace("_", "-"): row["version"] for row in rows}


def _run(command: Sequence[object]) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    try:
        return subprocess.run(
            words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60 * _MINUTES
        )
    except subprocess.TimeoutExpired:
        fault = f"ERROR: not done after {_MINUTES} minutes"
        return subprocess.CompletedProcess(words, -1, "", fault)
