"""Jobs split into independent shards, run in this process, in several, or on a Ray cluster."""

from __future__ import annotations

import math
import os
import platform
import signal
import socket
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import chdir, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

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
"""Called with the numbers of decisions and games so far. It may raise an exception to stop."""


class Progress(NamedTuple, Generic[R_co]):
    """The progress of shards since they last reported, and perhaps a result."""

    decisions: int = 0
    games: int = 0
    result: R_co | None = None  # a result of a shard, if there is a new one


_CHECK_EVERY_S = 1.0
"""The seconds after which workers report. The driver yields progress at least this often, too."""
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
    """Return a callback that passes on the totals of the decisions and games it is called with."""
    total_decisions = 0
    total_games = 0

    def add(decisions: int, games: int) -> None:
        nonlocal total_decisions, total_games
        total_decisions += decisions
        total_games += games
        if on_progress is not None:
            on_progress(total_decisions, total_games)

    return add


def increments(add: ProgressCallback) -> ProgressCallback:
    """Return a callback that takes totals, and passes on by how much they have grown."""
    last_decisions = 0
    last_games = 0

    def report(decisions: int, games: int) -> None:
        nonlocal last_decisions, last_games
        add(decisions - last_decisions, games - last_games)
        last_decisions = decisions
        last_games = games

    return report


class Job(Protocol[S_contra, R_co]):
    """Work that is split into shards.

    The job object holds the data that all shards share. It is pickled and sent to every worker.
    """

    def start(self) -> Callable[[S_contra], Iterator[Progress[R_co]]]:
        """Prepare a worker, for example by making agents, and return a function that runs a shard.

        The function yields progress often, even if it is empty, and each result of the shard as
        soon as there is one. `start` is called once in each worker.
        """
        ...


class Workers:
    """Runs the shards of a job. This base class runs them in the current process.

    Attributes:
        size: The number of shards that run at the same time.
        reports_at_the_end: Whether progress and results come only when a shard is over.
    """

    size = 1
    reports_at_the_end = False

    def run(self, job: Job[S, R], shards: Iterable[S]) -> Generator[Progress[R], None, None]:
        """Run shards, and yield their progress and results as they come.

        A shard is taken from the source only when it can be sent to a worker. Closing the iterator
        drops unfinished shards. While nothing happens, empty progress is yielded now and then.

        Args:
            job: The work.
            shards: The source of shards.

        Raises:
            WorkerError: a worker is lost.
            Exception: a shard raised this exception, which keeps its notes.
        """
        work = job.start()
        for shard in shards:
            yield from work(shard)

    def close(self) -> None:
        """End the processes that this object has started."""


class WorkerProcesses(Workers):
    """Runs shards in processes of this machine.

    The processes end when this object is closed, or together with this process.
    """

    lost: type[Exception] = BrokenExecutor  # the exception that is raised when a worker is lost

    def __init__(self, size: int) -> None:
        self.size = size
        # Each executor has a single process, so that a shard goes on where it has begun.
        self._executors: list[Any] = []
        self._executor_of: dict[Future[bytes], Any] = {}  # by running shard

    def run(self, job: Job[S, R], shards: Iterable[S]) -> Generator[Progress[R], None, None]:
        """Run shards as `Workers.run` does, each in one of the processes."""
        sent_job = self._send(cloudpickle.dumps(job))
        source = iter(shards)
        running: set[Future[bytes]] = set()
        try:
            while True:
                for shard in islice(source, self._free(len(running))):
                    running.add(self._begin(code_digest(), sent_job, cloudpickle.dumps(shard)))
                if not running:
                    return
                ended = wait(running, _CHECK_EVERY_S, FIRST_COMPLETED).done
                if not ended:
                    yield Progress()
                for future in ended:
                    running.remove(future)
                    answer: _Answer = cloudpickle.loads(future.result())
                    following = self._follow(future, answer)
                    if following is not None:
                        running.add(following)
                    yield from answer.progress
                    if answer.fault is not None:
                        raise answer.fault.exception()
        except self.lost as lost:
            self._drop(running)
            raise WorkerError(
                f"a worker was lost ({lost}): memory ran out, or an agent ended its process; give "
                "fewer workers, or run the agents in this process"
            ) from lost
        finally:
            if running:
                self._drop(running)

    def _send(self, job: bytes) -> Any:
        return job

    def _free(self, running: int) -> int:
        """Return the number of shards that can begin while others run."""
        return max(self.size - running, 0)

    def _begin(self, *arguments: Any) -> Future[bytes]:
        busy = self._executor_of.values()
        idle = [executor for executor in self._executors if executor not in busy]
        executor = idle[0] if idle else self._new_executor()
        return self._submit(executor, _begin_shard, _CHECK_EVERY_S, *arguments)

    def _follow(self, future: Future[bytes], answer: _Answer) -> Future[bytes] | None:
        """Let a shard that has reported go on, if it is not over."""
        executor = self._executor_of.pop(future)
        return None if answer.is_over else self._submit(executor, _continue_shard, _CHECK_EVERY_S)

    def _submit(self, executor: Any, *work: Any) -> Future[bytes]:
        with starting_processes():
            future: Future[bytes] = executor.submit(*work)
        self._executor_of[future] = executor
        return future

    def _new_executor(self) -> Any:
        from loky import ProcessPoolExecutor

        with starting_processes():
            executor = ProcessPoolExecutor(
                1,
                initializer=set_up_worker,
                initargs=(os.getpid(),),
                # Loky also starts workers later, in place of others.
                env={_SAFE_PATH: os.environ[_SAFE_PATH], **_ONE_THREAD},
                timeout=None,
            )
        self._executors.append(executor)
        return executor

    def _drop(self, _running: Collection[Future[bytes]]) -> None:
        self.close()

    def close(self) -> None:
        """End the processes. The next run starts new ones."""
        executors = self._executors
        self._executors = []
        self._executor_of = {}
        for executor in executors:
            executor.shutdown(wait=True, kill_workers=True)


