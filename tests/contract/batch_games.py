"""Batches in mid-game, of one seat count or of all, for the tests of a batch's parts and copies."""

from typing import Any

import numpy as np
import pytest

from shakespeare_env import Batch, registry
from tests.contract.batches import arrays_of
from tests.contract.random_games import (
    PLAIN_FULL_TABLES,
    TABLES,
    chosen,
    differing_fields,
    scrambled,
)

MANY = 400
"""Enough games for threads to share a step of some of them."""

tables = pytest.mark.parametrize("table", TABLES, ids=str)
full_tables = pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
games = pytest.mark.parametrize("name", registry.names())
threads = pytest.mark.parametrize("threads", [1, 3])
sizes = pytest.mark.parametrize(("n", "threads"), [(6, 1), (6, 3), (MANY, 3)])
methods = pytest.mark.parametrize("method", ["step", "restart", "observe", "scores"])


def some_rows(n, step, share=0.8):
    """int64[m]: about this share of n rows, others at each step."""
    words = scrambled(np.arange(1, n + 1, dtype=np.uint64) * np.uint64(n + step))
    return np.flatnonzero(words < np.uint64(share * 2**64))


def advanced(table, n, steps, **arguments):
    """A batch some steps into its games, played at random."""
    batch = table.batch(n, seed=60, **arguments)
    for _ in range(steps):
        batch.step(batch.random_actions())
    return batch


def mixed(name, n, variant=None, **arguments):
    """A batch with every seat count that a game, or a variant of it, is for."""
    game = registry.game(name)
    seats = registry.seats(name) if variant is None else game.options[variant]
    players = [seats[row % len(seats)] for row in range(n)]
    options: dict[str, Any] = {} if variant is None else {variant: True}
    return Batch(name, n, players=players, seed=68, **arguments, **options)


def mixed_in_mid_game(name, n, threads, variant, **arguments):
    batch = mixed(name, n, variant, threads=threads, **arguments)
    for _ in range(70):
        batch.step(batch.random_actions())
    return batch


def call(batch, method, rows):
    """A method of a batch called for some rows, with as many actions or seats."""
    given = {
        "step": lambda: batch.step(chosen(batch.mask, 0)[: np.size(rows)], rows),
        "restart": lambda: batch.restart(rows),
        "observe": lambda: batch.observe(np.zeros(np.size(rows), int), rows),
        "scores": lambda: batch.scores(rows),
    }
    return given[method]()


def assert_same(batch, other):
    """Two batches show the same, hold the same games and have the same chance to come."""
    for name, (array, _, _) in arrays_of(batch).items():
        np.testing.assert_array_equal(array, getattr(other, name), name)
    assert differing_fields(batch.save(slice(None)), other.save(slice(None))) == []
