"""Doing a shard on a node, even one that lacks our package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Answer = tuple[str, bytes]
"""The node's fault, empty as a rule, and the pickled `Done`."""


def shard_on_node(
    expected: dict[str, str],
) -> Callable[[str, list[Any], bytes, dict[str, Any]], Answer]:
    """A function that does shards on nodes where the expected versions are installed.

    It travels as code, not by its name, and takes and gives Python's own types.

    Args:
        expected: See `installed`.
    """

    def shard_of_games(
        key: str, place: list[Any], shard: bytes, places: dict[str, Any]
    ) -> tuple[str, bytes]:
        import os
        import platform

        import ray

        address = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
        node = f"{platform.node()} ({address})"
        # They are set before libraries that read them are imported: a task has one core.
        for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA"):
            os.environ[f"{library}_NUM_THREADS"] = "1"
        try:
            import cloudpickle

            from shakespeare_agents.workers.installed import installed
            from shakespeare_agents.workers.on_ray.store import JobInStore, unpacked
            from shakespeare_agents.workers.worker import do
        except ImportError as missing:
            return f"{node} cannot import {missing.name}", b""
        for name, version in installed().items():
            if expected[name] != version:
                return f"{node} has {name} {version}, this machine {expected[name]}", b""
        return "", cloudpickle.dumps(do(JobInStore(key, place[0]), unpacked(shard, places)))

    return shard_of_games
