"""Whoever sees a seat of a table cannot find its seed, and with it every hidden card."""

import re

import numpy as np
import pytest

from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.core.kernels import GameArrays, kernels_of
from shakespeare_env.core.rng import FIRST_FRESH, GOLDEN, fresh_seed, mixed
from tests.table.tables import begin, links, served, site_of

_AT_ONCE = 2**17
_TRIED = 2**20
"""Seeds tried, from 0 on: more than the page's seeds were, once; 2**24 take a minute."""


def seeds_that_fit(view, seat, players, tried):
    """The seeds below `tried` whose deal of Figaro looks to a seat like the one it sees."""
    game = registry.game("figaro")
    kernels, rows = kernels_of(game), np.arange(_AT_ONCE)
    arrays = GameArrays.of(game, _AT_ONCE)
    games = arrays[0]
    obs = np.empty((_AT_ONCE, len(view)), np.int8)
    found: list[int] = []
    for first in range(0, tried, _AT_ONCE):
        seeds = (first + rows).astype(np.uint64)
        games[:] = np.zeros(1, games.dtype)
        games["random"] = mixed(mixed(seeds + GOLDEN))
        seats = np.full(_AT_ONCE, players, np.int8)
        kernels.set_up(arrays, rows, 0, _AT_ONCE, seats, 0)
        kernels.observe(games, rows, np.full(_AT_ONCE, seat, np.int8), obs)
        found += (first + np.flatnonzero((obs == view).all(axis=1))).tolist()
    return found


def first_view(client, seed):
    """What seat 0 of a new table of three people sees, and the table's page."""
    page = begin(client, "figaro", ["person"] * 3, seed)
    table = re.search(r"/watch/([\w-]+)", page.text)
    assert table
    return table[1], page


def test_a_typed_seed_is_found_and_warned_of_and_one_that_nobody_typed_is_not(tmp_path):
    with served(tmp_path) as client:
        store = site_of(client).store
        for typed in ("76543", ""):
            table_id, page = first_view(client, typed)
            stored = store.table(table_id)
            assert stored is not None
            dealt = Position.new("figaro", players=3, seed=stored.plan.seed)
            fitting = seeds_that_fit(dealt.observation(0), 0, 3, _AT_ONCE if typed else _TRIED)
            assert fitting == ([int(typed)] if typed else [])
            for link in links(page):
                assert ('id="known-seed"' in client.get(link).text) is bool(typed)
            assert (stored.plan.seed < FIRST_FRESH) is bool(typed)


def test_fresh_seeds_use_all_their_bits():
    drawn = np.array([fresh_seed() for _ in range(200)], np.uint64)
    bits = (drawn[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert (bits[:, 63] == 1).all()
    assert (np.abs(bits[:, :63].mean(axis=0) - 0.5) < 0.25).all()


@pytest.mark.parametrize("seats", [["person", "random", "random"], ["person"] * 3])
def test_one_person_alone_may_type_a_seed(client, seats):
    page = begin(client, "figaro", seats, 5)
    assert ('id="known-seed"' in page.text) is (seats.count("person") > 1)
