"""Jobs split into independent shards, run in this process, in several, or on a Ray cluster."""

from __future__ import annotations

import os
import platform
import signal
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import chdir, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

import cloudpickle

from shakespeare_env.errors import WorkerError, own_frames
from shakespeare_env.extras import requires_extra
from shakespeare_env.own_files import record_sources
from shakespeare_env.sources import edited_project_file, project_digest

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

ProgressCallback = Callable[[int, int], None]
"""Called with the numbers of decisions and games since the last call, which may be 0.

It may raise an exception to stop the job.
"""

_CHECK_EVERY_S = 1.0
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
}
"""The environment of workers, which share the cores, so that libraries get one thread each."""
_SAFE_PATH = "PYTHONSAFEPATH"
_SET_HERE = "workers"  # tells a worker that this module set the variable, and not the user
_imported_at = time.time_ns()
_starting = threading.Lock()  # held while the environment is changed for new processes


@contextmanager
def starting_processes() -> Iterator[None]:
    """Keep the current folder off the path of Python processes that are started within a block.

    Otherwise files in that folder could be imported in place of libraries. The new processes must
    call `set_up_worker`, which undoes this for the processes that they start in turn.
    """
    with _starting:
        if os.environ.get(_SAFE_PATH):
            yield
            return
        os.environ[_SAFE_PATH] = _SET_HERE
        try:
            yield
        finally:
            del os.environ[_SAFE_PATH]


def ignore_progress(_decisions: int, _games: int) -> None:
    """Do nothing. This is the callback of jobs whose progress nobody watches."""


def cumulative(on_progress: ProgressCallback | None) -> ProgressCallback:
    """Return a callback that passes on the totals of decisions and games since the start."""
    report = on_progress or ignore_progress
    total_decisions = 0
    total_games = 0

    def add(decisions: int, games: int) -> None:
        nonlocal total_decisions, total_games
        total_decisions += decisions
        total_games += games
        report(total_decisions, total_games)

    return add


class Job(Protocol[S_contra, R_co]):
    """Work that is split into shards.

    The job object holds the data that all shards share. It is pickled and sent to every worker.
    """

    def start(self) -> Callable[[S_contra, ProgressCallback], R_co]:
        """Prepare a worker, for example by making agents, and return a function that runs a shard.

        This method is called once in each worker.
        """
        ...


class Workers:
    """Runs the shards of a job. This base class runs them in the current process."""

    size = 1  # the number of shards that run at the same time

    def run(
        self, job: Job[S, R], shards: Iterable[S], on_progress: ProgressCallback = ignore_progress
    ) -> Generator[tuple[int, R], None, None]:
        """Run shards, and yield the number of each, counted from 0, with its result.

        Results are yielded as shards finish. A shard is taken from the source only when it can be
        sent to a worker, so later shards may depend on earlier results. A source that is exhausted
        is asked again while results are still expected. Closing the iterator drops unfinished
        shards.

        Args:
            job: The work.
            shards: The source of shards.
            on_progress: Called in this thread, at the latest before a shard's result is yielded.

        Raises:
            WorkerError: a worker is lost.
            Exception: a shard raised this exception, which keeps its notes.
        """
        work = job.start()
        for number, shard in enumerate(shards):
            yield number, work(shard, on_progress)

    def close(self) -> None:
        """End the processes that this object has started."""


def in_shard_order(results: Iterable[tuple[int, R]]) -> Iterator[R]:
    """Yield the results of `Workers.run` in the order of the shards."""
    waiting: dict[int, R] = {}
    next_number = 0
    for number, result in results:
        waiting[number] = result
        while next_number in waiting:
            yield waiting.pop(next_number)
            next_number += 1


