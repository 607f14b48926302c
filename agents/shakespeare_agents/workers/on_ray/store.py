"""Contents and jobs in a cluster's object store, from which a node fetches them once."""

from __future__ import annotations

import io
import pickle
import platform
from dataclasses import dataclass
from typing import Any

import cloudpickle
import ray
from ray.exceptions import ObjectStoreFullError, OutOfDiskError

from shakespeare_agents.workers.jobs import Job
from shakespeare_env.errors import WorkerError


@dataclass(frozen=True)
class InStore:
    """Bytes that stay in the object store as long as anyone has this object."""

    digest: str
    place: Any

    def read(self) -> bytes:
        """See `Shared.read`."""
        content: bytes = ray.get(self.place)
        return content


def put(content: Any, size: int) -> Any:
    """Put something of that many bytes into the store; WorkerError if there is no room."""
    try:
        return ray.put(content)
    except (ObjectStoreFullError, OutOfDiskError) as fault:
        raise WorkerError(
            f"Ray's object store on this machine has no room for {size:,} bytes: free some of "
            "its disk, or start Ray with a larger --object-store-memory"
        ) from fault


def job_at(place: Any) -> Job[Any, Any]:
    """A job from the object store.

    Raises:
        WorkerError: an extra that the job needs is missing here.
    """
    content = ray.get(place)
    try:
        job: Job[Any, Any] = unpacked(*content)
    except ModuleNotFoundError as missing:
        raise WorkerError(
            f"{platform.node()} cannot import {missing.name}, which the work needs; install the "
            "same extras of shakespeare-env on all machines"
        ) from missing
    return job


def packed(one: object) -> tuple[bytes, dict[str, Any]]:
    """A job or shard as bytes, and the places of its shared contents by digest."""
    pickler = _Pickler()
    pickler.dump(one)
    return pickler.file.getvalue(), pickler.places


def unpacked(content: bytes, places: dict[str, Any]) -> Any:
    """The job or shard that was packed."""
    return _Unpickler(content, places).load()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Leaves out the places of what is shared.

    Ray has to pickle them itself, as it never frees places that it does not see travel. Errors of
    unpickling a job are then also raised as they are.
    """

    def __init__(self) -> None:
        self.file = io.BytesIO()
        self.places: dict[str, Any] = {}
        super().__init__(self.file)

    def persistent_id(self, one: object) -> str | None:
        if not isinstance(one, InStore):
            return None
        self.places[one.digest] = one.place
        return one.digest


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, places: dict[str, Any]) -> None:
        super().__init__(io.BytesIO(content))
        self._places = places

    def persistent_load(self, digest: str) -> InStore:
        return InStore(digest, self._places[digest])
