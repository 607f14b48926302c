"""A worker: runs cases in forked processes and says, line by line, how each of them ended.

Forking after `prepare` starts the next process in milliseconds where one has died.
`python -m tests.fuzz.worker` is started by `campaign.py`, with its share of the cases in JSON.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.fuzz.campaign import CRASH, EXCEPTION, HANG, MEMORY, generator, target

MOST_BYTES = 2 << 30
"""What a case may take beyond what its process holds when it starts."""
_DUMP = 1.0
"""Seconds that a hanging process has to write its traceback."""
_OURS = re.compile(r'File "[^"]*?/((?:shakespeare_\w+|tests/fuzz)[^"]*)", line (\d+),? in (\S+)')
_ANY = re.compile(r'File "([^"]*)", line (\d+),? in (\S+)')


def work(
    name: str, seed: int, first: int, last: int, step: int, seconds: float, patience: float
) -> None:
    """Run every `step`-th case from `first`, each process up to the case that kills it."""
    with os.fdopen(os.dup(1), "w") as lines:
        os.dup2(2, 1)
        checked = target(name)
        checked.prepare()
        gc.freeze()  # the shared pages stay shared
        patience = getattr(checked, "PATIENCE", patience)
        began = time.monotonic()
        while first < last and time.monotonic() - began < seconds:
            with tempfile.TemporaryFile() as log:
                receiver, sender = Pipe(duplex=False)
                pid = os.fork()
                if not pid:
                    _run(
                        checked, name, seed, range(first, last, step), began + seconds, sender, log
                    )
                sender.close()
                number = first - step
                for number, ended in _watched(pid, receiver, patience):
                    if ended:
                        word, peak, found = ended
                        if word in (CRASH, HANG):
                            log.seek(0)
                            dump = log.read().decode(errors="replace")
                            found = (word, f"{found}{_place_in_dump(dump)}", dump[-6000:])
                        finding = found and (name, seed, number, *found)
                        taken = time.monotonic() - began
                        print(json.dumps([word, taken, peak, finding]), file=lines, flush=True)
                if number < first:
                    raise RuntimeError("a process ended outside any case")
                first = number + step


def _watched(pid: int, receiver: Connection, patience: float) -> Any:
    """(number, None) as a case begins, (number, (word, peak, what was found)) as it ends."""
    number, running, hangs = 0, False, False
    with suppress(EOFError):
        while True:
            if not running or receiver.poll(_DUMP if hangs else patience):
                number, ended = receiver.recv()
                running = ended is None
                yield number, ended
            else:  # faulthandler writes where it hangs before the process dies of it
                _kill(pid, signal.SIGKILL if hangs else signal.SIGABRT)
                hangs = True
    _, status = os.waitpid(pid, 0)
    _kill(pid, signal.SIGKILL)  # what the process may have started
    if running:
        code = os.waitstatus_to_exitcode(status)
        end = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        yield number, (HANG, 0, f"over {patience:g} s") if hangs else (CRASH, 0, end)


def _kill(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _run(
    checked: Any, name: str, seed: int, cases: range, until: float, sender: Connection, log: Any
) -> None:
    """The process: all cases one after the other; never returns."""
    os.setpgid(0, 0)
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    faulthandler.enable()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for number in cases:
        if time.monotonic() > until:
            break
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
            found = (word, f"{type(error).__name__}{place}: {_pattern(str(error))}", detail)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        sender.send((number, (word, peak, found)))
        if word == MEMORY:
            break  # the next case gets a fresh process
    os._exit(0)


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


if __name__ == "__main__":
    work(*json.loads(sys.argv[1]))
