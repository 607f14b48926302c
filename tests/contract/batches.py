"""Batches for the contract tests, and comparisons of all that a step could change in one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shakespeare_env import Batch
from shakespeare_env.core import registry
from tests.contract.random_games import Table, actions_by_rule, differing_fields, mix_bits

MANY = 400
"""Enough games for threads to share a step, even of a part of them."""

ARRAYS = ["players", "to_move", "done", "mask", "obs", "rewards", "final_scores", "final_winners"]
"""The public arrays of a batch."""
games = pytest.mark.parametrize("name", registry.names())
sizes = pytest.mark.parametrize(("n", "threads"), [(6, 1), (MANY, 3)])


def snapshot(batch: Batch) -> tuple[dict[str, Any], Any]:
    """Return copies of everything a step could change: the arrays by name, and the records."""
    arrays = {name: getattr(batch, name).copy() for name in ARRAYS}
    return arrays, batch.save(slice(None))


def assert_unchanged(batch: Batch, before: tuple[dict[str, Any], Any]) -> None:
    arrays, records = before
    for name, array in arrays.items():
        np.testing.assert_array_equal(getattr(batch, name), array, name)
    assert differing_fields(batch.save(slice(None)), records) == []


def assert_same(batch: Batch, other: Batch) -> None:
    """Assert that two batches show the same and hold the same games with the same chance."""
    assert_unchanged(batch, snapshot(other))


def batch_in_play(
    table: Table, n: int = 5, seed: int = 40, steps: int = 40, **arguments: Any
) -> Batch:
    """Return a batch some steps into its games."""
    batch = table.batch(n, seed=seed, **arguments)
    for step in range(steps):
        batch.step(actions_by_rule(batch.mask, step))
    return batch


def batch_of_all_seat_counts(name: str, n: int, **arguments: Any) -> Batch:
    """Return a batch of tables of every size that a game allows."""
    return Batch(name, n, players=np.resize(registry.seats(name), n), seed=68, **arguments)


def some_rows(n: int, step: int, share: float = 0.8) -> Any:
    """Return about this share of n rows, int64[m]; another choice at each step."""
    words = mix_bits(np.arange(1, n + 1, dtype=np.uint64) * np.uint64(n + step))
    return np.flatnonzero(words.astype(float) < share * 2.0**64)
