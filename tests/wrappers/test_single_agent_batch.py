"""One seat of many games: what the learner is shown and what it is paid."""

from __future__ import annotations

import copy
from itertools import cycle
from typing import Any

import numpy as np
import pytest

from shakespeare_env.core import registry
from shakespeare_env.core.row_rules import NAMES
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.batches import assert_unchanged, snapshot
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import differing_fields, record_of, stacked
from tests.wrappers.lives import (
    BySight,
    Life,
    an_illegal,
    first_legal,
    legal,
    make,
    mixed_seats,
    play,
    played,
)


def sizes():
    """(game, seat counts, seat, reward): each count alone, many alike and all kinds at once."""
    choices = zip(cycle((None, 0, "last")), cycle(NAMES))
    for name in registry.names():
        seats = registry.seats(name)
        for players in (*([count] for count in seats), [seats[-1]] * 7, mixed_seats(name)):
            yield name, players, *next(choices)


@pytest.mark.parametrize(("name", "players", "seat", "reward"), list(sizes()))
def test_every_row_is_the_life_of_one_player(name, players, seat, reward):
    """Games in which one decides after the other show the same views and pay the same.

    The last row plays an illegal action now and then; its games end so, with nothing owed.
    """
    n = len(players)
    seat = min(players) - 1 if seat == "last" else seat
    opponents: list[Any] = [BySight(salt) for salt in range(1, registry.seats(name)[-1])]
    alike = len(set(players)) == 1
    games = SingleAgentBatch(
        name,
        n,
        players=players,
        seed=17,
        seat=seat,
        reward=reward,
        opponents=opponents[: players[0] - 1] if alike else opponents[0],
        threads=2 if reward == "win" else 1,
    )
    if not alike:
        opponents = opponents[:1] * len(opponents)
    lives = [Life(name, row, players, 17, seat, opponents, reward) for row in range(n)]
    ended = np.zeros(n, np.int64)
    paid, steps = 0.0, 0
    while ended.min() < 3 or steps < 60:
        for row, life in enumerate(lives):
            assert games.seats[row] == life.learner == games.batch.to_move[row]
            assert games.batch.obs[row].tobytes() == life.game.obs[0].tobytes()
            assert games.batch.mask[row].tobytes() == life.game.mask[0].tobytes()
        actions, wrong = legal(games), np.zeros(n, np.bool_)
        steps += 1
        wrong[-1] = steps % 14 == 0
        actions[wrong] = (-1, games.batch.actions.size, 2**40, an_illegal(games, -1))[
            steps // 14 % 4
        ]
        step = games.step(actions)
        expected = [life.step(int(action)) for life, action in zip(lives, actions, strict=True)]
        np.testing.assert_allclose(step.rewards, [reward for reward, _ in expected], atol=1e-6)
        assert step.ended.tolist() == games.over.tolist() == [over for _, over in expected]
        assert (step.illegal == wrong).all()
        assert (games.action_masks().any(axis=1) == ~step.ended).all()
        ended += step.ended
        paid += abs(step.rewards).sum()
        rows = np.flatnonzero(step.ended)
        scores, winners = games.results(rows)
        longest = max(players)
        for place, row in enumerate(rows.tolist()):
            if wrong[row]:
                assert (scores[place] == lives[row].game.scores()[0, :longest]).all()
                assert not winners[place].any()
            else:
                assert (scores[place] == lives[row].game.final_scores[0, :longest]).all()
                assert (winners[place] == lives[row].game.final_winners[0, :longest]).all()
            seen = lives[row].game.observe([lives[row].learner])
            assert games.observe(rows)[place].tobytes() == seen.tobytes()
        games.restart(rows)
        for row in rows.tolist():
            lives[row].restart()
    assert paid > 0


@full_tables
def test_all_games_that_wait_for_an_agent_are_asked_about_in_one_call(table):
    """And about no others: the learner's own turns are none of its business."""
    one, same = BySight(1), BySight(1)
    games = make(table, 6, seed=3, opponents=one)
    seats, others = [table.players] * 6, [same] * (table.players - 1)
    lives = [Life(table.game, row, seats, 3, None, others, "win") for row in range(6)]
    for _ in range(80):
        one.asked.clear()
        actions = legal(games)
        step = games.step(actions)
        for life, action in zip(lives, actions, strict=True):
            life.step(int(action))
        waited = [life.others for life in lives]
        assert one.asked == [sum(count > turn for count in waited) for turn in range(max(waited))]
        rows = np.flatnonzero(step.ended)
        games.restart(rows)
        for row in rows.tolist():
            lives[row].restart()


def paying(games):
    """Let every action played in a game from now on pay each seat 1, and count them."""
    batch, step = games.batch, games.batch.step
    count = np.zeros(batch.n)

    def pay(actions, rows):
        step(actions, rows)
        batch.rewards[rows] = 1.0
        count[rows] += 1
        return batch.rewards, batch.done

    batch.step = pay
    return count


