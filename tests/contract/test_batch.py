"""`Batch`: its arrays, its steps and what it refuses."""

import numpy as np
import pytest

from shakespeare_env import Batch, IllegalMove, registry
from tests.contract.batches import arrays_of
from tests.contract.random_games import (
    FULL_TABLES,
    LONGEST,
    TABLES,
    chosen,
    differing_fields,
    game_from,
    move_by_rule,
    record_of,
)

tables = pytest.mark.parametrize("table", TABLES, ids=str)
full_tables = pytest.mark.parametrize("table", FULL_TABLES, ids=str)
games = pytest.mark.parametrize("name", registry.names())


def played_out(table, n, seed):
    """A batch without autoreset in which every game is over."""
    batch = table.batch(n, seed=seed, autoreset=False)
    for step in range(LONGEST):
        if (batch.to_move < 0).all():
            return batch
        batch.step(chosen(batch.mask, step))
    raise AssertionError("some game does not end")


def alike_at_the_start(table):
    """The keys of a position whose values are the same whenever a game begins, and not later."""
    one, *others = (table.position(seed).to_dict() for seed in range(20))
    always = {key for key in one if all(other[key] == one[key] for other in others)}
    *_, over = (position.to_dict() for position in game_from(table.position(0)))
    assert sum(over[key] != one[key] for key in always) > 1
    return always


# ---- arrays --------------------------------------------------------------------------------------


@tables
def test_arrays_have_their_shapes_and_types_and_are_written_in_place(table):
    batch = table.batch(6, seed=41)
    before = arrays_of(batch)
    for name, (array, shape, dtype) in before.items():
        assert array.shape == (6, *shape), name
        assert array.dtype == dtype, name
    first = batch.obs.copy()
    for step in range(30):
        rewards, done = batch.step(chosen(batch.mask, step))
        assert rewards is batch.rewards
        assert done is batch.done
    batch.reset(1)
    batch.load([0], batch.save([1]))
    batch.determinize([0], [0], [0])
    for name, (array, _, _) in before.items():
        assert getattr(batch, name) is array, name
    assert not np.array_equal(first, batch.obs)
    assert batch.n == 6
    assert batch.actions is batch.game.actions


@games
def test_seats_can_differ_from_game_to_game(name):
    game = registry.game(name)
    seats = [*range(game.min_seats, game.max_seats + 1)] * 2
    for players in (seats, np.array(seats), tuple(seats)):
        batch = Batch(name, len(seats), players=players, seed=42)
        assert batch.players.tolist() == seats
        assert batch.save(slice(None))["players"].tolist() == seats
    for step in range(LONGEST):
        assert (batch.to_move < batch.players).all()
        batch.step(chosen(batch.mask, step))
        absent = np.arange(game.max_seats) >= batch.players[:, None]
        assert not batch.rewards[absent].any()
        if batch.done.all() or step > 400:
            break
    assert not batch.final_winners[absent].any()


@tables
def test_there_is_a_choice_in_every_game(table):
    """Two legal actions or more, and the seat to move sees that it decides."""
    batch = table.batch(20, seed=43)
    for step in range(300):
        assert (batch.mask.sum(axis=1) >= 2).all()
        assert batch.obs.any(axis=1).all()
        batch.step(chosen(batch.mask, step))


@tables
def test_observe_gives_each_seat_what_the_position_gives_it(table):
    batch = table.batch(3, seed=44)
    position = table.position(seed=44)  # game 0 of the batch
    for step in range(100):
        for seat in range(table.players):
            seen = batch.observe([seat] * 3)
            np.testing.assert_array_equal(seen[0], position.observation(seat))
            own = batch.to_move == seat
            np.testing.assert_array_equal(seen[own], batch.obs[own])
        position.push(move_by_rule(position, step))
        batch.step(chosen(batch.mask, step))
        if batch.done[0]:
            break
    assert (seen.dtype, seen.shape) == (np.int8, batch.obs.shape)


@full_tables
def test_random_actions_are_legal_and_reach_every_legal_action(table):
    batch = table.batch(1, seed=44)
    for _ in range(3):
        legal = set(np.flatnonzero(batch.mask[0]).tolist())
        drawn = [batch.random_actions() for _ in range(60 * len(legal))]
        assert drawn[0].dtype == np.int32
        assert {int(actions[0]) for actions in drawn} == legal
        batch.step(drawn[0])


@full_tables
@pytest.mark.parametrize("rows", [slice(None), [0]], ids=str)
def test_saved_games_are_the_same_to_the_byte_whatever_lay_in_memory(table, rows):
    batch = table.batch(1, seed=47)
    found = set()
    for filling in (0, 255):
        # NumPy keeps small blocks for the next array of their size.
        used = [np.full(batch.game.state.itemsize, filling, np.uint8) for _ in range(8)]
        used.clear()
        found.add(batch.save(rows).tobytes())
    assert len(found) == 1


# ---- the end of a game ---------------------------------------------------------------------------


@tables
def test_without_autoreset_finished_games_wait_for_the_others(table):
    batch = played_out(table, 4, seed=45)
    assert not batch.mask.any()
    assert not batch.obs.any()
    assert (batch.random_actions() == -1).all()
    before = batch.save(slice(None))
    scores, winners = batch.final_scores.copy(), batch.final_winners.copy()
    rewards, done = batch.step([-1] * 4)
    assert not rewards.any()
    assert not done.any()
    assert differing_fields(batch.save(slice(None)), before) == []
    np.testing.assert_array_equal(batch.final_scores, scores)
    np.testing.assert_array_equal(batch.final_winners, winners)
    for action in (0, batch.actions.size):
        with pytest.raises(IllegalMove, match="over") as caught:
            batch.step([-1, -1, action, -1])
        assert (caught.value.game_index, caught.value.seat) == (2, None)
    batch.reset(46)
    assert (batch.to_move >= 0).all()


@tables
def test_with_autoreset_the_next_game_has_begun_where_one_is_done(table):
    batch = table.batch(4, seed=47)
    waiting = table.batch(4, seed=47, autoreset=False)
    begun = table.batch(4, seed=47)
    always = alike_at_the_start(table)
    ended = np.zeros(4, bool)
    for step in range(LONGEST):
        batch.step(chosen(batch.mask, step))
        waiting.step(np.where(ended, -1, chosen(waiting.mask, step)))
        for number in np.flatnonzero(batch.done & ~ended).tolist():
            np.testing.assert_array_equal(batch.rewards[number], waiting.rewards[number])
            np.testing.assert_array_equal(batch.final_scores[number], waiting.final_scores[number])
            np.testing.assert_array_equal(
                batch.final_winners[number], waiting.final_winners[number]
            )
            assert waiting.to_move[number] == -1
            assert batch.mask[number].any()
            # The new game is one that begins, but not the one that the row began with.
            assert record_of(batch, number)["random"] != record_of(begun, number)["random"]
            start = batch.game.to_dict(record_of(batch, number))
            first = batch.game.to_dict(record_of(begun, number))
            assert start.keys() == first.keys()
            assert start != first
            assert {key: start[key] for key in always} == {key: first[key] for key in always}
        ended |= batch.done
        if ended.all():
            return
    raise AssertionError("some game does not end")
