"""Chance inside a record: SplitMix64 on 64 bits of state, in its field `random`.

A game depends on its seed alone, not on batch, threads or machine (Steele, Lea and Flood 2014,
"Fast splittable pseudorandom number generators").
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import is_whole, short_repr
from shakespeare_env.compile.decorators import rule

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
FIRST_FRESH = 2**52
"""The least seed that `fresh_seed` draws; who types one for a table types a smaller one."""
EXACT = 2**53
"""Whole numbers below it are the same to every reader of JSON; JavaScript rounds larger ones."""
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@rule
def mix(word: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64."""
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@rule
def stream(seed: np.uint64, index: int) -> np.uint64:
    """The initial state of stream `index` under a seed; neighbours are unrelated."""
    return mix(mix(seed + GOLDEN) ^ (np.uint64(index) * GOLDEN))


mixed: Any = getattr(mix, "py_func", mix)
"""`mix` for arrays, uint64[n], outside compiled code."""


def streams(seed: int, indices: NDArray[Any]) -> NDArray[np.uint64]:
    """uint64[n]: `stream` for each of int[n]; errors as in `check_seed`."""
    word = mixed(np.full(1, check_seed(seed)) + GOLDEN)
    states: NDArray[np.uint64] = mixed(word ^ (indices.astype(np.uint64) * GOLDEN))
    return states


@rule
def below(record: Any, n: int) -> int:
    """Draw an integer from 0 to n - 1 (bias below n / 2**32)."""
    record["random"] += GOLDEN
    return scaled(record["random"], n)


@rule
def scaled(state: np.uint64, n: int) -> int:
    """The integer from 0 to n - 1 that a state yields."""
    return np.int64(((mix(state) >> _32) * np.uint64(n)) >> _32)  # type: ignore[return-value]


@rule
def below_in(states: Any, index: int, n: int) -> int:
    """`below` for one of many generators, uint64[k]."""
    states[index] += GOLDEN
    return scaled(states[index], n)


@rule
def next_in(states: Any, index: int) -> np.uint64:
    """The next random word of one of many generators, uint64[k]."""
    states[index] += GOLDEN
    return mix(states[index])


@rule
def shuffle(record: Any, items: Any, size: int) -> None:
    """Shuffle the first items of an array (Fisher and Yates)."""
    for last in range(size - 1, 0, -1):
        other = below(record, last + 1)
        item = items[last]
        items[last] = items[other]
        items[other] = item


@rule
def draw(record: Any, counts: Any, total: int) -> int:
    """Take an item out of a multiset, int8[k] counts that sum to total; return its index."""
    left = below(record, total)
    item = 0
    while left >= counts[item]:
        left -= counts[item]
        item += 1
    counts[item] -= 1
    return item


def check_seed(seed: int) -> np.uint64:
    """A seed as 64 bits; ValueError if it is not an integer from 0 to 2**64 - 1."""
    if not is_whole(seed) or not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed={short_repr(seed)}: use an integer from 0 to 2**64 - 1")
    return np.uint64(seed)


def fresh_seed() -> int:
    """A seed that nobody has typed: `FIRST_FRESH` or more, below `EXACT`."""
    return FIRST_FRESH | secrets.randbits(52)
