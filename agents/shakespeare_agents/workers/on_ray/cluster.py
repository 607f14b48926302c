"""The cores of a Ray cluster as workers."""

from __future__ import annotations

import logging
import reprlib
import time
from collections.abc import Generator, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import cloudpickle
import ray
from ray.exceptions import RayError

from shakespeare_agents.workers.installed import installed
from shakespeare_agents.workers.jobs import Job, R, S, Shared, Tell, tell_nobody
from shakespeare_agents.workers.on_ray.joining import head_answers, joined
from shakespeare_agents.workers.on_ray.losses import loss
from shakespeare_agents.workers.on_ray.node import shard_on_node
from shakespeare_agents.workers.on_ray.store import InStore, Store, packed
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

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Begun:
    number: int
    shard: Any
    lost: int


class Cluster:
    """The cores of a Ray cluster; they may become more or fewer at any time.

    Args:
        address: See `open_workers`.

    Raises:
        WorkerError: there is no such cluster.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._store = Store()
        self._left = ExitStack()
        self._watch: _Watch

    def __enter__(self) -> Cluster:
        self._left.enter_context(joined(self._address))
        self._watch = _Watch()
        return self

    def __exit__(self, *_fault: object) -> None:
        self._left.close()

    @property
    def size(self) -> int:
        """Cores that the cluster has now, at least 1."""
        return self._watch.size()

    def share(self, content: bytes) -> InStore:
        """See `Workers.share`."""
        return self._store.put(content)

    def release(self, _shared: Shared) -> None:
        """See `Workers.release`; the store frees what nobody refers to."""

    def run(
        self, job: Job[S, R], shards: Iterable[S], tell: Tell = tell_nobody
    ) -> Generator[tuple[int, R], None, None]:
        """See `Workers.run`."""
        sent = self._store.put_job(job)
        do = ray.remote(num_cpus=1, max_retries=0)(shard_on_node(installed()))
        # Unlike a generator, `map` goes on after a time without shards.
        source = map(lambda one: _Begun(one[0], one[1], 0), enumerate(shards))  # noqa: C417
        begun: dict[Any, _Begun] = {}
        again: list[_Begun] = []
        try:
            while True:
                room = self.size * (1 + _WAITING) - len(begun) - len(again)
                for one in [*again, *islice(source, max(room, 0))]:
                    ref = do.remote(sent.key, [sent.place], *packed(one.shard))
                    begun[ref] = one
                again = []
                if not begun:
                    return
                ended = ray.wait(list(begun), timeout=_LOOK_EVERY_S)[0]
                if not ended:
                    tell(0, 0)
                for ref in ended:
                    one = begun.pop(ref)
                    try:
                        done = _taken(ref)
                        result = done.unpacked()
                    except RayError as fault:
                        again.append(_lost(one, fault))
                        continue
                    tell(done.decisions, done.games)
                    yield one.number, result
        finally:
            for ref in begun:
                ray.cancel(ref, force=True)


class _Watch:
    """Looks after the cluster now and then."""

    def __init__(self) -> None:
        self._head = ray.get_runtime_context().gcs_address
        self._cores = _cores()
        self._looked = self._heard = self._had_cores = time.monotonic()

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


def _lost(one: _Begun, fault: RayError) -> _Begun:
    """A shard to be done again.

    Raises:
        WorkerError: its worker has been lost too often.
    """
    cause, remedy = loss(fault)
    lost = one.lost + 1
    if lost >= _MOST_LOST:
        raise WorkerError(
            f"the worker of shard {one.number}, {reprlib.repr(one.shard)}, was lost {lost} times, "
            f"at last because {cause}; {remedy}"
        ) from fault
    _logger.warning("a worker was lost: %s; its shard is done again", cause)
    return replace(one, lost=lost)
