"""A target with faults of every kind, to try the fuzzer on."""

from __future__ import annotations

import ctypes
import random
import time

_FAULTS = ("crash", "hang", "memory", "exception")


def prepare() -> None:
    """Nothing is shared."""


def ends_in(case: random.Random) -> str:
    """What a case does: nothing bad, most of the time."""
    return case.choice(_FAULTS) if case.random() < 0.1 else "fine"


def check(case: random.Random) -> str:
    word = ends_in(case)
    if word == "crash":
        ctypes.string_at(0)
    elif word == "hang":
        time.sleep(3600)
    elif word == "memory":
        bytearray(3 << 30)
    elif word == "exception":
        raise KeyError("no error of the project")
    return word
