"""Work in independent shards, done here, by processes or by a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from shakespeare_agents.workers.jobs import (
    InMemory,
    Job,
    Shared,
    Tell,
    ThisProcess,
    Work,
    Workers,
    in_order,
    tell_nobody,
)

__all__ = [
    "InMemory",
    "Job",
    "Shared",
    "Tell",
    "ThisProcess",
    "Work",
    "Workers",
    "in_order",
    "open_workers",
    "tell_nobody",
]
MOST_WORKERS = 1024
"""The most processes on one machine."""


@contextmanager
def open_workers(processes: int = 1, ray: str | None = None) -> Iterator[Workers]:
    """Workers for the length of a block.

    Args:
        processes: The number of processes of this machine; 1 is this process itself.
        ray: A Ray cluster in their place: `auto` is the one that this machine belongs to, `local`
            starts one on this machine alone; anything else is a cluster's address.

    Raises:
        ValueError: both are given, or `processes` is out of range.
        ModuleNotFoundError: Ray is asked for and not installed.
        WorkerError: there is no such cluster.
    """
    if ray is not None:
        if processes != 1:
            raise ValueError(f"workers={processes} and ray={ray!r}: give one of them")
        from shakespeare_agents.workers.on_ray import Cluster, joined

        with joined(ray):
            yield Cluster()
    elif processes == 1:
        yield ThisProcess()
    elif 1 < processes <= MOST_WORKERS:
        from shakespeare_agents.workers.processes import Processes

        with Processes(processes) as started:
            yield started
    else:
        raise ValueError(f"workers={processes} is out of range 1 to {MOST_WORKERS}")
