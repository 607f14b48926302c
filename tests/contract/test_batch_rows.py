"""A batch played in some of its games only, begun anew in some and looked at in some."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from shakespeare_env import Batch, IllegalMove, Position, registry
from tests.contract.batch_games import (
    MANY,
    advanced,
    assert_same,
    call,
    full_tables,
    games,
    methods,
    mixed,
    sizes,
    some_rows,
    tables,
    threads,
)
from tests.contract.batches import assert_unchanged, snapshot
from tests.contract.random_games import LONGEST, chosen, differing_fields, move_by_rule, record_of

# ---- steps in some games -------------------------------------------------------------------------


def assert_steps_are_those_of_the_games_alone(make, n, threads, shares, steps):
    batch = make(n, threads=threads)
    batches: dict[int, Batch] = {}
    ended = 0
    for step in range(steps):
        rows = some_rows(n, step, shares[step % len(shares)])
        if not len(rows):
            continue
        if len(rows) not in batches:
            batches[len(rows)] = make(len(rows))
        alone = batches[len(rows)]
        alone.load(slice(None), batch.save(rows))
        shown, records = snapshot(batch)
        actions = chosen(batch.mask, step)[rows]
        rewards, done = batch.step(actions, rows)
        assert rewards is batch.rewards
        assert done is batch.done
        others = np.setdiff1d(np.arange(n), rows)
        assert not rewards[others].any()
        assert not done[others].any()
        for name in ("players", "to_move", "mask", "obs", "final_scores", "final_winners"):
            np.testing.assert_array_equal(getattr(batch, name)[others], shown[name][others], name)
        assert differing_fields(batch.save(others), records[others]) == []
        alone.step(actions)
        for name in ("players", "to_move", "mask", "obs", "rewards", "done"):
            np.testing.assert_array_equal(getattr(batch, name)[rows], getattr(alone, name), name)
        for name in ("final_scores", "final_winners"):
            now = getattr(batch, name)[rows]
            np.testing.assert_array_equal(now[alone.done], getattr(alone, name)[alone.done], name)
            kept = rows[~alone.done]
            np.testing.assert_array_equal(getattr(batch, name)[kept], shown[name][kept], name)
        assert differing_fields(batch.save(rows), alone.save(slice(None))) == []
        ended += int(done.sum())
    assert ended


@tables
@pytest.mark.parametrize(("threads", "autoreset"), [(1, True), (3, False)])
def test_a_step_in_some_games_is_a_step_of_these_games_alone(table, threads, autoreset):
    make = partial(table.batch, seed=61, autoreset=autoreset, reward="score")
    assert_steps_are_those_of_the_games_alone(make, 4, threads, shares=[0.8], steps=400)


@full_tables
@threads
def test_a_step_in_some_of_many_games_is_a_step_of_these_games_alone(table, threads):
    make = partial(table.batch, seed=61)
    assert_steps_are_those_of_the_games_alone(make, MANY, threads, shares=[0.5, 0.9], steps=260)


@games
@threads
def test_a_step_in_some_games_of_other_seat_counts_is_one_of_these_games_alone(name, threads):
    make = partial(mixed, name, reward="margin")
    assert_steps_are_those_of_the_games_alone(make, 8, threads, shares=[0.6], steps=400)


@full_tables
@sizes
def test_all_rows_are_the_whole_batch(table, n, threads):
    batch = advanced(table, n, 50, threads=threads)
    whole = copy.deepcopy(batch)
    for step in range(20):
        actions = chosen(batch.mask, step)
        batch.step(actions, np.arange(n))
        whole.step(actions)
        assert_same(batch, whole)


@full_tables
@sizes
def test_a_finished_game_among_the_rows_takes_no_action(table, n, threads):
    batch = table.batch(n, seed=62, threads=threads, autoreset=False)
    for step in range(LONGEST):
        if (batch.to_move[::2] < 0).all():
            break
        rows = np.arange(0, n, 2)
        batch.step(chosen(batch.mask, step)[rows], rows)
    assert (batch.to_move[1::2] >= 0).all()
    before = snapshot(batch)[0]
    actions = chosen(batch.mask, 1)
    batch.step(actions, range(n))
    assert not batch.done[::2].any()
    assert not batch.rewards[::2].any()
    np.testing.assert_array_equal(batch.final_scores[::2], before["final_scores"][::2])
    assert (batch.obs[1::2] != before["obs"][1::2]).any(axis=1).all()
    actions = chosen(batch.mask, 2)
    with pytest.raises(IllegalMove, match="in game 2: the game is over"):
        batch.step([actions[1], 0], [1, 2])


@full_tables
@threads
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint16, np.uint64, list])
def test_actions_and_rows_of_every_integer_type_mean_the_same(table, threads, kind):
    def made(numbers):
        return numbers.tolist() if kind is list else numbers.astype(kind)

    batch = advanced(table, 5, 30, threads=threads)
    expected = copy.deepcopy(batch)
    rows = np.array([0, 2, 3])
    actions = chosen(batch.mask, 30)[rows]
    expected.step(actions, rows)
    batch.step(made(actions), made(rows))
    assert_same(batch, expected)


@full_tables
@threads
def test_actions_of_eight_bits_are_taken_where_they_suffice(table, threads):
    batch = advanced(table, MANY, 30, threads=threads)
    actions = batch.mask.argmax(axis=1)
    rows = np.flatnonzero(actions < 256)
    assert len(rows)
    expected = copy.deepcopy(batch)
    expected.step(actions[rows], rows)
    batch.step(actions[rows].astype(np.uint8), rows)
    assert_same(batch, expected)


@full_tables
@sizes
@pytest.mark.parametrize("empty", [[], np.zeros(0, np.int64)], ids=["list", "int64"])
def test_no_rows_are_no_games(table, n, threads, empty):
    batch = advanced(table, n, 10, threads=threads)
    before = snapshot(batch)
    batch.restart(empty)
    assert batch.scores(empty).shape == (0, batch.game.max_seats)
    assert batch.observe(empty, empty).shape == (0, batch.game.layout.size)
    rewards, done = batch.step(empty, empty)
    assert not rewards.any()
    assert not done.any()
    before[0]["rewards"][:], before[0]["done"][:] = 0, False
    assert_unchanged(batch, before)


# ---- the next game -------------------------------------------------------------------------------


@tables
@threads
def test_restart_deals_the_game_that_autoreset_deals_next(table, threads):
    dealing = table.batch(5, seed=63, threads=threads)
    waiting = table.batch(5, seed=63, threads=threads, autoreset=False)
    ended = np.zeros(5, int)
    for step in range(2 * LONGEST):
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


@tables
@threads
@pytest.mark.parametrize("rows", [[1, 2, 4], [0, 1, 2, 3, 4]], ids=len)
def test_restart_in_the_middle_goes_on_with_chance_where_it_stands(table, threads, rows):
    """It deals what is dealt after a game that ended with the same chance to come."""
    batch = advanced(table, 5, 40, threads=threads)
    ended = table.batch(5, seed=64, autoreset=False)
    while (ended.to_move >= 0).any():
        ended.step(ended.random_actions())
    records = ended.save(slice(None))
    records["random"] = batch.save(slice(None))["random"]
    ended.load(slice(None), records)
    shown, kept = snapshot(batch)
    for row in rows:
        ended.restart([row])
    batch.restart(rows)
    assert differing_fields(batch.save(rows), ended.save(rows)) == []
    others = np.setdiff1d(np.arange(5), rows)
    for name in ("players", "to_move", "mask", "obs"):
        array = getattr(batch, name)
        np.testing.assert_array_equal(array[rows], getattr(ended, name)[rows], name)
        np.testing.assert_array_equal(array[others], shown[name][others], name)
    assert differing_fields(batch.save(others), kept[others]) == []
    for name in ("rewards", "done", "final_scores", "final_winners"):
        np.testing.assert_array_equal(getattr(batch, name), shown[name], name)


@full_tables
@threads
def test_restart_of_some_of_many_games_leaves_the_others(table, threads):
    batch = advanced(table, MANY, 40, threads=threads)
    alone = copy.deepcopy(batch)
    for row in (rows := some_rows(MANY, 1)):
        alone.restart([row])
    before = batch.save(slice(None))
    batch.restart(rows)
    assert_same(batch, alone)
    changed = (batch.save(slice(None))["random"] != before["random"]).nonzero()[0]
    assert changed.tolist() == rows.tolist()


# ---- looking at some games -----------------------------------------------------------------------


@full_tables
@sizes
def test_views_of_some_games_are_rows_of_the_views_of_all(table, n, threads):
    batch = advanced(table, n, 60, threads=threads)
    before = snapshot(batch)
    seats = np.arange(n) % table.players
    seen, scores = batch.observe(seats), batch.scores()
    assert scores.dtype == np.int16
    for rows in ([0], [n - 1], some_rows(n, 0, 0.5), range(n)):
        np.testing.assert_array_equal(batch.observe(seats[list(rows)], rows), seen[list(rows)])
        np.testing.assert_array_equal(batch.scores(rows), scores[list(rows)])
    assert_unchanged(batch, before)


@tables
def test_scores_are_those_of_the_position(table):
    batch = table.batch(3, seed=65, autoreset=False)
    position = table.position(seed=65)  # game 0 of the batch
    step = 0
    while position.to_move is not None:
        assert batch.scores()[0, : table.players].tolist() == position.scores()
        assert batch.scores([0, 2])[0].tolist() == batch.scores([0])[0].tolist()
        assert not batch.scores()[:, table.players :].any()
        batch.step(chosen(batch.mask, step))
        position.push(move_by_rule(position, step))
        step += 1
    assert batch.scores([0]).tolist() == batch.final_scores[:1].tolist()


@games
def test_seats_to_observe_are_those_at_the_tables_of_the_rows(name):
    game = registry.game(name)
    batch = Batch(name, 2, players=[game.min_seats, game.max_seats], seed=66)
    last = game.max_seats - 1
    assert batch.observe([last], [1]).shape == (1, game.layout.size)
    for seats, rows in (([last], [0]), ([0, last], [1]), ([0], [0, 1]), ([-1], [1])):
        with pytest.raises(ValueError, match="one seat at the table for each"):
            batch.observe(seats, rows)


# ---- refusals ------------------------------------------------------------------------------------

Case = tuple[Any, type[Exception], str]
REFUSED: list[Case] = [
    ([2, 1], ValueError, r"rows=\[2, 1\]: .*increasing order"),
    ([1, 1], ValueError, r"rows=\[1, 1\]: .*increasing order"),
    ([0, 1, 3, 2], ValueError, "increasing order"),
    ([-1], ValueError, r"rows=\[-1\]: the games of this batch are 0 to "),
    ([-1, 0], ValueError, r"the games of this batch are 0 to "),
    ([0, MANY], ValueError, "the games of this batch are 0 to "),
    ([2**40], ValueError, "the games of this batch are 0 to "),
    (np.array([2**64 - 1], np.uint64), ValueError, "the games of this batch are 0 to "),
    ([0, 2**64], TypeError, "indices of games"),
    ([0.0, 1.0], TypeError, "float64; give the indices of games"),
    ([True, False], TypeError, "bool; give the indices of games"),
    (["0"], TypeError, "give the indices of games"),
    ([None], TypeError, "give the indices of games"),
    ([[0, 1]], ValueError, "give a list of the indices"),
    ([[0], [1]], ValueError, "give a list of the indices"),
    (np.zeros((0, 2), np.int64), ValueError, "give a list of the indices"),
]


@full_tables
@sizes
@methods
def test_rows_that_are_no_increasing_indices_are_refused(table, n, threads, method):
    batch = advanced(table, n, 20, threads=threads, reward="score")
    batch.restart([0])
    before = snapshot(batch)
    cases: list[Case] = [*REFUSED, ([n], ValueError, f"0 to {n - 1}")]
    for rows, error, named in cases:
        with pytest.raises(error, match=named):
            call(batch, method, rows)
        assert_unchanged(batch, before)


@full_tables
@sizes
def test_a_wrong_number_or_type_of_actions_is_refused(table, n, threads):
    batch = advanced(table, n, 20, threads=threads)
    before = snapshot(batch)
    legal = chosen(batch.mask, 0)
    for count in (0, 1, 3, n):
        with pytest.raises(ValueError, match="give one for each of the 2 games"):
            batch.step(legal[:count], [0, 1])
    with pytest.raises(TypeError, match="integers"):
        batch.step(legal[:2].astype(float), [0, 1])
    assert_unchanged(batch, before)


@full_tables
@sizes
def test_an_illegal_action_in_one_of_the_rows_changes_nothing(table, n, threads):
    batch = advanced(table, n, 20, threads=threads)
    before = snapshot(batch)
    rows, game = np.arange(1, n), n - 2
    position = Position.of_record(batch.game, record_of(batch, game))
    illegal = int(np.argmin(batch.mask[game]))
    for wrong in (illegal, -1, -7, batch.actions.size, 2**31, 2**32, 2**40, -(2**40), 2**62):
        actions = chosen(batch.mask, 0)[rows]
        actions[game - 1] = wrong
        for given in (actions, actions.tolist()):
            with pytest.raises(IllegalMove, match=f"in game {game}:") as caught:
                batch.step(given, rows)
            assert caught.value.game_index == game
            assert caught.value.seat == batch.to_move[game]
            named = position.move_text(illegal) if wrong == illegal else wrong
            assert caught.value.move == named
            assert caught.value.legal == position.moves()
            assert_unchanged(batch, before)
    # A number that would be legal if only its lowest 32 bits were looked at.
    actions = chosen(batch.mask, 0)[rows]
    actions[game - 1] += 2**32
    with pytest.raises(IllegalMove, match=f"in game {game}:"):
        batch.step(actions, rows)
    assert_unchanged(batch, before)


REFUSED_STEPS: dict[str, Callable[[Batch], Any]] = {
    "illegal": lambda batch: batch.step([-1, -1], [0, 1]),
    "wrong number": lambda batch: batch.step([0], [0, 1]),
    "wrong type": lambda batch: batch.step(["0", "0"], [0, 1]),  # type: ignore[list-item]
    "wrong rows": lambda batch: batch.step([0, 0], [1, 0]),
}


@full_tables
@pytest.mark.parametrize("refused", REFUSED_STEPS)
def test_a_refused_step_leaves_what_the_step_before_was_worth(table, refused):
    batch = table.batch(4, seed=67, reward="score")
    while not batch.rewards[:, 0].any() or not batch.done.any():
        batch.step(batch.random_actions())
    before = snapshot(batch)
    with pytest.raises((ValueError, TypeError)):
        REFUSED_STEPS[refused](batch)
    assert_unchanged(batch, before)
