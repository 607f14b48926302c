"""Jobs, their shards, and who works on them; this process may do so itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


Tell = Callable[[int, int], None]
"""Called with the decisions made and the games finished since the last call; sometimes with none,
so that it can stop the work by raising."""
Work = Callable[[S, Tell], R]
"""Does a shard; the result depends on the shard alone, so that a lost one can be done again."""


def tell_nobody(_decisions: int, _games: int) -> None:
    """Ignore progress."""


class Job(Protocol[S_contra, R_co]):
    """What the shards of some work have in common.

    It travels pickled to every worker, as do shards and results: large contents are shared
    (`Workers.share`).
    """

    def start(self) -> Callable[[S_contra, Tell], R_co]:
        """Prepare a worker for the work, as by making agents; called once in each."""
        ...


class Shared(Protocol):
    """Bytes that workers can read, wherever they are."""

    @property
    def digest(self) -> str:
        """SHA-256 of the content, hexadecimal."""
        ...

    def read(self) -> bytes:
        """The content."""
        ...


class Workers(Protocol):
    """Whoever does the shards of jobs; see `open_workers`."""

    @property
    def size(self) -> int:
        """The number of shards worked on at once."""
        ...

    def share(self, content: bytes) -> Shared:
        """Let workers read some bytes; the same bytes are kept once."""
        ...

    def release(self, shared: Shared) -> None:
        """Forget bytes once they have been released as often as they were shared."""
        ...

    def run(
        self, job: Job[S, R], shards: Iterable[S], tell: Tell = tell_nobody
    ) -> Generator[tuple[int, R], None, None]:
        """Do shards; yields their numbers, from 0, and results as they come.

        Shards are taken only when they can be begun, so their source may wait for results and be
        empty as long as results are to come. A shard whose worker is lost is done again. `tell` is
        called in this thread, at the latest before a shard's result is given.
        Closing the iterator drops what is not done.

        Raises:
            Exception: a shard raised it; it keeps its notes.
            WorkerError: workers are lost again and again.
        """
        ...


def in_order(results: Iterable[tuple[int, R]]) -> Iterator[R]:
    """Results of `Workers.run` in the order of their shards."""
    waiting: dict[int, R] = {}
    following = 0
    for number, result in results:
        waiting[number] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1


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
