"""Workers of a Ray cluster."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from shakespeare_agents.workers.jobs import Job, R, S, Shared, Tell, tell_nobody
from shakespeare_agents.workers.worker import Done, do
from shakespeare_env.errors import WorkerError
from shakespeare_env.extras import needing

with needing("ray", "many machines need"):
    import ray

_MOST_LOST = 20
"""Times that the worker of a shard may be lost."""
_WAITING = 1
"""Shards a worker that wait, so that none is idle."""
_LOOK_EVERY_S = 1.0


@dataclass(frozen=True)
class InStore:
    """Bytes in the cluster's object store; a node fetches them once."""

    digest: str
    place: Any

    def read(self) -> bytes:
        """See `Shared.read`."""
        content: bytes = ray.get(self.place)
        return content


@dataclass(frozen=True)
class _SentJob:
    key: str
    place: Any

    def load(self) -> Any:
        return ray.get(self.place)


class Cluster:
    """The cores of a Ray cluster.

    Args:
        address: See `open_workers`.

    Raises:
        WorkerError: there is no such cluster.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._shared: dict[str, InStore] = {}
        self._shares: Counter[str] = Counter()

    def __enter__(self) -> Cluster:
        about: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
        if self._address == "local":
            about["include_dashboard"] = False
        try:
            ray.init(address=self._address, **about)
        except ConnectionError as fault:
            raise WorkerError(f"no Ray cluster at {self._address!r}: {fault}") from fault
        return self

    def __exit__(self, *_fault: object) -> None:
        ray.shutdown()

    @property
    def size(self) -> int:
        """Cores that the cluster has now."""
        return max(int(ray.cluster_resources().get("CPU", 1)), 1)  # type: ignore[no-untyped-call]

    def share(self, content: bytes) -> InStore:
        """See `Workers.share`."""
        digest = hashlib.sha256(content).hexdigest()
        if digest not in self._shared:
            self._shared[digest] = InStore(digest, ray.put(content))
        self._shares[digest] += 1
        return self._shared[digest]

    def release(self, shared: Shared) -> None:
        """See `Workers.release`; the store frees what nobody refers to."""
        self._shares[shared.digest] -= 1
        if not self._shares[shared.digest]:
            del self._shared[shared.digest]

    def run(
        self, job: Job[S, R], shards: Iterable[S], tell: Tell = tell_nobody
    ) -> Generator[tuple[int, R], None, None]:
        """See `Workers.run`."""
        # Pickled by Ray alone, which keeps what the job shares.
        sent = _SentJob(secrets.token_hex(), ray.put(job))
        task = ray.remote(num_cpus=1, max_retries=_MOST_LOST)(do)
        source = enumerate(shards)
        begun: dict[Any, int] = {}
        try:
            while True:
                room = self.size * (1 + _WAITING) - len(begun)
                for number, shard in islice(source, max(room, 0)):
                    begun[task.remote(sent, shard)] = number
                if not begun:
                    return
                ended = ray.wait(list(begun), timeout=_LOOK_EVERY_S)[0]
                if not ended:
                    tell(0, 0)
                for ref in ended:
                    number = begun.pop(ref)
                    done: Done = ray.get(ref)
                    tell(done.decisions, done.games)
                    yield number, done.unpacked()
        finally:
            for ref in begun:
                ray.cancel(ref, force=True)
