"""A target with faults of every kind, to try the fuzzer on."""

from __future__ import annotations

import ctypes
import random
import time
from typing import Any


def prepare() -> None:
    """Nothing is shared."""


def ends_in(case: random.Random) -> str:
    """What a case does: nothing bad, most of the time."""
    return case.choice(("crash", "hang", "memory", "exception")) if case.random() < 0.1 else "fine"


def check(case: random.Random) -> str:
    word = ends_in(case)
    acts: dict[str, Any] = {
        "crash": lambda: ctypes.string_at(0),
        "hang": lambda: time.sleep(3600),
        "memory": lambda: bytearray(3 << 30),
        "exception": {}.popitem,
        "fine": lambda: None,
    }
    acts[word]()
    return word
