"""Work in independent shards, done here, by processes of this machine or by a Ray cluster."""

from __future__ import annotations

import hashlib
import os
import platform
import signal
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import chdir, closing, contextmanager, suppress
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

import cloudpickle

from shakespeare_env.errors import WorkerError, own_steps
from shakespeare_env.extras import needing

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

ProgressCallback = Callable[[int, int], None]
"""Called with the decisions and games since the last call, maybe none; may raise to stop all."""

_LOOK_EVERY_S = 1.0
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
}
"""Environment of workers: they share the cores, so libraries get one thread each."""
_SAFE_PATH, _OURS = "PYTHONSAFEPATH", "workers"
_imported_at = time.time_ns()
_starting = threading.Lock()


@contextmanager
def starting_processes() -> Iterator[None]:
    """A block in which Python processes start without the current folder first on their paths.

    What lies there is not ours to run. They call `set_up_worker`, so that what they start in turn
    is as users expect.
    """
    with _starting:
        if os.environ.get(_SAFE_PATH):
            yield
            return
        os.environ[_SAFE_PATH] = _OURS
        try:
            yield
        finally:
            del os.environ[_SAFE_PATH]


def ignore_progress(_decisions: int, _games: int) -> None:
    """Ignore progress."""


def cumulative(on_progress: ProgressCallback | None) -> ProgressCallback:
    """Tells the sums of all that it is called with."""
    sums = [0, 0]

    def add(decisions: int, games: int) -> None:
        sums[:] = sums[0] + decisions, sums[1] + games
        (on_progress or ignore_progress)(*sums)

    return add


class Job(Protocol[S_contra, R_co]):
    """What the shards of some work have in common; it travels pickled to every worker."""

    def start(self) -> Callable[[S_contra, ProgressCallback], R_co]:
        """Prepare a worker for the work, as by making agents; called once in each."""
        ...


class Workers:
    """Whoever does the shards of jobs, this process by itself; see `open_workers`."""

    size = 1  # the number of shards worked on at once

    def run(
        self, job: Job[S, R], shards: Iterable[S], on_progress: ProgressCallback = ignore_progress
    ) -> Generator[tuple[int, R], None, None]:
        """Do shards; yields their numbers, from 0, and results as they come.

        Shards are taken only when they can be begun, so their source may wait for results and be
        empty as long as results are to come. `on_progress` is called in this thread, at the latest before
        a shard's result is given. Closing the iterator drops what is not done. What a shard raises
        keeps its notes; WorkerError if a worker is lost.
        """
        work = job.start()
        for number, shard in enumerate(shards):
            yield number, work(shard, on_progress)

    def close(self) -> None:
        """End what was started for them."""


def in_order(results: Iterable[tuple[int, R]]) -> Iterator[R]:
    """Results of `Workers.run` in the order of their shards."""
    waiting: dict[int, R] = {}
    following = 0
    for number, result in results:
        waiting[number] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1


