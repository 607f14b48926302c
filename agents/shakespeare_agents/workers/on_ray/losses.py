"""Ray's faults in our words, and which of them are losses after which a shard is done again."""

from __future__ import annotations

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

from shakespeare_env.errors import WorkerError

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
