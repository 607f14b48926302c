"""The cores of a Ray cluster as workers."""

from __future__ import annotations

import hashlib
import logging
import reprlib
import time
from collections import Counter
from collections.abc import Generator, Iterable
from itertools import islice
from typing import Any
from weakref import WeakValueDictionary

import cloudpickle
import ray
from ray.exceptions import (
    LocalRayletDiedError,
    NodeDiedError,
    ObjectLostError,
    ObjectStoreFullError,
    OutOfDiskError,
    OutOfMemoryError,
    RayError,
    RayTaskError,
    WorkerCrashedError,
)

from shakespeare_agents.workers.jobs import Job, R, S, Shared, Tell, tell_nobody
from shakespeare_agents.workers.on_ray.joining import head_answers
from shakespeare_agents.workers.on_ray.node import installed, shard_on_node
from shakespeare_agents.workers.on_ray.store import InStore, packed, put
from shakespeare_agents.workers.worker import Done
from shakespeare_env.errors import WorkerError

_MOST_LOST = 8
"""The most times that the worker of a shard may be lost."""
_WAITING = 1
"""Waiting shards a core, so that none is idle."""
_LOOK_EVERY_S = 1.0
WITHOUT_CORES_S = 60.0
"""Seconds that the cluster may have no core, as while a node is replaced or started."""
WITHOUT_HEAD_S = 20.0
"""Seconds that its head may be silent; Ray ends this process after 60 s."""

_LOSSES: dict[type[RayError], tuple[str, str]] = {
    OutOfMemoryError: (
        "its node ran out of memory",
        "start Ray there with fewer cores (`ray start --num-cpus`)",
    ),
    OutOfDiskError: ("its node's disk is full", "free some of it"),
    ObjectStoreFullError: (
        "its node's object store is full",
        "start Ray there with a larger --object-store-memory",
    ),
    NodeDiedError: ("its node is gone", "look at that node's logs in /tmp/ray"),
    ObjectLostError: ("its result was lost with its node", "look at that node's logs in /tmp/ray"),
    WorkerCrashedError: (
        "its process ended: memory ran out, or an agent ended it",
        "start Ray with fewer cores a node (`ray start --num-cpus`), or try the agents without Ray",
    ),
}
"""The cause of a lost worker, and the remedy if losses go on, by type of fault."""

_logger = logging.getLogger(__name__)


class Cluster:
    """The cores of the Ray cluster that this process has joined; they may become more or fewer."""

    def __init__(self) -> None:
        self._shared: WeakValueDictionary[str, InStore] = WeakValueDictionary()
        self._head = ray.get_runtime_context().gcs_address
        self._cores = _cores()
        self._looked = self._heard = self._had_cores = time.monotonic()

    @property
    def size(self) -> int:
        """Cores that there are, at least 1, so that a cluster that grows on demand begins to.

        Raises:
            WorkerError: there have been none for long, or the head is silent.
        """
        now = time.monotonic()
        if now >= self._looked + _LOOK_EVERY_S:
            self._looked = now
            self._look(now)
        return max(self._cores, 1)

    def share(self, content: bytes) -> InStore:
        """See `Workers.share`; WorkerError if there is no room."""
        digest = hashlib.sha256(content).hexdigest()
        found = self._shared.get(digest)
        if found is None:
            found = self._shared[digest] = InStore(digest, put(content, len(content)))
        return found

    def release(self, _shared: Shared) -> None:
        """See `Workers.release`; the store frees what nobody refers to."""

    def run(
        self, job: Job[S, R], shards: Iterable[S], tell: Tell = tell_nobody
    ) -> Generator[tuple[int, R], None, None]:
        """See `Workers.run`."""
        content, places = packed(job)
        key, place = hashlib.sha256(content).hexdigest(), put((content, places), len(content))
        do = ray.remote(num_cpus=1, max_retries=0)(shard_on_node(installed()))
        source = enumerate(shards)
        begun: dict[Any, tuple[int, S]] = {}
        again: list[tuple[int, S]] = []
        lost: Counter[int] = Counter()
        try:
            while True:
                room = self.size * (1 + _WAITING) - len(begun) - len(again)
                for one in [*again, *islice(source, max(room, 0))]:
                    begun[do.remote(key, [place], *packed(one[1]))] = one
                again = []
                if not begun:
                    return
                ended = ray.wait(list(begun), timeout=_LOOK_EVERY_S)[0]
                if not ended:
                    tell(0, 0)
                for ref in ended:
                    number, shard = begun.pop(ref)
                    try:
                        done = _taken(ref)
                        result = done.unpacked()
                    except RayError as fault:
                        cause, remedy = loss(fault)
                        lost[number] += 1
                        if lost[number] >= _MOST_LOST:
                            raise WorkerError(
                                f"the worker of shard {number}, {reprlib.repr(shard)}, was lost "
                                f"{lost[number]} times, at last because {cause}; {remedy}"
                            ) from fault
                        _logger.warning("a worker was lost: %s; its shard is done again", cause)
                        again.append((number, shard))
                        continue
                    tell(done.decisions, done.games)
                    yield number, result
        finally:
            for ref in begun:
                ray.cancel(ref, force=True)

    def _look(self, now: float) -> None:
        # Asking a lost head would end this process.
        if head_answers(self._head, _LOOK_EVERY_S):
            self._heard = now
            self._cores = _cores()
        elif now > self._heard + WITHOUT_HEAD_S:
            raise WorkerError(
                f"the head of the Ray cluster at {self._head} is gone; start the cluster again, "
                "then repeat the command"
            )
        if self._cores > 0:
            self._had_cores = now
        elif now > self._had_cores + WITHOUT_CORES_S:
            raise WorkerError(
                f"the Ray cluster at {self._head} has had no core for {WITHOUT_CORES_S:.0f} s; "
                f"add machines (`ray start --address={self._head}`)"
            )


def _cores() -> int:
    return int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]


def _taken(ref: Any) -> Done:
    """The answer of a node.

    Raises:
        RayError: the node has not answered.
        WorkerError: the node has other code.
    """
    unfit, content = ray.get(ref)
    if unfit:
        raise WorkerError(f"{unfit}; install the same version on all machines")
    done: Done = cloudpickle.loads(content)
    return done


def loss(fault: RayError) -> tuple[str, str]:
    """The cause of a shard's loss, and the remedy if losses go on.

    Raises:
        WorkerError: nothing can be done any more.
    """
    if isinstance(fault, LocalRayletDiedError):
        raise WorkerError(
            "Ray has ended on this machine; start it again (`ray start`), then repeat the command"
        ) from fault
    for kind, words in _LOSSES.items():
        if isinstance(fault, kind):
            return words
    cause = fault.cause if isinstance(fault, RayTaskError) else fault
    raise WorkerError(f"Ray has failed: {type(cause).__name__}: {cause}") from fault
