"""`determinize` gives a position that the seat cannot tell from the true one."""

import json
import random

import numpy as np
import pytest

from shakespeare_env import Position
from tests.contract import knowledge
from tests.contract.batches import played
from tests.contract.each_table import full_tables
from tests.contract.random_games import (
    TABLES,
    copies,
    differing_fields,
    game_from,
    record_of,
    sampled,
    stacked,
)

tables = pytest.mark.parametrize("table", TABLES, ids=str)


def positions(table, every):
    """(position, seat) of random games at a table."""
    for seed in (3, 4):
        for number, position in enumerate(sampled(table, seed, every)):
            for seat in range(table.players):
                yield number, position, seat


@tables
def test_the_position_is_a_legal_one_and_the_true_one_is_left_alone(table):
    """A batch draws the same; that the seat sees no difference is a test of secrecy."""
    for number, position, seat in positions(table, every=9):
        before = position.record()
        possible = position.determinize(seat, seed=number)
        assert differing_fields(position.record(), before) == []
        read = Position.from_dict(possible.to_dict())
        assert read == possible
        assert read.moves() == possible.moves()
        batch = copies(position, 1)
        batch.determinize([0], [seat], [number])
        assert differing_fields(record_of(batch, 0), possible.record()) == []


@tables
def test_it_can_be_played_to_the_end(table):
    for number, position, seat in positions(table, every=60):
        if number % table.players == seat:
            end = list(game_from(position.determinize(seat, seed=number), salt=number))[-1]
            assert end.winners


@tables
def test_the_hidden_truth_has_no_influence(table):
    """From positions that differ only in what is hidden the same seed draws the same."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(8)
    different = 0
    for number, position, seat in positions(table, every=6):
        true = position.record()
        other = hidden.change_in_record(true, seat, rng)
        different += len(differing_fields(true, other)) > 1
        batch = copies(position, 2)
        batch.load([1], stacked([other]))
        batch.determinize([0, 1], [seat, seat], [number, number])
        one, two = batch.save([0, 1])
        assert differing_fields(one, two) == []
    assert different > 10


@full_tables
def test_only_the_games_named_are_drawn_anew(table):
    batch, others = played(table, 4), [0, 1, 3]
    before, mask, obs = batch.save(slice(None)), batch.mask.copy(), batch.obs.copy()
    batch.determinize([2], [1], [5])
    after = batch.save(slice(None))
    assert differing_fields(before[others], after[others]) == []
    np.testing.assert_array_equal(mask[others], batch.mask[others])
    np.testing.assert_array_equal(obs[others], batch.obs[others])
    assert "random" in differing_fields(before[2], after[2])


@full_tables
def test_seeds_and_seats_draw_differently(table):
    position = table.position(seed=3)
    seats = range(table.players)
    drawn = [position.determinize(seat, seed).record() for seat in seats for seed in range(8)]
    assert len({json.dumps(position.game.to_dict(record)) for record in drawn}) == len(drawn)
    chance = {int(record["random"]) for record in drawn}
    assert len(chance - {int(position.record()["random"])}) == len(drawn)
