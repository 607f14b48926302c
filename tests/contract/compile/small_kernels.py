"""A small kernel that compiles quickly, and rules that it can call."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from shakespeare_env.compile.decorators import kernel, rule

needs_compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)

SCALE = 2


@rule
def twice(value):
    return value + value


@rule
def thrice(value):
    return 3 * value


@rule
def scaled(value):
    return SCALE * value


class FirstCall(NamedTuple):
    """The result of a kernel's first call, and how often its code was loaded from disk."""

    result: int
    loaded: int


def first_call(owner: str = "probe", function: Any = twice) -> FirstCall:
    """Make a kernel that applies a function, and return its first call, with the value 3."""

    @kernel(owner)
    def probe(values):
        values[0] = function(values[0])

    entry: Any = probe
    values = np.array([3])
    entry(values)
    return FirstCall(int(values[0]), sum(entry.stats.cache_hits.values()))
