"""Targets, their cases, and the workers that run them; imports nothing of the engine.

A target is a module of `targets/` with two functions:
    prepare()     Makes what all cases share: positions to start from, compiled code.
    check(case)   Builds one input from the generator and feeds it.  Returns a word for the
                  statistics, such as "refused" or "played"; all that escapes is a finding.
A slow one says after how many seconds a case of its own hangs: PATIENCE.

A case is known by target, seed and number alone: it is the same in every process.  A worker
prepares once and forks for its cases, so the next process starts in milliseconds where one died.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import re
import resource
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

PATIENCE = 5.0
"""Seconds after which a case hangs."""
MOST_BYTES = 2 << 30
"""What a case may take beyond what its process holds when it starts."""
CRASH, HANG, MEMORY, EXCEPTION = "crash", "hang", "memory", "exception"
_DUMP = 1.0
"""Seconds that a hanging process has to write its traceback."""
_OURS = re.compile(r'File "[^"]*?/((?:shakespeare_\w+|tests/fuzz)[^"]*)", line (\d+),? in (\S+)')
_ANY = re.compile(r'File "([^"]*)", line (\d+),? in (\S+)')
_THREADS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS")


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
    """What a target has shown: seconds without preparing, how many cases ended in each word, the
    most memory of a process in bytes, and findings."""

    target: str
    seconds: float = 0.0
    words: Counter[str] = field(default_factory=Counter)
    peak: int = 0
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: Result) -> None:
        """What another worker has found."""
        self.seconds = max(self.seconds, other.seconds)
        self.words += other.words
        self.peak = max(self.peak, other.peak)
        self.findings += other.findings


def distinct(findings: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """The first finding of every fault with its number of cases, most frequent first."""
    ordered = sorted(findings, key=lambda finding: -finding.number)
    first = {(found.target, found.kind, found.what): found for found in ordered}
    counts = Counter((found.target, found.kind, found.what) for found in ordered)
    return [(first[fault], count) for fault, count in counts.most_common()]


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
    pool = ProcessPoolExecutor(workers, get_context("spawn"), max_tasks_per_child=1)
    try:
        shares = [range(first, cases, workers) for first in range(workers)]
        started = [pool.submit(_work, name, seed, share, seconds, patience) for share in shares]
        for one in started:
            result.add(one.result())
    except BaseException:  # such as Ctrl-C, after which the workers would go on
        for worker in pool._processes.values():
            worker.kill()
        raise
    finally:
        pool.shutdown()
    return result


def apart(do: Callable[..., Any], *given: Any) -> Any:
    """What a function returns in a forked process, which leaves no threads or modules behind.

    Its exception is raised here, and a BrokenProcessPool if it dies.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        return pool.submit(do, *given).result()


# ---- a worker ---------------------------------------------------------------------------------

_End = tuple[int, str, int, "tuple[str, str] | None"]
"""A case's number, its word, most memory, and what was found with its traceback."""


def _work(name: str, seed: int, numbers: range, seconds: float, patience: float) -> Result:
    """Run some cases, in one process after the other."""
    # A worker per core uses them all, and threads do not survive a fork.
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    result = Result(name)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        os.environ["TMPDIR"] = tempfile.tempdir = place
        checked = target(name)
        checked.prepare()
        gc.freeze()  # the shared pages stay shared
        patience = getattr(checked, "PATIENCE", patience)
        began = time.monotonic()
        while numbers and time.monotonic() - began < seconds:
            done = 0
            for number, word, peak, found in _watched(
                checked, name, seed, numbers, began + seconds, patience
            ):
                result.words[word] += 1
                result.peak = max(result.peak, peak)
                result.findings += [Finding(name, seed, number, word, *found)] if found else []
                done += 1
            if not done:
                raise RuntimeError("a process ended outside any case")
            numbers = numbers[done:]
        result.seconds = time.monotonic() - began
    return result


def _watched(
    checked: Any, name: str, seed: int, numbers: range, until: float, patience: float
) -> Iterator[_End]:
    """Run cases in a process, up to the one that kills it or has to be killed."""
    with tempfile.TemporaryFile() as log:
        receiver, sender = Pipe(duplex=False)
        pid = os.fork()
        if not pid:
            receiver.close()  # without its worker it cannot go on
            try:
                _run(checked, name, seed, numbers, until, sender, log)
            finally:
                os._exit(0)
        sender.close()
        number, running, hangs = 0, False, False
        with suppress(EOFError):
            while True:
                if not running or receiver.poll(_DUMP if hangs else patience):
                    number, ended = receiver.recv()
                    running = ended is None
                    if ended:
                        yield number, *ended
                else:  # faulthandler writes where it hangs before the process dies of it
                    _kill(pid, signal.SIGKILL if hangs else signal.SIGABRT)
                    hangs = True
        _, status = os.waitpid(pid, 0)
        _kill(pid, signal.SIGKILL)  # what the process may have started
        if running:
            log.seek(0)
            dump = log.read().decode(errors="replace")
            code = os.waitstatus_to_exitcode(status)
            end = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            what = (f"over {patience:g} s" if hangs else end) + _place_in_dump(dump)
            yield number, HANG if hangs else CRASH, 0, (what, dump[-6000:])


def _kill(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _run(
    checked: Any, name: str, seed: int, numbers: range, until: float, sender: Connection, log: Any
) -> None:
    """The process: all cases one after the other."""
    os.setpgid(0, 0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    faulthandler.enable()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for number in numbers:
        sender.send((number, None))
        found = None
        try:
            word = checked.check(generator(name, seed, number))
        except BaseException as error:
            word = MEMORY if isinstance(error, MemoryError) else EXCEPTION
            detail = "".join(traceback.format_exception(error))
            # The innermost frame comes last in a traceback.
            frames = _OURS.findall(detail) or _ANY.findall(detail)
            place = _place(frames[-1:])
            found = (f"{type(error).__name__}{place}: {_pattern(str(error))}", detail)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        sender.send((number, (word, peak, found)))
        if word == MEMORY or time.monotonic() > until:
            break  # the next case gets a fresh process


def _place(frames: list[tuple[str, str, str]]) -> str:
    return "".join(f" in {path}:{line} {name}" for path, line, name in frames)


def _place_in_dump(log: str) -> str:
    """There the innermost frame comes first, after the other threads."""
    dump = log[max(log.find("Current thread"), 0) :]
    return _place((_OURS.findall(dump) or _ANY.findall(dump))[:1])


def _pattern(message: str) -> str:
    """A message's beginning without the values in it, which differ from case to case."""
    valueless = re.sub(r"/\S+|'[^']*'|\"[^\"]*\"|-?\d+", "…", message)
    return re.sub(r"…(,\s*…)+", "…", valueless)[:70]
