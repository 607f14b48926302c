"""Doing something in a process of its own; imports nothing of the engine."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from multiprocessing import Pipe
from typing import Any


def apart(do: Callable[[], Any]) -> Any:
    """What a function returns in a forked process, which leaves no threads or modules behind.

    Its exception is raised as a RuntimeError, and so is its death.
    """
    receiver, sender = Pipe(duplex=False)
    pid = os.fork()
    if not pid:
        try:
            sender.send((do(), None))
        except BaseException:
            sender.send((None, traceback.format_exc()))
        os._exit(0)
    sender.close()
    try:
        value, fault = receiver.recv()
    except EOFError:
        value, fault = None, "the process died"
    _, status = os.waitpid(pid, 0)
    if fault is not None or status:
        raise RuntimeError(f"{fault}, status {status}")
    return value
