"""A worker: runs cases in forked processes and writes down how each of them ended.

Forking after `prepare` starts the next process in milliseconds where one has died.
`python -m tests.fuzz.worker` is started by `campaign.py`, with a `Share` in JSON.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tests.fuzz import findings
from tests.fuzz.cases import Target, generator, target
from tests.fuzz.findings import Finding
from tests.fuzz.progress import Progress

MOST_BYTES = 2 << 30
"""What a case may take beyond what its process holds when it starts."""
_POLL = 0.01
_FULL = 75
"""Exit code of a process that has run out of memory: the next case gets a fresh one."""
_DUMP = 1.0
"""Seconds that a hanging process has to write its traceback."""


@dataclass(frozen=True)
class Share:
    """What one worker does.

    Attributes:
        name: The target.
        first: Its first case; then every `step`-th below `last`.
        seconds: How long to go on after preparing.
        patience: Seconds after which a case hangs.
        folder: Where progress and findings are written.
    """

    name: str
    seed: int
    first: int
    last: int
    step: int
    seconds: float
    patience: float
    folder: str

    @property
    def progress(self) -> Path:
        return Path(self.folder, "progress")

    @property
    def findings(self) -> Path:
        return Path(self.folder, "findings.jsonl")

    @property
    def log(self) -> Path:
        return Path(self.folder, "log")


def work(share: Share) -> None:
    """Run the cases of a share, each process up to the case that kills it."""
    Path(share.folder, "files").mkdir()
    os.environ["TMPDIR"] = str(Path(share.folder, "files"))
    progress = Progress(share.progress)
    checked = target(share.name)
    checked.prepare()
    share = replace(share, patience=getattr(checked, "PATIENCE", share.patience))
    gc.freeze()  # the shared pages stay shared
    ready = share.progress.with_name("ready")
    ready.touch()
    until, left = time.monotonic() + share.seconds, share
    while left.first < left.last and left.seconds > 0:
        ended = _attempt(left, checked, progress)
        if ended is None:
            return
        kind, end = ended
        number = progress.number
        if number is None:  # between two cases: a fault of the fuzzer
            raise RuntimeError(f"a process {end} outside any case: {share.log.read_text()}")
        if kind != findings.MEMORY:  # which the process has noted itself
            log = share.log.read_text(errors="replace")
            alone = _dies_alone(left, checked, number) if kind == findings.CRASH else None
            found = findings.of_death(share.name, share.seed, number, kind, end, log)
            _note(share, replace(found, alone=alone))
        progress.end(kind)
        left = replace(left, first=number + left.step, seconds=until - time.monotonic())


def _dies_alone(share: Share, checked: Target, number: int) -> bool:
    folder = Path(share.folder, "alone")
    folder.mkdir(exist_ok=True)
    trial = replace(share, first=number, last=number + 1, step=1, folder=str(folder))
    trial.progress.unlink(missing_ok=True)
    return _attempt(trial, checked, Progress(trial.progress)) is not None


def _attempt(share: Share, checked: Target, progress: Progress) -> tuple[str, str] | None:
    """Run a share in a process; how it died, as (kind, end), or None if it came to the end."""
    pid = os.fork()
    if not pid:
        _run(share, checked)
    try:
        return _watch(pid, progress, share.patience)
    finally:
        _kill(pid, signal.SIGKILL)  # what the process may have started


def _watch(pid: int, progress: Progress, patience: float) -> tuple[str, str] | None:
    seen, since, hangs = (progress.number, progress.done), time.monotonic(), False
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended and hangs:
            return findings.HANG, f"over {patience:g} s"
        if ended and os.WIFSIGNALED(status):
            return findings.CRASH, signal.Signals(os.WTERMSIG(status)).name
        if ended:
            code = os.WEXITSTATUS(status)
            if code == _FULL:
                return findings.MEMORY, "full"
            return (findings.CRASH, f"exit code {code}") if code else None
        now = time.monotonic()
        if (progress.number, progress.done) != seen:
            seen, since = (progress.number, progress.done), now
        elif progress.number is not None and now - since > patience + hangs * _DUMP:
            # faulthandler writes where it hangs before the process dies of it.
            _kill(pid, signal.SIGKILL if hangs else signal.SIGABRT)
            hangs = True
        time.sleep(_POLL)


def _kill(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _run(share: Share, checked: Target) -> None:
    """The process: all cases one after the other; never returns."""
    os.setpgid(0, 0)
    with share.log.open("wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    faulthandler.enable()
    _limit_memory()
    progress, until = Progress(share.progress), time.monotonic() + share.seconds
    for number in range(share.first, share.last, share.step):
        if time.monotonic() > until:
            break
        progress.begin(number)
        try:
            word = checked.check(generator(share.name, share.seed, number))
        except BaseException as error:
            found = findings.of_exception(share.name, share.seed, number, error)
            _note(share, found)
            word = found.kind
            if word == findings.MEMORY:
                os._exit(_FULL)
        progress.end(word, _peak())
    os._exit(0)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _note(share: Share, finding: Finding) -> None:
    with share.findings.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(finding)) + "\n")


if __name__ == "__main__":
    work(Share(**json.loads(sys.argv[1])))
