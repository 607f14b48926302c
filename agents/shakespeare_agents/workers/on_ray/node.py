"""Doing a shard on a node, even one that lacks our package or has other versions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shakespeare_env.version import version as own_version

_PACKAGES = ("shakespeare_env", "shakespeare_agents", "shakespeare_training")
_COUNT = ("numpy", "numba")
"""Libraries whose versions may decide a result."""

Answer = tuple[str, bytes]
"""The node's fault, empty as a rule, and the pickled `Done`."""


@cache
def installed() -> dict[str, str]:
    """Versions by name; the package's with a digest of its code, as checkouts share a version."""
    return {
        "shakespeare-env": f"{own_version()} (code {_code_digest()})",
        **{name: version(name) for name in _COUNT},
    }


def _code_digest() -> str:
    digest = hashlib.sha256()
    for name in _PACKAGES:
        spec = find_spec(name)
        for folder in (spec and spec.submodule_search_locations) or []:
            for file in sorted(Path(folder).rglob("*.py")):
                digest.update(f"{name}/{file.relative_to(folder).as_posix()}\0".encode())
                digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]


def shard_on_node(
    expected: dict[str, str],
) -> Callable[[str, list[Any], bytes, dict[str, Any]], Answer]:
    """A function that does shards on nodes where the expected versions are installed.

    It travels as code, not by its name, and takes and gives Python's own types.

    Args:
        expected: Their `installed`, at the driver.
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

            from shakespeare_agents.workers.on_ray.node import installed
            from shakespeare_agents.workers.on_ray.store import job_at, unpacked
            from shakespeare_agents.workers.worker import do
        except ImportError as missing:
            return f"{node} cannot import {missing.name}", b""
        for name, found in installed().items():
            if expected[name] != found:
                return f"{node} has {name} {found}, this machine {expected[name]}", b""
        done = do(key, lambda: job_at(place[0]), unpacked(shard, places))
        return "", cloudpickle.dumps(done)

    return shard_of_games
