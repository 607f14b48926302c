"""Doing something in a process of its own, which leaves no threads or modules behind."""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable
from multiprocessing import Pipe
from typing import TypeVar

T = TypeVar("T")


def apart(do: Callable[[], T]) -> T:
    """What a function returns in a forked process; its exception, or RuntimeError if it dies."""
    receiver, sender = Pipe(duplex=False)
    pid = os.fork()
    if not pid:
        try:
            result: tuple[T | None, BaseException | None] = (do(), None)
        except BaseException as error:
            error.add_note(traceback.format_exc())
            result = (None, error)
        sender.send_bytes(_pickled(result))
        os._exit(0)
    sender.close()
    try:
        value, fault = pickle.loads(receiver.recv_bytes())
    except EOFError:
        _, status = os.waitpid(pid, 0)
        raise RuntimeError(f"the process ended with status {status}") from None
    os.waitpid(pid, 0)
    if fault is not None:
        raise fault
    return value  # type: ignore[no-any-return]


def _pickled(result: tuple[object, BaseException | None]) -> bytes:
    try:
        data = pickle.dumps(result)
        pickle.loads(data)
        return data
    except Exception:
        notes = "".join(getattr(result[1], "__notes__", [""]))
        return pickle.dumps((None, RuntimeError(f"{type(result[1]).__name__}: {notes}")))
