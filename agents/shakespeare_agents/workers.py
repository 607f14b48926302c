"""Jobs in independent shards, run in this process, in several, or on a Ray cluster."""

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
from shakespeare_env.extras import needing
from shakespeare_env.sources import edited_project_file, project_digest

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

ProgressCallback = Callable[[int, int], None]
"""Called with the decisions and games since the last call, maybe 0; it may raise to stop all."""

_CHECK_EVERY_S = 1.0
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
}
"""The environment of workers, which share the cores, so that libraries get one thread each."""
_SAFE_PATH = "PYTHONSAFEPATH"
_SET_HERE = "workers"  # the value by which a worker knows that the user has not set the variable
_imported_at = time.time_ns()
_starting = threading.Lock()  # held while the environment is changed for processes that start


@contextmanager
def starting_processes() -> Iterator[None]:
    """Start Python processes in a block, without the current folder first on their paths.

    Files in that folder must not be imported in place of libraries. The processes call
    `set_up_worker`, so that processes that they start in turn are as users expect.
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
    """Ignore progress."""


def cumulative(on_progress: ProgressCallback | None) -> ProgressCallback:
    """Return a callback that passes on the sums of all that it has been called with."""
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
    """Work in shards. The job holds what its shards share, and is pickled for every worker."""

    def start(self) -> Callable[[S_contra, ProgressCallback], R_co]:
        """Prepare a worker, for example by making agents, and return what runs one shard.

        It is called once in each worker.
        """
        ...


class Workers:
    """Runs the shards of a job. This base class runs them in the current process."""

    size = 1  # the number of shards run at once

    def run(
        self, job: Job[S, R], shards: Iterable[S], on_progress: ProgressCallback = ignore_progress
    ) -> Generator[tuple[int, R], None, None]:
        """Run shards, and yield their numbers, from 0, and results as they finish.

        A shard is taken only when it can be begun, so the source may depend on earlier results, and
        may be empty while results are still to come. Closing the iterator drops what is not done.

        Args:
            job: The work.
            shards: The source of shards.
            on_progress: Called in this thread, at the latest before a shard's result is yielded.

        Raises:
            WorkerError: a worker is lost.
            Exception: a shard raised it; it keeps its notes.
        """
        work = job.start()
        for number, shard in enumerate(shards):
            yield number, work(shard, on_progress)

    def close(self) -> None:
        """End the processes that were started."""


def in_order(results: Iterable[tuple[int, R]]) -> Iterator[R]:
    """Yield results of `Workers.run` in the order of their shards."""
    waiting: dict[int, R] = {}
    next_number = 0
    for number, result in results:
        waiting[number] = result
        while next_number in waiting:
            yield waiting.pop(next_number)
            next_number += 1


class WorkerProcesses(Workers):
    """Runs shards in processes of this machine, which end when closed or with this process."""

    lost: type[Exception] = BrokenExecutor  # what is raised when a worker is lost

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
                # One shard waits for each that is run, so that no worker is idle.
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
                f"a worker was lost ({lost}): memory ran out, or an agent ended its process. Give "
                "fewer workers, or try the agents in this process"
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
                    # Loky replaces workers later, too.
                    env={_SAFE_PATH: os.environ[_SAFE_PATH], **_ONE_THREAD},
                    timeout=None,
                )
            begun: Future[bytes] = self._executor.submit(_run_shard, *arguments)
            return begun

    def _drop(self, _begun: Iterable[Future[bytes]]) -> None:
        self.close()

    def close(self) -> None:
        """End the processes; the next shard starts others."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


class RayCluster(WorkerProcesses):
    """Runs shards on the cores of a Ray cluster, which repeats lost shards up to three times."""

    def __init__(self, address: str) -> None:
        with needing("ray", "many machines need"):
            import ray
        self.lost = ray.exceptions.RayError
        self._ray: Any = ray
        self._was_joined = ray.is_initialized()
        options: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        try:
            if address not in ("auto", "local"):  # Ray itself would try for many minutes
                host, _, port = address.rpartition(":")
                socket.create_connection((host, int(port)), 5).close()
            if not self._was_joined:
                # Ray puts the folder where it is joined first on its workers' paths.
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
        """The number of cores, at least 1, so that a cluster that grows on demand begins to."""
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
        """Leave the cluster, unless this process belonged to it before."""
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


def _run_shard(code: str, job: bytes, shard: bytes) -> bytes:
    decisions = 0
    games = 0

    def count(more_decisions: int, more_games: int) -> None:
        nonlocal decisions, games
        decisions += more_decisions
        games += more_games

    result = None
    fault = None
    try:
        result = _started(code, job)(cloudpickle.loads(shard), count)
    except (Exception, SystemExit) as raised:  # an agent may be anybody's
        fault = _ShardError.of(raised)
    content: bytes = cloudpickle.dumps(_Answer(result, decisions, games, fault))
    return content


def _pickled(fault: BaseException) -> bytes:
    """Pickle an exception. One that cannot be, or that would end its reader, is put in words."""
    if isinstance(fault, Exception):
        with suppress(Exception):  # an agent's may be anything
            content: bytes = cloudpickle.dumps(fault)
            cloudpickle.loads(content)
            return content
    in_words: bytes = cloudpickle.dumps(RuntimeError(f"{type(fault).__name__}: {fault}"))
    return in_words


def _run_shard_in(folder: str, *arguments: Any) -> bytes:
    with suppress(OSError):
        os.chdir(folder)
    return _run_shard(*arguments)


@lru_cache(4)
def _started(code: str, job: bytes) -> Any:
    if code != code_digest():
        raise WorkerError(f"{platform.node()} has other code; install the same version there")
    return cloudpickle.loads(job).start()


@cache
def code_digest() -> str:
    """Return a digest of this project's files, which workers import, too.

    Raises:
        WorkerError: a file has changed since this process imported it.
    """
    digest = project_digest()
    edited = edited_project_file(since=_imported_at)
    if edited is not None:
        raise WorkerError(
            f"{edited} was edited after this process had imported it, and workers would run other "
            "code; start Python anew"
        )
    return digest


def set_up_worker(driver: int) -> None:
    """Prepare a worker process: the driver handles Ctrl-C, and the worker ends with the driver."""
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
        processes: The number of processes of this machine; 1 is the current process.
        ray: A Ray cluster to use instead: `auto` is the one that this machine belongs to, `local`
            is one started on this machine alone, and anything else is a cluster's address.

    Raises:
        WorkerError: there is no such cluster.
    """
    local = Workers() if processes == 1 else WorkerProcesses(processes)
    with closing(local if ray is None else RayCluster(ray)) as workers:
        yield workers
