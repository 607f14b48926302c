"""Doing something in a process of its own; imports nothing of the engine."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any


def apart(do: Callable[..., Any], *given: Any) -> Any:
    """What a function returns in a forked process, which leaves no threads or modules behind.

    Its exception is raised here, and a BrokenProcessPool if it dies.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        return pool.submit(do, *given).result()
