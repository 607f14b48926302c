"""Workers that are this process itself."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable
from dataclasses import dataclass

from shakespeare_agents.workers.jobs import Job, R, S, Shared, Tell, tell_nobody


@dataclass(frozen=True)
class InMemory:
    """Bytes of this process."""

    digest: str
    content: bytes

    def read(self) -> bytes:
        """See `Shared.read`."""
        return self.content


class ThisProcess:
    """Does one shard after the other."""

    size = 1

    def share(self, content: bytes) -> InMemory:
        """See `Workers.share`."""
        return InMemory(hashlib.sha256(content).hexdigest(), content)

    def release(self, shared: Shared) -> None:
        """See `Workers.release`; readers keep the bytes."""

    def run(
        self, job: Job[S, R], shards: Iterable[S], tell: Tell = tell_nobody
    ) -> Generator[tuple[int, R], None, None]:
        """See `Workers.run`; `tell` is called as the work goes on."""
        work = job.start()
        for number, shard in enumerate(shards):
            yield number, work(shard, tell)
