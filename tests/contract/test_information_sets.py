"""What an agent that looks ahead is given: possible games, and no way to the true ones."""

from __future__ import annotations

import inspect

import numpy as np

from shakespeare_env.information_sets import InformationSets
from tests.contract.each_table import full_tables
from tests.contract.random_games import chosen, differing_fields
from tests.generators import generators


def under_way(table, n, seed=3):
    batch = table.batch(n, seed=seed)
    for step in range(30):
        batch.step(chosen(batch.mask, step))
    return batch


@full_tables
def test_possible_games_look_the_same_to_the_seat(table):
    batch = under_way(table, 20)
    sets = InformationSets(batch, np.arange(20))
    assert len(sets) == 20
    places = np.repeat(np.arange(20), 3)
    games = sets.determinized(places, generators(20))
    assert games.n == 60
    assert (games.obs == sets.observations[places]).all()
    assert (games.mask == sets.masks[places]).all()
    assert (games.to_move == sets.seats[places]).all()
    before = batch.save(slice(None)).tobytes()
    games.step(sets.masks[places].argmax(axis=1))
    assert batch.save(slice(None)).tobytes() == before


@full_tables
def test_a_possible_game_depends_on_its_own_game_and_generator_alone(table):
    """Whichever rows are asked about together, and in whatever order; repeats of one differ."""
    batch = under_way(table, 8)
    places = np.array([0, 2, 5, 2, 7])
    rows = np.arange(8)
    together = InformationSets(batch, rows).determinized(places, generators(8)).save(slice(None))
    for row in (0, 2, 5, 7):
        own = InformationSets(batch, np.array([row]))
        wanted = np.flatnonzero(places == row)
        alone = own.determinized(np.zeros(len(wanted), int), generators(8)[np.array([row])])
        assert differing_fields(alone.save(slice(None)), together[wanted]) == []
    assert together[1].tobytes() != together[3].tobytes()
    assert "random" in differing_fields(together[1], together[3])
    assert "random" in differing_fields(together[[0, 1]], batch.save([0, 2]))


@full_tables
def test_they_hold_no_way_to_the_games(table):
    sets = InformationSets(table.batch(2, seed=0), np.arange(2))
    public = {name for name, _ in inspect.getmembers(sets) if name[0] != "_"}
    assert public == {"determinized", "masks", "observations", "seats"}


@full_tables
def test_what_they_show_is_a_copy(table):
    batch = under_way(table, 4)
    sets = InformationSets(batch, np.arange(4))
    before = sets.observations.copy(), sets.masks.copy(), sets.seats.copy()
    batch.step(chosen(batch.mask, 30))
    assert (sets.observations == before[0]).all()
    assert (sets.masks == before[1]).all()
    assert (sets.seats == before[2]).all()
