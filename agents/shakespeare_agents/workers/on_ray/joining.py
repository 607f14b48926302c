"""Joining a Ray cluster, and leaving it."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray
from ray._private import services
from ray._private import worker as rays_worker

from shakespeare_env.errors import WorkerError

AUTO = "auto"
LOCAL = "local"
_ANSWERS_WITHIN_S = 5.0
"""Seconds within which a cluster's head answers, however far away."""


@contextmanager
def joined(address: str) -> Iterator[None]:
    """This process as a part of a cluster, for the length of a block.

    A connection that this process already has is used and left as it is.

    Args:
        address: See `open_workers`.

    Raises:
        WorkerError: there is no such cluster, or this process belongs to another one.
    """
    if "://" in address:
        raise WorkerError(
            f"ray={address!r}: Ray's client is not supported; run this on a machine of the "
            "cluster with --ray auto, by hand or by `ray job submit`"
        )
    if ray.is_initialized():
        own = ray.get_runtime_context().gcs_address
        if address not in (AUTO, LOCAL, own):
            raise WorkerError(
                f"ray={address!r}: this process uses the Ray cluster at {own} already; call "
                "ray.shutdown() first"
            )
        yield
        return
    with _silent():
        with _process_as_it_was():
            _join(address)
        try:
            yield
        finally:
            ray.shutdown()


def head_answers(address: str, within_s: float = _ANSWERS_WITHIN_S) -> bool:
    """Whether anything listens at the address, HOST:PORT, of a cluster's head."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), within_s).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _join(address: str) -> None:
    about: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if address == LOCAL:
        about["include_dashboard"] = False
        about["_system_config"] = {"worker_niceness": 0}  # like processes of one's own
    elif not head_answers(_found(address)):
        # Ray itself would try for two minutes.
        raise _none_at(address)
    try:
        ray.init(address=address, **about)
    except ConnectionError as fault:
        raise _none_at(address) from fault
    except (RuntimeError, ValueError, OSError) as fault:
        doing = "start" if address == LOCAL else f"join the cluster at {address!r}"
        raise WorkerError(f"Ray cannot {doing}: {fault}") from fault


def _found(address: str) -> str:
    """HOST:PORT of the head of a cluster; empty if there is none."""
    try:
        return services.canonicalize_bootstrap_address(address) or ""
    except (ConnectionError, ValueError):
        return ""


def _none_at(address: str) -> WorkerError:
    if address == AUTO:
        return WorkerError(
            "this machine belongs to no Ray cluster; start one (`ray start --head`), join one "
            "(`ray start --address=HOST:6379`), or give --ray local"
        )
    return WorkerError(
        f"no Ray cluster at {address!r}; give the HOST:PORT that `ray start --head` printed"
    )


@contextmanager
def _process_as_it_was() -> Iterator[None]:
    """Undo what `ray.init` changes of the whole process: how it ends, how it is debugged."""
    breaks = os.environ.get("PYTHONBREAKPOINT")
    main = threading.current_thread() is threading.main_thread()
    ends = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if main and ends is not None:
            signal.signal(signal.SIGTERM, ends)
        os.environ.pop("PYTHONBREAKPOINT", None)
        if breaks is not None:
            os.environ["PYTHONBREAKPOINT"] = breaks


@contextmanager
def _silent() -> Iterator[None]:
    """Keep Ray's messages on lost workers and nodes off the standard output, as we have our own."""
    before = rays_worker._worker_logs_enabled
    rays_worker._worker_logs_enabled = False
    try:
        yield
    finally:
        rays_worker._worker_logs_enabled = before