class WorkerProcesses(Workers):
    """Runs shards in processes of this machine.

    The processes end when this object is closed, or together with this process.
    """

    lost: type[Exception] = BrokenExecutor  # the exception that is raised when a worker is lost

    def __init__(self, size: int) -> None:
        self.size = size
        self._executor: Any = None

    def run(
        self, job: Job[S, R], shards: Iterable[S], on_progress: ProgressCallback = ignore_progress
    ) -> Generator[tuple[int, R], None, None]:
        """Run shards as `Workers.run` does, each in one of the processes."""
        sent_job = self._send(cloudpickle.dumps(job))
        source = enumerate(shards)
        begun: dict[Future[bytes], int] = {}
        try:
            while True:
                # Two shards for each worker: one runs, and one waits so that no worker is idle.
                for number, shard in islice(source, max(2 * self.size - len(begun), 0)):
                    future = self._begin(code_digest(), sent_job, cloudpickle.dumps(shard))
                    begun[future] = number
                if not begun:
                    return
                ended = wait(begun, _CHECK_EVERY_S, FIRST_COMPLETED).done
                if not ended:
                    on_progress(0, 0)
                for future in ended:
                    answer: _Answer = cloudpickle.loads(future.result())
                    number = begun.pop(future)
                    on_progress(answer.decisions, answer.games)
                    if answer.fault is not None:
                        raise answer.fault.exception()
                    yield number, answer.result
        except self.lost as lost:
            self._drop(begun)
            raise WorkerError(
                f"a worker was lost ({lost}): memory ran out, or an agent ended its process; give "
                "fewer workers, or run the agents in this process"
            ) from lost
        finally:
            if begun:
                self._drop(begun)

    def _send(self, job: bytes) -> Any:
        return job

    def _begin(self, *arguments: Any) -> Future[bytes]:
        with starting_processes():
            if self._executor is None:
                from loky import ProcessPoolExecutor

                self._executor = ProcessPoolExecutor(
                    self.size,
                    initializer=set_up_worker,
                    initargs=(os.getpid(),),
                    # Loky also starts workers later, in place of others.
                    env={_SAFE_PATH: os.environ[_SAFE_PATH], **_ONE_THREAD},
                    timeout=None,
                )
            begun: Future[bytes] = self._executor.submit(_run_shard, *arguments)
            return begun

    def _drop(self, _begun: Iterable[Future[bytes]]) -> None:
        self.close()

    def close(self) -> None:
        """End the processes. The next run starts new ones."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


class RayCluster(WorkerProcesses):
    """Runs shards on the cores of a Ray cluster, which repeats lost shards up to three times."""

    def __init__(self, address: str) -> None:
        with requires_extra("ray", who_needs="many machines need"):
            import ray
        self.lost = ray.exceptions.RayError
        self._ray: Any = ray
        self._was_joined = ray.is_initialized()
        options: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        try:
            if address not in ("auto", "local"):
                # Ray itself would try for many minutes to reach an address.
                host, _, port = address.rpartition(":")
                socket.create_connection((host, int(port)), 5).close()
            if not self._was_joined:
                # Ray puts the current folder of this process first on its workers' paths.
                with chdir(Path(__file__).parents[1]):
                    self._ray.init(address, logging_level="ERROR", log_to_driver=False, **options)
        except (OSError, RuntimeError, ValueError) as fault:
            raise WorkerError(
                f"no Ray cluster at {address!r} ({fault}); start one (`ray start --head`), give "
                "the HOST:PORT that it printed, or give --ray local"
            ) from fault
        self._run_shard = ray.remote(num_cpus=1)(_run_shard_in)

    @property
    def size(self) -> int:  # type: ignore[override]
        """The number of cores.

        It is at least 1, because a cluster that grows on demand has no core before the first shard.
        """
        return max(int(self._ray.cluster_resources().get("CPU", 0)), 1)

    def _send(self, job: bytes) -> Any:
        return self._ray.put(job)

    def _begin(self, *arguments: Any) -> Future[bytes]:
        begun: Future[bytes] = self._run_shard.remote(os.getcwd(), *arguments).future()
        return begun

    def _drop(self, begun: Iterable[Future[bytes]]) -> None:
        for future in begun:
            self._ray.cancel(future.object_ref, force=True)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Leave the cluster, unless this process had joined it before."""
        if not self._was_joined:
            self._ray.shutdown()


