"""Workers that are processes of this machine."""

from __future__ import annotations

import glob
import hashlib
import os
import platform
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import cloudpickle
from loky import ProcessPoolExecutor

from shakespeare_agents.workers.jobs import Job, R, S, Shared, Tell, tell_nobody
from shakespeare_agents.workers.worker import Done, do
from shakespeare_env.errors import WorkerError

_MOST_LOST = 3
"""The most times that workers may be lost without a shard done in between."""
_WAITING = 1
"""Waiting shards a worker, so that none is idle."""
_LOOK_EVERY_S = 1.0
FOLDERS = f"shakespeare-env-{platform.node()}-"
"""The beginning of the names of processes' folders, whose parent several machines may share."""
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
}
"""Environment of workers: they share the cores, so libraries get one thread each."""


@dataclass(frozen=True)
class InFile:
    """Bytes in a file of this machine."""

    digest: str
    path: Path

    def read(self) -> bytes:
        """See `Shared.read`."""
        return self.path.read_bytes()


class Processes:
    """Worker processes; they end with the block, or when this process does.

    Args:
        size: The number of processes.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        _forget_dead()
        self._folder = tempfile.TemporaryDirectory(prefix=f"{FOLDERS}{os.getpid()}-")
        self._shares: Counter[str] = Counter()
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_fault: object) -> None:
        self._stop()
        self._folder.cleanup()

    def share(self, content: bytes) -> InFile:
        """See `Workers.share`."""
        digest = hashlib.sha256(content).hexdigest()
        path = Path(self._folder.name) / digest
        if not path.exists():
            path.write_bytes(content)
        self._shares[digest] += 1
        return InFile(digest, path)

    def release(self, shared: Shared) -> None:
        """See `Workers.release`."""
        self._shares[shared.digest] -= 1
        if not self._shares[shared.digest]:
            (Path(self._folder.name) / shared.digest).unlink()

    def run(
        self, job: Job[S, R], shards: Iterable[S], tell: Tell = tell_nobody
    ) -> Generator[tuple[int, R], None, None]:
        """See `Workers.run`."""
        sent = self.share(cloudpickle.dumps(job))
        source = enumerate(shards)
        begun: dict[Future[str], tuple[int, S]] = {}
        waiting: list[tuple[int, S]] = []
        lost = 0
        try:
            while True:
                try:
                    room = self.size * (1 + _WAITING) - len(begun)
                    waiting += islice(source, max(room - len(waiting), 0))
                    while waiting:
                        task = self._folder.name, sent, waiting[0][1]
                        begun[self._running().submit(_do, *task)] = waiting[0]
                        del waiting[0]
                    if not begun:
                        return
                    ended = wait(begun, _LOOK_EVERY_S, FIRST_COMPLETED).done
                    if not ended:
                        tell(0, 0)
                    for future in ended:
                        path = Path(future.result())
                        done: Done = cloudpickle.loads(path.read_bytes())
                        path.unlink()
                        number, _ = begun.pop(future)
                        lost = 0
                        tell(done.decisions, done.games)
                        yield number, done.unpacked()
                except BrokenExecutor as fault:  # beginning a shard may raise it, too
                    waiting = [*begun.values(), *waiting]
                    begun.clear()
                    self._stop()
                    lost += 1
                    if lost > _MOST_LOST:
                        raise WorkerError(
                            f"a worker process was lost {lost} times in a row: memory ran out, or "
                            "an agent ended its process; give fewer with --workers, or try the "
                            "agents in this process"
                        ) from fault
        finally:
            if begun:
                self._stop()

    def _running(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self.size,
                initializer=set_up_worker,
                initargs=(os.getpid(),),
                env=_ONE_THREAD,
                timeout=None,
            )
        return self._executor

    def _stop(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


def _do(folder: str, job: InFile, shard: Any) -> str:
    """See `worker.do`; returns the file of its result.

    A result larger than a pipe's buffer could be cut short by its worker's loss, and its reader
    would wait for the rest for ever.
    """
    path = Path(folder) / secrets.token_hex(16)
    done = do(job.digest, lambda: cloudpickle.loads(job.read()), shard)
    path.write_bytes(cloudpickle.dumps(done))
    return str(path)


def _forget_dead() -> None:
    """Delete the folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{glob.escape(FOLDERS)}*"):
        process = folder.name.removeprefix(FOLDERS).partition("-")[0]
        if process.isdigit() and not _lives(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(process: int) -> bool:
    if sys.platform == "win32":
        return True  # there, asking would end the process
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is another user's
    return True


def set_up_worker(driver: int) -> None:
    """Prepare a worker process: Ctrl-C is the driver's to handle, and it ends with the driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()


def _end_with(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(_LOOK_EVERY_S)
    os._exit(1)
