"""What an agent that looks ahead is given: possible games, and no way to the true ones."""

from __future__ import annotations

import gc
import random
import types
import weakref

import numpy as np
import pytest

from shakespeare_env import Batch
from shakespeare_env.game import Game
from shakespeare_env.information_sets import InformationSets
from tests.contract import knowledge
from tests.contract.each_table import full_tables
from tests.contract.random_games import TABLES, chosen, differing_fields, sampled, stacked
from tests.generators import generators

PUBLIC = (Game, type, types.ModuleType, types.BuiltinFunctionType)


def under_way(table, n, seed=3):
    batch = table.batch(n, seed=seed)
    for step in range(30):
        batch.step(chosen(batch.mask, step))
    return batch


@pytest.fixture(scope="module", params=TABLES, ids=str)
def decisions(request):
    """Random positions of a table in which a seat is to move, several of each phase."""
    table = request.param
    positions = [p for seed in (1, 2) for p in sampled(table, seed, every=5)]
    batch = table.batch(len(positions), seed=0, reward="score")
    batch.load(slice(None), stacked(p.record() for p in positions))
    return batch.copies(np.flatnonzero(batch.to_move >= 0))


def reached(start):
    """All objects that can be had from one, apart from what every game of a kind shares."""
    found, seen, left = [], {}, [start]
    while left:
        thing = left.pop()
        if type(thing) in weakref.ProxyTypes:  # asked for its class, a dead one raises
            continue
        if id(thing) in seen or isinstance(thing, PUBLIC):
            continue
        seen[id(thing)] = thing
        found.append(thing)
        if isinstance(thing, types.FunctionType):
            left += [cell.cell_contents for cell in thing.__closure__ or ()]
        elif isinstance(thing, np.ndarray):
            left.append(thing.base)
        else:
            left += gc.get_referents(thing)
    return found


def arrays_in(start):
    return [found for found in reached(start) if isinstance(found, np.ndarray)]


def bytes_in(start):
    return b"".join(array.tobytes() for array in arrays_in(start))


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


def test_they_draw_what_determinizing_the_true_games_draws(decisions):
    """Byte for byte, and all that a seat may not know was out of their reach before."""
    hidden, rng = knowledge.of(decisions.game.name, "hidden"), random.Random(4)
    true = decisions.save(slice(None))
    rows, seats = np.arange(decisions.n)[::-1], decisions.to_move[::-1]
    sets = InformationSets(decisions, rows)
    places = np.random.default_rng(5).integers(0, len(rows), 2 * len(rows))
    seeds = generators(len(rows)).words(places)
    expected = decisions.copies(rows[places], seed=int(seeds[0]))
    expected.determinize(slice(None), seats[places], seeds)
    found = sets.determinized(places, generators(len(rows)))
    assert found.save(slice(None)).tobytes() == expected.save(slice(None)).tobytes()
    for array in ("obs", "mask", "to_move", "players"):
        np.testing.assert_array_equal(getattr(found, array), getattr(expected, array))
    np.testing.assert_array_equal(found.random_actions(), expected.random_actions())
    assert (found.reward, found.autoreset) == (expected.reward, expected.autoreset)
    (held,) = (array for array in arrays_in(sets) if array.dtype == true.dtype)
    changed = [hidden.change_in_record(r, s, rng) for r, s in zip(true[rows], seats, strict=True)]
    secret = set(differing_fields(stacked(changed), true[rows]))
    assert len(secret) > 1
    assert secret <= set(differing_fields(held, true[rows]))


def test_nothing_in_them_depends_on_what_the_seats_may_not_know(decisions):
    hidden, rng = knowledge.of(decisions.game.name, "hidden"), random.Random(6)
    true, seats = decisions.save(slice(None)), decisions.to_move.copy()
    rows = np.arange(decisions.n)
    changed = [hidden.change_in_record(r, s, rng) for r, s in zip(true, seats, strict=True)]
    other = decisions.copies(rows)
    other.load(slice(None), stacked(changed))
    one, two = InformationSets(decisions, rows), InformationSets(other, rows)
    assert bytes_in(one) == bytes_in(two)
    assert bytes_in((one, decisions)) != bytes_in((two, other)), "the search for arrays finds none"
    assert not any(isinstance(found, Batch) for found in reached(one))
    assert any(isinstance(found, Batch) for found in reached((one, decisions)))


@full_tables
def test_records_are_the_games_drawn_with_memory_of_their_own(table):
    sets = InformationSets(under_way(table, 6), np.arange(6))
    places = np.array([4, 0, 4, 2])
    records = sets.records(places, generators(6))
    games = sets.determinized(places, generators(6))
    assert records.dtype == sets.game.state
    assert records.tobytes() == games.save(slice(None)).tobytes()
    before = bytes_in(sets)
    records["random"] = 0
    assert bytes_in(sets) == before
    assert sets.records(places, generators(6)).tobytes() == games.save(slice(None)).tobytes()


@full_tables
def test_to_make_them_uses_up_no_chance(table):
    batch, twin = under_way(table, 4), under_way(table, 4)
    InformationSets(batch, np.arange(4))
    assert batch.save(slice(None)).tobytes() == twin.save(slice(None)).tobytes()
    np.testing.assert_array_equal(batch.random_actions(), twin.random_actions())


@full_tables
def test_they_say_what_is_played_and_by_how_many(table):
    most = table.players
    batch = Batch(table.game, 3, players=[most, most - 1, most - 2])
    sets = InformationSets(batch, np.array([2, 0]))
    assert sets.game is batch.game
    assert sets.players.tolist() == [most - 2, most]
    sets.seats[:] = most
    with pytest.raises(ValueError, match="seat"):
        sets.records(np.array([0, 1]), generators(2))


@full_tables
def test_what_they_show_is_a_copy(table):
    batch = under_way(table, 4)
    sets = InformationSets(batch, np.arange(4))
    before = sets.observations.copy(), sets.masks.copy(), sets.seats.copy()
    batch.step(chosen(batch.mask, 30))
    assert (sets.observations == before[0]).all()
    assert (sets.masks == before[1]).all()
    assert (sets.seats == before[2]).all()
