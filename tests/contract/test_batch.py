"""`Batch`: its arrays, the games that its rows play, and what happens when one ends."""

import numpy as np
import pytest

from shakespeare_env import Batch, IllegalMove, registry
from tests.contract.batches import arrays_of, games
from tests.contract.each_table import full_tables
from tests.contract.random_games import LONGEST, chosen, differing_fields, game_from, record_of

DEALS = [6, 0, 6, 3, 3]


@full_tables
def test_arrays_have_their_shapes_and_types_and_are_written_in_place(table):
    batch = table.batch(6, seed=41)
    before = arrays_of(batch)
    for name, (array, shape, dtype) in before.items():
        assert array.shape == (6, *shape), name
        assert array.dtype == dtype, name
    for step in range(30):
        rewards, done = batch.step(chosen(batch.mask, step))
        assert rewards is batch.rewards
        assert done is batch.done
    batch.reset(1)
    batch.load([0], batch.save([1]))
    batch.determinize([0], [0], [0])
    for name, (array, _, _) in before.items():
        assert getattr(batch, name) is array, name


@games
def test_seats_can_differ_from_game_to_game(name):
    game = registry.game(name)
    seats = [*registry.seats(name)] * 2
    for players in (seats, np.array(seats)):
        batch = Batch(name, len(seats), players=players, seed=42)
        assert batch.players.tolist() == batch.save(slice(None))["players"].tolist() == seats
    ended = np.zeros(len(seats), bool)
    absent = np.arange(game.max_seats) >= batch.players[:, None]
    for step in range(LONGEST):
        assert (batch.to_move < batch.players).all()
        ended |= batch.step(chosen(batch.mask, step))[1]
        assert not batch.rewards[absent].any()
    assert ended.all()
    assert not batch.final_winners[absent].any()


@full_tables
def test_random_actions_are_legal_and_reach_every_legal_action(table):
    batch = table.batch(1, seed=44)
    for _ in range(3):
        legal = set(np.flatnonzero(batch.mask[0]).tolist())
        drawn = [batch.random_actions() for _ in range(60 * len(legal))]
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


@full_tables
def test_a_row_plays_the_deal_it_is_given(table):
    """Chance to come included, in this game and in those that follow in its row."""
    whole, some = table.batch(7, seed=9), table.batch(len(DEALS), seed=1)
    some.reset(9, deals=DEALS)
    assert some.random_actions().tolist() == whole.random_actions()[DEALS].tolist()
    for step in range(150):
        assert differing_fields(some.save(slice(None)), whole.save(DEALS)) == []
        for view in ("obs", "mask", "to_move", "final_scores"):
            assert (getattr(some, view) == getattr(whole, view)[DEALS]).all()
        actions = chosen(whole.mask, step)
        whole.step(actions)
        some.step(actions[DEALS])
    records = whole.save(slice(None))
    assert len({int(record["random"]) for record in records}) == 7
    some.reset(9)
    whole.reset(9, deals=range(7))
    assert differing_fields(some.save(slice(None)), whole.save(range(5))) == []


# ---- the end of a game ---------------------------------------------------------------------------


@full_tables
def test_without_autoreset_finished_games_wait_for_the_others(table):
    batch, step = table.batch(4, seed=45, autoreset=False), 0
    while (batch.to_move >= 0).any():
        batch.step(chosen(batch.mask, step))
        step += 1
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


def alike_at_the_start(table):
    """The entries of a position that are the same whenever a game begins, and not later."""
    one, *others = (table.position(seed).to_dict() for seed in range(20))
    always = {key for key in one if all(other[key] == one[key] for other in others)}
    *_, over = (position.to_dict() for position in game_from(table.position(0)))
    assert sum(over[key] != one[key] for key in always) > 1
    return {key: one[key] for key in always}


@full_tables
def test_with_autoreset_the_next_game_has_begun_where_one_is_done(table):
    batch, waiting = (table.batch(4, seed=47, autoreset=auto) for auto in (True, False))
    first, always = batch.save(slice(None)), alike_at_the_start(table)
    ended = np.zeros(4, bool)
    for step in range(LONGEST):
        batch.step(chosen(batch.mask, step))
        waiting.step(np.where(ended, -1, chosen(waiting.mask, step)))
        for number in np.flatnonzero(batch.done & ~ended).tolist():
            for name in ("rewards", "final_scores", "final_winners"):
                shown = getattr(batch, name)[number]
                np.testing.assert_array_equal(shown, getattr(waiting, name)[number])
            assert waiting.to_move[number] == -1
            # The new game is one that begins, but not the one that the row began with.
            assert record_of(batch, number)["random"] != first[number]["random"]
            start = batch.game.to_dict(record_of(batch, number))
            assert start != batch.game.to_dict(first[number])
            assert {key: start[key] for key in always} == always
        ended |= batch.done
    assert ended.all()