@full_tables
def test_a_game_that_ends_before_the_learner_decides_is_none_of_its_games(table):
    last = before_the_end(make(table, 1, opponents=first_legal))
    seat = (int(last["to_move"]) + 1) % table.players
    games = make(table, 3, seed=6, seat=seat, opponents=first_legal)
    restart, begun = games.batch.restart, []

    def begin(rows):
        restart(rows)
        begun.append(list(rows))
        if len(begun) == 1:
            games.batch.load(rows, stacked([last]))

    games.batch.restart = begin
    count = paying(games)
    games.restart([1])
    assert begun == [[1], [1]]
    assert games.batch.to_move.tolist() == [seat] * 3
    assert not games.over.any()
    # The one action that ended the lost game is not paid for.
    count[1] -= 1
    assert games.step(legal(games)).rewards.tolist() == count.tolist()


def before_the_end(games):
    """The record of the last decision of a game."""
    batch = games.batch
    while batch.to_move[0] >= 0:
        record = record_of(batch, 0)
        batch.step(first_legal(batch.obs, batch.mask, None))
    return record


@small_tables
def test_wrong_steps_change_nothing(table):
    games = make(table, 3)
    before = snapshot(games.batch)
    wrong: list[tuple[Any, type[Exception]]] = [
        ([0, 0], ValueError),
        ([[0], [0], [0]], ValueError),
        ([0.0] * 3, TypeError),
        (0, ValueError),
    ]
    for refused, fault in wrong:
        with pytest.raises(fault, match="actions"):
            games.step(refused)
    assert_unchanged(games.batch, before)
    assert not games.over.any()
    actions = legal(games)
    actions[1] = -1
    games.step(actions)
    before = snapshot(games.batch)
    for action in (-1, 0):
        with pytest.raises(ValueError, match=r"games \[1\] are over; restart them"):
            games.step([action] * 3)
    assert_unchanged(games.batch, before)
    games.restart([1])
    before = snapshot(games.batch)
    for rows in ([2, 1], [1, 1], [3], [-1], [0.5]):
        with pytest.raises((TypeError, ValueError), match="rows"):
            games.restart(rows)
    assert_unchanged(games.batch, before)
    games.step(legal(games))


@full_tables
def test_reset_without_a_seed_leaves_untouched_games_and_goes_on_from_others(table):
    games = make(table, 4, seed=2)
    dealt = snapshot(games.batch)
    for _ in range(2):
        games.reset()
        assert_unchanged(games.batch, dealt)
        assert games.seats.tolist() == [row % table.players for row in range(4)]
    course = list(play(games, 5))
    games.reset()
    assert games.seats.tolist() == [(row + 1) % table.players for row in range(4)]
    second = snapshot(games.batch)
    assert differing_fields(second[1], dealt[1])
    games.reset()
    assert_unchanged(games.batch, second)
    games.reset(2)
    assert_unchanged(games.batch, dealt)
    assert list(play(games, 5)) == course
    # The second games follow from the seed, too.
    games.reset()
    np.testing.assert_array_equal(games.batch.obs, second[0]["obs"])


@full_tables
def test_a_seed_settles_everything(table):
    """Chance, the opponents' draws, who they are and where the learner sits."""

    def course(games):
        return list(play(games, 150))

    def pool():
        return {"random": 2, BySight(7): 1}

    games = make(table, 4, seed=11, opponents=pool())
    first = course(games)
    assert course(games) != first
    games.reset(11)
    assert course(games) == first
    games.reset(12)
    assert course(games) != first
    assert course(make(table, 4, seed=11, opponents=pool(), threads=2)) == first
    assert course(make(table, 4, seed=11, opponents="random")) != first


DRAWING = ["random", "greedy", "heuristic", "network,greedy=false"]


@full_tables
def test_a_row_does_not_depend_on_the_others(table):
    """Nor on how many there are: a pool is drawn from, and who is drawn draws, row by row."""
    pool = dict.fromkeys(DRAWING, 1.0)
    few, more, many = (make(table, n, seed=3, opponents=pool) for n in (1, 3, 6))
    ended = 0
    for _ in range(100):
        steps = []
        for games in (few, more, many):
            step = games.step(legal(games))
            steps.append(step)
            games.restart(np.flatnonzero(step.ended))
        for games, step in ((few, steps[0]), (more, steps[1])):
            n = games.batch.n
            assert differing_fields(games.batch.save(slice(n)), many.batch.save(slice(n))) == []
            assert (games.seats == many.seats[:n]).all()
            assert (step.rewards == steps[2].rewards[:n]).all()
            assert (step.ended == steps[2].ended[:n]).all()
        ended += int(steps[0].ended.sum())
    assert ended >= 2  # games after the first of a row are compared, too


@full_tables
def test_a_copy_goes_on_with_the_same_games(table):
    games = played(make(table, 4, seed=21, opponents={"random": 1, BySight(7): 1}), 30)
    twin, later = copy.deepcopy(games), copy.deepcopy(games)
    course = list(play(twin, 120))
    # What the copy has played has moved nothing in the original.
    assert list(play(games, 120)) == course
    later.reset(21)
    games.reset(21)
    assert list(play(later, 60)) == list(play(games, 60))