@dataclass(frozen=True)
class _ShardError:
    """An exception that a shard raised, with the attributes that pickling it loses."""

    pickled: bytes
    lost_attributes: dict[str, Any]

    @classmethod
    def of(cls, raised: BaseException) -> _ShardError:
        notes = getattr(raised, "__notes__", [])
        return cls(_pickled(raised), {"__notes__": notes, "own_frames": own_frames(raised)})

    def exception(self) -> Exception:
        raised: Exception = cloudpickle.loads(self.pickled)
        vars(raised).update(self.lost_attributes)
        return raised


@dataclass(frozen=True)
class _Answer:
    """A worker's answer to one shard."""

    result: Any
    decisions: int
    games: int
    fault: _ShardError | None


def _run_shard(driver_digest: str, job: bytes, shard: bytes) -> bytes:
    record_sources()
    decisions = 0
    games = 0

    def count(more_decisions: int, more_games: int) -> None:
        nonlocal decisions, games
        decisions += more_decisions
        games += more_games

    result = None
    fault = None
    try:
        result = _started(driver_digest, job)(cloudpickle.loads(shard), count)
    except (Exception, SystemExit) as raised:  # a user's agent may raise anything
        fault = _ShardError.of(raised)
    content: bytes = cloudpickle.dumps(_Answer(result, decisions, games, fault))
    return content


def _pickled(fault: BaseException) -> bytes:
    """Pickle an exception.

    An exception that cannot be pickled, or that would end the process that raises it again, becomes
    a RuntimeError that describes it.
    """
    if isinstance(fault, Exception):
        with suppress(Exception):  # the pickling of a user's exception may raise anything
            content: bytes = cloudpickle.dumps(fault)
            cloudpickle.loads(content)
            return content
    description: bytes = cloudpickle.dumps(RuntimeError(f"{type(fault).__name__}: {fault}"))
    return description


def _run_shard_in(folder: str, *arguments: Any) -> bytes:
    with suppress(OSError):
        os.chdir(folder)
    return _run_shard(*arguments)


@lru_cache(4)
def _started(driver_digest: str, job: bytes) -> Any:
    """Start a job in this worker, if it has not been started yet."""
    if driver_digest != code_digest():
        raise WorkerError(
            f"{platform.node()} has another version of this project; install the same version on "
            "all machines"
        )
    return cloudpickle.loads(job).start()


@cache
def code_digest() -> str:
    """Return a digest of this project's files, which workers import as well.

    Raises:
        WorkerError: a file has changed since this process imported it.
    """
    digest = project_digest()
    edited = edited_project_file(since=_imported_at)
    if edited is not None:
        raise WorkerError(
            f"{edited} was edited after this process had imported it, so workers would run other "
            "code; restart Python"
        )
    return digest


def set_up_worker(driver: int) -> None:
    """Prepare a worker process: it ignores Ctrl-C, and ends when the driver process ends.

    Args:
        driver: The process id of the driver, which has started the worker and handles Ctrl-C.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.environ.get(_SAFE_PATH) == _SET_HERE:
        del os.environ[_SAFE_PATH]

    def end_with_driver() -> None:
        while os.getppid() == driver:
            time.sleep(_CHECK_EVERY_S)
        os._exit(1)

    threading.Thread(target=end_with_driver, daemon=True).start()


@contextmanager
def open_workers(processes: int = 1, ray: str | None = None) -> Iterator[Workers]:
    """Open workers for the length of a block.

    Args:
        processes: The number of processes of this machine. With 1, shards run in the current
            process.
        ray: A Ray cluster to use instead: `auto` is the one that this machine belongs to, `local`
            is one started on this machine alone, and anything else is a cluster's address.

    Raises:
        WorkerError: there is no such cluster.
    """
    if ray is not None:
        opened: Workers = RayCluster(ray)
    elif processes == 1:
        opened = Workers()
    else:
        opened = WorkerProcesses(processes)
    with closing(opened) as workers:
        yield workers