class RayCluster(WorkerProcesses):
    """Runs shards on the cores of a Ray cluster, which repeats lost shards up to three times."""

    reports_at_the_end = True

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

    def _free(self, running: int) -> int:
        # Two shards for each core: one runs, and one waits so that no core is idle.
        return max(2 * self.size - running, 0)

    def _begin(self, *arguments: Any) -> Future[bytes]:
        begun: Future[bytes] = self._run_shard.remote(os.getcwd(), *arguments).future()
        return begun

    def _follow(self, _future: Future[bytes], _answer: _Answer) -> None:
        return None  # on a cluster, a shard answers only when it is over

    def _drop(self, running: Collection[Future[bytes]]) -> None:
        for future in running:
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
    """A worker's answer: the progress of a shard since the last answer, and whether it is over."""

    progress: list[Progress[Any]]
    is_over: bool
    fault: _ShardError | None


_shard: Iterator[Progress[Any]] = iter(())
"""The shard that runs in this worker."""


def _begin_shard(seconds: float, driver_digest: str, job: bytes, shard: bytes) -> bytes:
    """Begin a shard in this worker, and let it run for some seconds (see `_continue_shard`)."""
    global _shard
    record_sources()

    def run() -> Iterator[Progress[Any]]:
        yield from _started(driver_digest, job)(cloudpickle.loads(shard))

    _shard = run()
    return _continue_shard(seconds)


def _continue_shard(seconds: float) -> bytes:
    """Let the shard of this worker run for some seconds, or until it is over."""
    began = time.monotonic()
    decisions = 0
    games = 0
    progress: list[Progress[Any]] = []
    fault = None
    is_over = True
    try:
        for step in _shard:
            decisions += step.decisions
            games += step.games
            if step.result is not None:
                progress.append(Progress(result=step.result))
            if time.monotonic() - began >= seconds:
                is_over = False
                break
    except (Exception, SystemExit) as raised:  # a user's agent may raise anything
        fault = _ShardError.of(raised)
    progress.append(Progress(decisions, games))
    content: bytes = cloudpickle.dumps(_Answer(progress, is_over, fault))
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
    """Run a shard to its end, in the driver's current folder if this machine has it."""
    with suppress(OSError):
        os.chdir(folder)
    return _begin_shard(math.inf, *arguments)


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
    end_with(driver)


def end_with(parent: int) -> None:
    """Let this process end when its parent process ends, however that ends.

    Args:
        parent: The process id of the parent.
    """

    def wait_for_its_end() -> None:
        while os.getppid() == parent:
            time.sleep(_CHECK_EVERY_S)
        os._exit(1)

    threading.Thread(target=wait_for_its_end, daemon=True).start()


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