class WorkerProcesses(Workers):
    """Processes of this machine; they end with the block, or when this process does."""

    lost: type[Exception] = BrokenExecutor

    def __init__(self, size: int) -> None:
        self.size = size
        self._executor: Any = None

    def run(
        self, job: Job[S, R], shards: Iterable[S], on_progress: ProgressCallback = ignore_progress
    ) -> Generator[tuple[int, R], None, None]:
        """See `Workers.run`."""
        sent, source = self._sent(cloudpickle.dumps(job)), enumerate(shards)
        begun: dict[Future[bytes], int] = {}
        try:
            while True:
                # One waits for each that is worked on, so that no worker is idle.
                for number, shard in islice(source, max(2 * self.size - len(begun), 0)):
                    begun[self._begin(_code(), sent, cloudpickle.dumps(shard))] = number
                if not begun:
                    return
                ended = wait(begun, _LOOK_EVERY_S, FIRST_COMPLETED).done
                if not ended:
                    on_progress(0, 0)
                for future in ended:
                    result, decisions, games, fault = cloudpickle.loads(future.result())
                    number = begun.pop(future)
                    on_progress(decisions, games)
                    if fault is not None:
                        raised = cloudpickle.loads(fault[0])
                        vars(raised).update(fault[1])
                        raise raised
                    yield number, result
        except self.lost as lost:
            self._drop(begun)
            raise WorkerError(
                f"a worker was lost ({lost}): memory ran out, or an agent ended its process; "
                "give fewer workers, or try the agents in this process"
            ) from lost
        finally:
            if begun:
                self._drop(begun)

    def _sent(self, job: bytes) -> Any:
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
            begun: Future[bytes] = self._executor.submit(_do, *arguments)
            return begun

    def _drop(self, _begun: Iterable[Future[bytes]]) -> None:
        self.close()

    def close(self) -> None:
        """End the processes; the next shard starts others."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


class RayCluster(WorkerProcesses):
    """The cores of a Ray cluster, however many; it does lost shards again, three times."""

    def __init__(self, address: str) -> None:
        with needing("ray", "many machines need"):
            import ray
        self.lost = ray.exceptions.RayError
        self._ray: Any = ray
        self._was_joined = ray.is_initialized()
        about: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        try:
            if address not in ("auto", "local"):  # Ray itself would try for many minutes
                host, _, port = address.rpartition(":")
                socket.create_connection((host, int(port)), 5).close()
            if not self._was_joined:
                # Ray puts the folder where it is joined first on its workers' paths.
                with chdir(Path(__file__).parents[1]):
                    self._ray.init(address, logging_level="ERROR", log_to_driver=False, **about)
        except (OSError, RuntimeError, ValueError) as fault:
            raise WorkerError(
                f"no Ray cluster at {address!r} ({fault}); start one (`ray start --head`), give "
                "the HOST:PORT that it printed, or give --ray local"
            ) from fault
        self._do = ray.remote(num_cpus=1)(_do_in)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Cores that there are, at least 1, so that a cluster that grows on demand begins to."""
        return max(int(self._ray.cluster_resources().get("CPU", 0)), 1)

    def _sent(self, job: bytes) -> Any:
        return self._ray.put(job)

    def _begin(self, *arguments: Any) -> Future[bytes]:
        begun: Future[bytes] = self._do.remote(os.getcwd(), *arguments).future()
        return begun

    def _drop(self, begun: Iterable[Future[bytes]]) -> None:
        for future in begun:
            self._ray.cancel(future.object_ref, force=True)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Leave the cluster, unless this process belonged to it before."""
        if not self._was_joined:
            self._ray.shutdown()


def _do(code: str, job: bytes, shard: bytes) -> Any:
    counts: list[tuple[int, int]] = [(0, 0)]
    result, fault = None, None
    try:
        result = _started(code, job)(cloudpickle.loads(shard), lambda *more: counts.append(more))
    except (Exception, SystemExit) as raised:  # an agent may be anybody's
        lost = {"__notes__": getattr(raised, "__notes__", []), "own_steps": own_steps(raised)}
        fault = _pickled(raised), lost
    return cloudpickle.dumps((result, *map(sum, zip(*counts, strict=True)), fault))


def _pickled(fault: BaseException) -> Any:
    """A fault; what cannot be pickled, or would end who reads it, is put in words."""
    if isinstance(fault, Exception):
        with suppress(Exception):  # an agent's may be anything
            content = cloudpickle.dumps(fault)
            cloudpickle.loads(content)
            return content
    return cloudpickle.dumps(RuntimeError(f"{type(fault).__name__}: {fault}"))


def _do_in(folder: str, *arguments: Any) -> Any:
    with suppress(OSError):
        os.chdir(folder)
    return _do(*arguments)


@lru_cache(4)
def _started(code: str, job: bytes) -> Any:
    if code != _code():
        raise WorkerError(f"{platform.node()} has other code; install the same version there")
    return cloudpickle.loads(job).start()


@cache
def _code() -> str:
    """Return a digest of this project's files, which workers import, too.

    Raises:
        WorkerError: a file has changed since this process imported it.
    """
    digest = hashlib.sha256(f"{version('numpy')} {version('numba')}".encode())
    for package in (
        *("shakespeare_env", "shakespeare_agents", "shakespeare_arena"),
        *("shakespeare_research", "shakespeare_table", "shakespeare_training"),
    ):
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or []:
            for file in sorted(Path(folder).rglob("*.py")):
                # A time to come is that of another machine's clock.
                if _imported_at < file.stat().st_mtime_ns <= time.time_ns():
                    raise WorkerError(
                        f"{file} was edited after this process had imported it, and workers would "
                        "run other code; start Python anew"
                    )
                digest.update(file.read_bytes())
    return digest.hexdigest()


def set_up_worker(driver: int) -> None:
    """Prepare a worker process: Ctrl-C is the driver's to handle, and it ends with the driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.environ.get(_SAFE_PATH) == _OURS:
        del os.environ[_SAFE_PATH]

    def end_with_driver() -> None:
        while os.getppid() == driver:
            time.sleep(_LOOK_EVERY_S)
        os._exit(1)

    threading.Thread(target=end_with_driver, daemon=True).start()


@contextmanager
def open_workers(processes: int = 1, ray: str | None = None) -> Iterator[Workers]:
    """Workers for the length of a block: processes of this machine, 1 being this one itself.

    Or a Ray cluster: `auto` is the one that this machine belongs to, `local` starts one on this
    machine alone; anything else is a cluster's address.
    """
    local = Workers() if processes == 1 else WorkerProcesses(processes)
    with closing(local if ray is None else RayCluster(ray)) as workers:
        yield workers
