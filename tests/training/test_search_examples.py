"""What is learned from a search and from how games end."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_agents.search.agent import Found
from shakespeare_env.batch import Batch
from shakespeare_training.expert_iteration.games import GameLog, unpacked
from shakespeare_training.expert_iteration.playing import advantages


def found(prior, values):
    prior, values = np.array([prior], float), np.array([values], float)
    tried = ~np.isnan(values)
    searched = tried.any(axis=1)
    return Found(prior.argmax(axis=1), prior, searched, values, tried.astype(np.int64))


def test_a_move_that_searched_better_has_the_advantage():
    (gained,) = advantages(found([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, np.nan, np.nan]))
    assert gained.dtype == np.float32
    # The mean of what was tried, by the prior, is 0.175; what was not tried counts as that.
    assert gained == pytest.approx([-0.075, 0.125, 0.0, 0.0])


def test_advantages_leave_a_policy_where_it_is_if_they_are_none():
    for values in ([0.2, 0.2, np.nan], [np.nan] * 3):
        assert advantages(found([0.6, 0.4, 0.0], values))[0] == pytest.approx([0.0] * 3)


@pytest.mark.parametrize(("name", "players"), [("shakespeare", 1), ("figaro", 4)])
def test_games_are_told_as_their_seats_see_them(name, players):
    batch = Batch(name, n=3, players=players, seed=1, autoreset=False)
    log = GameLog(batch)
    noted = []
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        prior = batch.mask[rows] / batch.mask[rows].sum(axis=1, keepdims=True)
        scores = batch.scores(rows)
        noted += list(zip(rows, batch.to_move[rows].tolist(), scores, strict=True))
        log.add(len(noted), rows, prior.astype(np.float32), np.zeros(prior.shape, np.float32))
        batch.step(batch.random_actions()[rows], rows)
    _, _, examples = log.told()
    assert examples.size == len(noted)
    assert (examples.players == players).all()
    unit = batch.game.score_scale
    for (row, mover, scores), shares, changes in zip(
        noted, examples.shares, examples.changes, strict=True
    ):
        winners, final = batch.final_winners[row], batch.final_scores[row]
        for place in range(batch.game.max_seats):
            share = change = 0.0
            if place < players:
                seat = (mover + place) % players
                share = winners[seat] / max(winners.sum(), 1)
                change = (final[seat] - scores[seat]) / unit
            assert shares[place] == pytest.approx(share)
            assert changes[place] == pytest.approx(change, abs=1e-6)
    chosen = np.array([2, 0])
    assert np.array_equal(examples.rows(chosen).shares, examples.shares[chosen])


def first_moves(batch):
    """The log of games in which the first legal move is played."""
    log, step = GameLog(batch), 0
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        masks = batch.mask[rows]
        prior = masks / masks.sum(axis=1, keepdims=True, dtype=np.float32)
        gained = np.where(masks, np.linspace(-1.0, 1.0, masks.shape[1]), 0.0)
        log.add(step, rows, prior, gained.astype(np.float32))
        batch.step(masks.argmax(axis=1), rows)
        step += 1
    return log


def test_parts_of_a_group_are_put_together_as_if_it_had_been_played_as_one():
    batch = Batch("figaro", n=3, players=3, seed=1, autoreset=False)
    parts = [(batch.copies(np.array(games)), np.array(games)) for games in ([1], [0, 2])]
    _, _, expected = first_moves(batch).told()
    packed = [first_moves(games).packed(numbers) for games, numbers in parts]
    game = batch.game
    found = unpacked(packed, game.layout.size, game.actions.size, game.max_seats)
    for field in expected._fields:
        one, other = getattr(found, field), getattr(expected, field)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()
    small = sum(len(array) for part in packed for array in part.arrays)
    assert small < sum(array.nbytes for array in expected) / 4
