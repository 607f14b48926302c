"""Targets, their cases, and all workers of one target with what came of them.

A target is a module of `targets/` with two functions:
    prepare()     Makes what all cases share: positions to start from, compiled code.
    check(case)   Builds one input from the generator and feeds it.  Returns a word for the
                  statistics, such as "refused" or "played"; all that escapes is a finding.
A slow one says after how many seconds a case of its own hangs: PATIENCE.

A case is known by target, seed and number alone: it is the same in every process.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 5.0
"""Seconds after which a case hangs."""
CRASH, HANG, MEMORY, EXCEPTION = "crash", "hang", "memory", "exception"


def names() -> list[str]:
    """All targets."""
    return sorted(path.stem for path in (Path(__file__).parent / "targets").glob("[a-z]*.py"))


def target(name: str) -> Any:
    """A target by its name; a dotted name is that of a module elsewhere."""
    return import_module(name if "." in name else f"tests.fuzz.targets.{name}")


def generator(name: str, seed: int, number: int) -> random.Random:
    """What a case is drawn from."""
    return random.Random(f"{name}/{seed}/{number}")


@dataclass(frozen=True)
class Finding:
    """One case that went wrong.

    Attributes:
        kind: CRASH, HANG, MEMORY or EXCEPTION.
        what: The signal or the exception, and the innermost place in the project's code: equal
            for what is probably one fault.
        detail: The traceback.
    """

    target: str
    seed: int
    number: int
    kind: str
    what: str
    detail: str

    @property
    def command(self) -> str:
        """How to run the case again."""
        return f"python -m tests.fuzz {self.target} --seed {self.seed} --case {self.number}"


@dataclass
class Result:
    """What a target has shown.

    Attributes:
        seconds: Without preparing.
        words: How many cases ended in each word.
        peak: Most memory of a process, in bytes.
    """

    target: str
    seconds: float = 0.0
    words: dict[str, int] = field(default_factory=dict)
    peak: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return sum(self.words.values())

    def add(self, worker: subprocess.Popen[str]) -> None:
        """All that a worker says of its cases: word, seconds so far, memory and finding."""
        with worker:
            for line in worker.stdout or ():
                word, taken, peak, found = json.loads(line)
                self.words[word] = self.words.get(word, 0) + 1
                self.seconds, self.peak = max(self.seconds, taken), max(self.peak, peak)
                if found:
                    self.findings.append(Finding(*found))


def run(
    name: str,
    *,
    seed: int,
    cases: int,
    workers: int,
    seconds: float = 1e9,
    patience: float = PATIENCE,
) -> Result:
    """Run cases 0 to `cases` - 1 of a target, or those that the seconds suffice for."""
    result = Result(name)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folders = [Path(place, str(number)) for number in range(workers)]
        started = [
            _start((name, seed, number, cases, workers, seconds, patience), folder)
            for number, folder in enumerate(folders)
        ]
        readers = [
            threading.Thread(target=result.add, args=(worker,), daemon=True) for worker in started
        ]
        try:
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
        finally:
            for worker in started:
                worker.terminate()
                worker.wait()
        for worker, folder in zip(started, folders, strict=True):
            if worker.returncode:
                said = (folder / "errors").read_text(errors="replace")
                raise RuntimeError(f"the worker of {name} failed: {said}")
    return result


def _start(share: tuple[object, ...], folder: Path) -> subprocess.Popen[str]:
    folder.mkdir()
    paths = [str(ROOT), str(ROOT / "agents"), str(ROOT / "training")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")]),
        "TMPDIR": str(folder),
        # One thread each: a worker per core uses them all, and threads do not survive a fork.
        **dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"), "1"),
    }
    with (folder / "errors").open("wb") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", json.dumps(share)],
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )


def distinct(findings: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """The first finding of every fault with its number of cases, most frequent first."""
    ordered = sorted(findings, key=lambda finding: -finding.number)
    first = {(found.target, found.kind, found.what): found for found in ordered}
    counts = Counter((found.target, found.kind, found.what) for found in ordered)
    return [(first[fault], count) for fault, count in counts.most_common()]
