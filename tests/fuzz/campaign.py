"""All workers of one target, and what came of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.fuzz.findings import Finding
from tests.fuzz.progress import Progress
from tests.fuzz.worker import Share

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 5.0
"""Seconds after which a case hangs."""
_POLL = 0.1


@dataclass(frozen=True)
class Result:
    """What a target has shown.

    Attributes:
        seconds: Without preparing.
        words: How many cases ended in each word.
        peak: Most memory of a process, in bytes.
    """

    target: str
    seed: int
    cases: int
    seconds: float
    words: dict[str, int]
    peak: int
    findings: list[Finding]


def run(
    name: str,
    *,
    seed: int,
    cases: int,
    workers: int,
    seconds: float = float("inf"),
    patience: float = PATIENCE,
    show: Callable[[int, int], None] = lambda done, found: None,
) -> Result:
    """Run cases 0 to `cases` - 1 of a target, or those that the seconds suffice for.

    `show` is called now and then with the numbers of cases done and of findings.
    """
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        shares = [
            Share(name, seed, worker, cases, workers, seconds, patience, each)
            for worker in range(workers)
            for each in [os.path.join(folder, str(worker))]
        ]
        processes = [_start(share) for share in shares]
        started = time.monotonic()
        try:
            while any(process.poll() is None for process in processes):
                time.sleep(_POLL)
                if not all(Path(share.folder, "ready").exists() for share in shares):
                    started = time.monotonic()
                ends = [Progress(share.progress) for share in shares]
                show(sum(end.done for end in ends), sum(end.found for end in ends))
        finally:
            for process in processes:
                process.terminate()
                process.wait()
        for share, process in zip(shares, processes, strict=True):
            if process.returncode:
                text = Path(share.folder, "errors").read_text(errors="replace")
                raise RuntimeError(f"the worker of {name} failed: {text}")
        taken = time.monotonic() - started
        ends = [Progress(share.progress) for share in shares]
        words = sum((end.words for end in ends), Counter[str]())
        found = [finding for share in shares for finding in _findings(share)]
        done, peak = sum(end.done for end in ends), max(end.peak for end in ends)
        return Result(name, seed, done, taken, dict(words.most_common()), peak, found)


def _start(share: Share) -> subprocess.Popen[bytes]:
    Path(share.folder).mkdir()
    Progress(share.progress)
    paths = [str(ROOT), str(ROOT / "agents"), str(ROOT / "training")]
    inherited = os.environ.get("PYTHONPATH")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*paths, inherited] if inherited else paths),
        # One thread each: a worker per core uses them all, and threads do not survive a fork.
        **dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"), "1"),
    }
    with Path(share.folder, "errors").open("wb") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", json.dumps(asdict(share))],
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
        )


def _findings(share: Share) -> list[Finding]:
    if not share.findings.exists():
        return []
    lines = share.findings.read_text(encoding="utf-8").split("\n")[:-1]
    return [Finding(**json.loads(line)) for line in lines]
