"""A batch played in some of its games only, begun anew in some and looked at in some."""

import copy

import numpy as np
import pytest

from shakespeare_env import IllegalMove
from tests.contract.batches import (
    MANY,
    assert_same,
    assert_unchanged,
    games,
    mixed,
    played,
    sizes,
    snapshot,
    some_rows,
)
from tests.contract.each_table import full_tables
from tests.contract.random_games import LONGEST, chosen, differing_fields, move_by_rule

# ---- steps in some games -------------------------------------------------------------------------


@games
@pytest.mark.parametrize(
    ("n", "threads", "autoreset", "reward"), [(8, 1, False, "score"), (MANY, 3, True, "margin")]
)
def test_a_step_in_some_games_is_a_step_of_these_games_alone(name, n, threads, autoreset, reward):
    """All of them among others; games of every seat count."""
    batch = mixed(name, n, threads=threads, autoreset=autoreset, reward=reward)
    ended = 0
    for step in range(200):
        rows = some_rows(n, step, share=(0.6, 0.9, 1.0)[step % 3])
        alone = mixed(name, len(rows), autoreset=autoreset, reward=reward)
        alone.load(slice(None), batch.save(rows))
        shown, records = snapshot(batch)
        actions = chosen(batch.mask, step)[rows]
        rewards, done = batch.step(actions, rows)
        assert rewards is batch.rewards
        assert done is batch.done
        others = np.setdiff1d(np.arange(n), rows)
        assert not rewards[others].any()
        assert not done[others].any()
        for view in ("players", "to_move", "mask", "obs", "final_scores", "final_winners"):
            np.testing.assert_array_equal(getattr(batch, view)[others], shown[view][others], view)
        assert differing_fields(batch.save(others), records[others]) == []
        alone.step(actions)
        for view in ("players", "to_move", "mask", "obs", "rewards", "done"):
            np.testing.assert_array_equal(getattr(batch, view)[rows], getattr(alone, view), view)
        for view in ("final_scores", "final_winners"):
            now = getattr(batch, view)[rows]
            np.testing.assert_array_equal(now[alone.done], getattr(alone, view)[alone.done], view)
            kept = rows[~alone.done]
            np.testing.assert_array_equal(getattr(batch, view)[kept], shown[view][kept], view)
        assert differing_fields(batch.save(rows), alone.save(slice(None))) == []
        ended += int(done.sum())
        if (batch.to_move < 0).all():
            break
    assert ended


@full_tables
@sizes
def test_a_finished_game_among_the_rows_takes_no_action(table, n, threads):
    batch = table.batch(n, seed=62, threads=threads, autoreset=False)
    rows = np.arange(0, n, 2)
    for step in range(LONGEST):
        if (batch.to_move[::2] < 0).all():
            break
        batch.step(chosen(batch.mask, step)[rows], rows)
    assert (batch.to_move[1::2] >= 0).all()
    before = snapshot(batch)[0]
    batch.step(chosen(batch.mask, 1), range(n))
    assert not batch.done[::2].any()
    assert not batch.rewards[::2].any()
    np.testing.assert_array_equal(batch.final_scores[::2], before["final_scores"][::2])
    assert (batch.obs[1::2] != before["obs"][1::2]).any(axis=1).all()
    with pytest.raises(IllegalMove, match="in game 2: the game is over"):
        batch.step([chosen(batch.mask, 2)[1], 0], [1, 2])


@full_tables
@sizes
def test_actions_and_rows_of_every_integer_type_mean_the_same(table, n, threads):
    batch = played(table, n, threads=threads)
    actions = batch.mask.argmax(axis=1)
    rows = np.flatnonzero(actions < 256)
    expected = copy.deepcopy(batch)
    expected.step(actions[rows], rows)
    for kind in (np.uint8, np.int32, np.uint64, None):
        twin = copy.deepcopy(batch)
        if kind is None:
            twin.step(actions[rows].tolist(), rows.tolist())
        else:
            twin.step(actions[rows].astype(kind), rows.astype(np.result_type(kind, np.int16)))
        assert_same(twin, expected)


@full_tables
@sizes
def test_no_rows_are_no_games(table, n, threads):
    batch = played(table, n, threads=threads)
    before = snapshot(batch)
    batch.restart([])
    assert batch.scores([]).shape == (0, batch.game.max_seats)
    assert batch.observe([], []).shape == (0, batch.game.layout.size)
    rewards, done = batch.step([], np.zeros(0, np.int64))
    assert not rewards.any()
    assert not done.any()
    before[0]["rewards"][:], before[0]["done"][:] = 0, False
    assert_unchanged(batch, before)


# ---- the next game -------------------------------------------------------------------------------


@full_tables
def test_restart_deals_the_game_that_autoreset_deals_next(table):
    dealing, waiting = (table.batch(5, seed=63, autoreset=auto) for auto in (True, False))
    ended = np.zeros(5, int)
    for step in range(LONGEST):
        actions = chosen(dealing.mask, step)
        dealing.step(actions)
        waiting.step(actions)
        over = np.flatnonzero(waiting.done)
        assert (waiting.to_move[over] == -1).all()
        waiting.restart(over)
        assert_same(waiting, dealing)
        ended[over] += 1
        if (ended >= 2).all():
            return
    raise AssertionError("some game does not end")


@full_tables
@sizes
def test_restart_in_the_middle_goes_on_with_chance_where_it_stands(table, n, threads):
    """It deals what is dealt after a game that ended with the same chance to come."""
    batch = played(table, n, threads=threads)
    ended = table.batch(n, seed=64, autoreset=False)
    while (ended.to_move >= 0).any():
        ended.step(ended.random_actions())
    shown, kept = snapshot(batch)
    records = ended.save(slice(None))
    records["random"] = kept["random"]
    ended.load(slice(None), records)
    for row in (rows := some_rows(n, 1)):
        ended.restart([row])
    batch.restart(rows)
    assert differing_fields(batch.save(rows), ended.save(rows)) == []
    others = np.setdiff1d(np.arange(n), rows)
    for name in ("players", "to_move", "mask", "obs"):
        array = getattr(batch, name)
        np.testing.assert_array_equal(array[rows], getattr(ended, name)[rows], name)
        np.testing.assert_array_equal(array[others], shown[name][others], name)
    assert differing_fields(batch.save(others), kept[others]) == []
    for name in ("rewards", "done", "final_scores", "final_winners"):
        np.testing.assert_array_equal(getattr(batch, name), shown[name], name)


# ---- looking at some games -----------------------------------------------------------------------


@full_tables
@sizes
def test_views_of_some_games_are_rows_of_the_views_of_all(table, n, threads):
    batch = played(table, n, threads=threads)
    before = snapshot(batch)
    seats = np.arange(n) % table.players
    seen, scores = batch.observe(seats), batch.scores()
    for rows in ([n - 1], some_rows(n, 0, 0.5), range(n)):
        np.testing.assert_array_equal(batch.observe(seats[list(rows)], rows), seen[list(rows)])
        np.testing.assert_array_equal(batch.scores(rows), scores[list(rows)])
    assert_unchanged(batch, before)


@full_tables
def test_scores_are_those_of_the_position(table):
    batch, position = table.batch(3, seed=65, autoreset=False), table.position(seed=65)
    for step in range(LONGEST):
        assert batch.scores()[0].tolist() == position.scores()
        if position.to_move is None:
            break
        position.push(move_by_rule(position, step))
        batch.step(chosen(batch.mask, step))
    assert batch.scores([0]).tolist() == batch.final_scores[:1].tolist()
