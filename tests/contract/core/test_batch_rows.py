"""A batch played in some of its games only, begun anew in some and looked at in some."""

import copy

import numpy as np
import pytest

from shakespeare_env import Position
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
from tests.contract.random_games import chosen, differing_fields, record_of

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
            twin.step(
                actions[rows].astype(kind), rows.astype(np.int32 if kind is np.uint8 else kind)
            )
        assert_same(twin, expected)


# ---- the next game -------------------------------------------------------------------------------


@full_tables
@sizes
def test_restart_in_the_middle_goes_on_with_chance_where_it_stands(table, n, threads):
    """It deals what is dealt in place of any other game with the same chance to come."""
    batch, other = (played(table, n, threads=threads, steps=steps) for steps in (40, 3))
    shown, kept = snapshot(batch)
    records = other.save(slice(None))
    records["random"] = kept["random"]
    other.load(slice(None), records)
    rows = np.arange(1, n, 2)
    others = np.setdiff1d(np.arange(n), rows)
    batch.restart(rows)
    other.restart(range(n))
    assert differing_fields(batch.save(rows), other.save(rows)) == []
    assert differing_fields(batch.save(others), kept[others]) == []
    for name in ("players", "to_move", "mask", "obs"):
        array = getattr(batch, name)
        np.testing.assert_array_equal(array[rows], getattr(other, name)[rows], name)
        np.testing.assert_array_equal(array[others], shown[name][others], name)
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
    for game in (0, n - 1):
        position = Position.of_record(batch.game, record_of(batch, game))
        assert scores[game].tolist() == position.scores()
    for rows in ([], [n - 1], some_rows(n, 0, 0.5), range(n)):
        np.testing.assert_array_equal(batch.observe(seats[list(rows)], rows), seen[list(rows)])
        np.testing.assert_array_equal(batch.scores(rows), scores[list(rows)])
    batch.restart([])
    assert_unchanged(batch, before)
    rewards, done = batch.step([], np.zeros(0, np.int64))
    assert not rewards.any()
    assert not done.any()
