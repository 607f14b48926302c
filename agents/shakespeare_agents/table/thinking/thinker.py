"""A process that thinks, one job after the other, and is ended when it takes too long."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Generator, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol, TypeVar

from shakespeare_agents.workers.processes import set_up_worker
from shakespeare_agents.workers.worker import Done, failed
from shakespeare_env.errors import ShakespeareEnvError

_STARTING_S = 120.0
"""Seconds for a process to start or to make an agent, on a machine that does much else."""
_GIVE_WAY = 10
"""Niceness of threads and processes that think."""

_LOST = "its process has ended"

R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")


class ThinkerError(ShakespeareEnvError):
    """A process that thought was ended, or has ended itself; says which."""


class Job(Protocol[R_co]):
    """What is to be thought about; it travels pickled, as do its results."""

    def prepare(self) -> None:
        """Make what thinks."""
        ...

    def results(self) -> Iterator[R_co]:
        """Think; whoever asked may lose interest after any result."""
        ...


class Thinker:
    """A process that is started when it is first asked, and again after it was ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._ours: Connection | None = None
        self._is_closed = False

    def ask(self, job: Job[R], limit: float) -> Generator[R, None, None]:
        """The results of a job as they come; closing the iterator ends the job.

        Args:
            job: The job.
            limit: The most seconds from one result to the next.

        Raises:
            ThinkerError: a result took longer, or the process has ended itself.
            Exception: whatever the job raises.
        """
        ours = self._running()
        self._send(ours, job)
        ended = False
        try:
            ready = self._heard(ours, max(limit, _STARTING_S))
            assert ready is not None
            ended = ready.fault is not None
            ready.unpacked()
            while (done := self._heard(ours, limit)) is not None:
                ended = done.fault is not None
                yield done.unpacked()
            ended = True
        finally:
            if not ended:
                self._interrupt(limit)

    def close(self) -> None:
        """End the process at once and start none; who waits for it gets a `ThinkerError`."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()

    def _send(self, ours: Connection, message: Any) -> None:
        try:
            ours.send(message)
        except OSError as fault:
            self._end()
            raise ThinkerError(_LOST) from fault

    def _heard(self, ours: Connection, limit: float) -> Done | None:
        """The next result; None at the end of a job."""
        try:
            if ours.poll(limit):
                heard: Done | None = ours.recv()
                return heard
        except (EOFError, OSError) as fault:
            self._end()
            raise ThinkerError(_LOST) from fault
        self._end()
        raise ThinkerError(f"it has thought for more than {limit:g} seconds and was ended")

    def _interrupt(self, limit: float) -> None:
        """Let the process end its job early, so that it can be asked again."""
        if (ours := self._ours) is None:
            return
        with suppress(ThinkerError):
            self._send(ours, None)
            while self._heard(ours, limit) is not None:
                pass

    def _running(self) -> Connection:
        with self._lock:
            if self._is_closed:
                raise ThinkerError("the server has ended")
            if self._ours is not None:
                return self._ours
            spawning = multiprocessing.get_context("spawn")
            ours, theirs = spawning.Pipe()
            # A daemon: should this process end without a word, none waits for it.
            self._process = spawning.Process(target=_think, args=(theirs, os.getpid()), daemon=True)
            self._process.start()
            assert self._process.pid is not None
            give_way(self._process.pid)  # at once: to start is most of its work
            theirs.close()
            self._ours = ours
        self._heard(ours, _STARTING_S)
        return ours

    def _end(self) -> None:
        with self._lock:
            process, ours = self._process, self._ours
            self._process = self._ours = None
        if process is not None:
            process.kill()
            process.join()
        if ours is not None:
            ours.close()


def give_way(process: int) -> None:
    """Let all others go before a process or, on Linux, a thread, if the system can do that."""
    if hasattr(os, "setpriority"):
        with suppress(OSError):  # it has ended, or has given way more
            os.setpriority(os.PRIO_PROCESS, process, _GIVE_WAY)


def _think(theirs: Connection, driver: int) -> None:
    """The life of a process that thinks."""
    set_up_worker(driver)
    theirs.send(None)
    with suppress(EOFError, OSError):
        while True:
            job: Job[Any] | None = theirs.recv()
            if job is None:  # it came too late to end a job
                continue
            try:
                job.prepare()
                theirs.send(Done(None, 0, 0))
                for result in job.results():
                    theirs.send(Done(result, 0, 0))
                    if theirs.poll() and theirs.recv() is None:
                        break
            except SystemExit:
                theirs.send(failed(ThinkerError("it has asked for the end of its process")))
            except BaseException as fault:  # an agent may be anybody's
                theirs.send(failed(fault))
            else:
                theirs.send(None)
