"""Rewards of steps, recomputed in plain Python over whole games."""

import numpy as np
import pytest

from shakespeare_env.core import registry
from tests.contract.each_table import all_tables
from tests.contract.random_games import LONGEST, actions_by_rule, move_by_rule

GAMES_PLAYED = 12


def win(game, scores, winners):
    """The winners share +1, the others share -1."""
    share = 1 / sum(winners)
    blame = -1 / (len(scores) - sum(winners)) if not all(winners) else None
    return [share if won else blame for won in winners]


def margin(game, scores, winners):
    """A score less the best of the others, in units of the game's scale."""
    return [
        (score - max(scores[:seat] + scores[seat + 1 :])) / game.score_scale
        for seat, score in enumerate(scores)
    ]


def rank(game, scores, winners):
    """From +1 for the first place to -1 for the last; equals share the mean of their places."""
    best_first = sorted(scores, reverse=True)
    points = [1 - 2 * place / (len(scores) - 1) for place in range(len(scores))]
    return [
        float(np.mean([points[place] for place, of in enumerate(best_first) if of == score]))
        for score in scores
    ]


EXPECTED = {"win": win, "margin": margin, "rank": rank}


@all_tables
@pytest.mark.parametrize("reward", ["win", "margin", "rank"])
def test_the_end_of_a_game_pays_and_nothing_before_it_does(table, reward):
    game = registry.game(table.game)
    batch = table.batch(GAMES_PLAYED, seed=50, reward=reward)
    ended = 0
    for step in range(LONGEST):
        rewards, done = batch.step(actions_by_rule(batch.mask, step))
        assert not rewards[~done].any()
        for number in np.flatnonzero(done):
            scores = batch.final_scores[number, : table.players].tolist()
            winners = batch.final_winners[number, : table.players].tolist()
            if table.players == 1:  # how far the score is from the target
                expected = [(scores[0] - game.solo_target) / game.score_scale]
            else:
                expected = EXPECTED[reward](game, scores, winners)
            found = rewards[number, : table.players]
            np.testing.assert_allclose(found, expected, atol=1e-6)
            assert not rewards[number, table.players :].any()
        ended += int(done.sum())
        if ended >= GAMES_PLAYED:
            return
    raise AssertionError("the games do not end")


@all_tables
def test_score_pays_the_change_of_the_score_at_every_step(table):
    """Step by step against the scores of a position that goes the same way."""
    for seed in range(4):
        batch = table.batch(1, seed=seed, reward="score")
        position = table.position(seed)
        before = position.scores()
        for step in range(LONGEST):
            if position.to_move is None:
                break
            position.push(move_by_rule(position, step))
            rewards, done = batch.step(actions_by_rule(batch.mask, step))
            after = position.scores()
            change = np.subtract(after, before) / position.game.score_scale
            np.testing.assert_allclose(rewards[0, : table.players], change, rtol=1e-6)
            assert not rewards[0, table.players :].any()
            before = after
        assert done[0]
        assert batch.final_scores[0, : table.players].tolist() == after
        assert np.flatnonzero(batch.final_winners[0]).tolist() == position.winners
