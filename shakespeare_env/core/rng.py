"""Random numbers of a game: SplitMix64, with its 64 bits of state in the record's field `random`.

A game therefore depends on its seed alone, not on the batch, on threads or on the machine. The
generator is from Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import is_integer, short_repr
from shakespeare_env.compile.decorators import rule

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the increment of SplitMix64: 2**64 / the golden ratio
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
FIRST_FRESH = 2**52
"""The least seed that `fresh_seed` draws. Seeds that people type are smaller."""
JSON_SAFE_LIMIT = 2**53
"""The number up to which all JSON readers read integers exactly. JavaScript rounds greater ones."""
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)
_32 = np.uint64(32)


@rule
def mix(word: np.uint64) -> np.uint64:
    """Return a word scrambled by the finaliser of SplitMix64."""
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@rule
def stream(seed: np.uint64, index: int) -> np.uint64:
    """Return the initial state of stream `index` of a seed. Streams are independent."""
    return mix(mix(seed + GOLDEN) ^ (np.uint64(index) * GOLDEN))


mix_array: Any = getattr(mix, "py_func", mix)
"""`mix` for arrays, uint64[n], outside compiled code."""


def streams(seed: int, indices: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the initial states of some streams of a seed, uint64[n].

    Args:
        seed: The seed; errors are those of `check_seed`.
        indices: int[n], the streams.
    """
    word = mix_array(np.full(1, check_seed(seed)) + GOLDEN)
    states: NDArray[np.uint64] = mix_array(word ^ (indices.astype(np.uint64) * GOLDEN))
    return states


@rule
def below(record: Any, n: int) -> int:
    """Draw an integer from 0 to n - 1 (bias below n / 2**32)."""
    record["random"] += GOLDEN
    return scaled(record["random"], n)


@rule
def scaled(state: np.uint64, n: int) -> int:
    """Return the random integer from 0 to n - 1 of a generator in this state."""
    return np.int64(((mix(state) >> _32) * np.uint64(n)) >> _32)  # type: ignore[return-value]


@rule
def below_in(states: Any, index: int, n: int) -> int:
    """Draw an integer from 0 to n - 1 with one of the generators whose states are uint64[k]."""
    states[index] += GOLDEN
    return scaled(states[index], n)


@rule
def next_in(states: Any, index: int) -> np.uint64:
    """Draw 64 random bits with one of the generators whose states are uint64[k]."""
    states[index] += GOLDEN
    return mix(states[index])


@rule
def shuffle(record: Any, items: Any, size: int) -> None:
    """Shuffle the first `size` items of an array (Fisher and Yates)."""
    for last in range(size - 1, 0, -1):
        other = below(record, last + 1)
        item = items[last]
        items[last] = items[other]
        items[other] = item


@rule
def draw(record: Any, counts: Any, total: int) -> int:
    """Draw an item from a multiset and take it out; return its index.

    The multiset is given by int8[k] counts that sum to `total`.
    """
    left = below(record, total)
    item = 0
    while left >= counts[item]:
        left -= counts[item]
        item += 1
    counts[item] -= 1
    return item


def check_seed(seed: int) -> np.uint64:
    """Return a seed as 64 bits; ValueError if it is not an integer from 0 to 2**64 - 1."""
    if not is_integer(seed) or not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed={short_repr(seed)}: give an integer from 0 to 2**64 - 1")
    return np.uint64(seed)


def fresh_seed() -> int:
    """Draw a seed from `FIRST_FRESH` up to `JSON_SAFE_LIMIT`, which nobody is likely to type."""
    return FIRST_FRESH | secrets.randbits(52)
