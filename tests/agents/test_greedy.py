"""The greedy agent takes the best score at once and looks at nothing secret; so does chance."""

import random

import numpy as np
import pytest

from shakespeare_agents import GreedyAgent, RandomAgent
from shakespeare_env import observation_layout
from shakespeare_env.play.agent import decide
from tests.contract import knowledge
from tests.contract.each_table import full_tables
from tests.contract.random_games import TABLES, Table, chosen, sampled, scrambled, stacked
from tests.generators import generators


def by_sight(observations):
    """A worth that nobody could guess: a hash of all that is seen."""
    weights = scrambled(np.arange(1, observations.shape[1] + 1, dtype=np.uint64))
    words = (observations.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
    return (scrambled(words) >> np.uint64(40)).astype(float)


def prestige(observations):
    place = observation_layout("shakespeare")["seat0.prestige"].start
    return observations[:, place].astype(float)


@full_tables
def test_chance_picks_one_of_equally_good_moves_and_repeats_itself(table):
    agent = GreedyAgent(lambda observations: by_sight(observations) % 2, samples=2)
    one, two, other = (
        decide(agent, table.batch(50, seed=1), np.arange(50), generators(50, seed))
        for seed in (4, 4, 5)
    )
    assert (one == two).all()
    assert (one != other).any()
    with pytest.raises(ValueError, match="samples=0"):
        GreedyAgent(by_sight, samples=0)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_what_a_seat_may_not_know_changes_nothing(table):
    """The same generators draw the same possible games, whatever the true one is."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(8)
    seen = [p.record() for p in sampled(table, 1, every=9) if p.to_move is not None]
    changed = [hidden.change_in_record(r, int(r["to_move"]), rng) for r in seen]
    rows = np.arange(len(seen))
    answers = []
    for records in (seen, changed):
        batch = table.batch(len(seen), seed=0)
        batch.load(slice(None), stacked(records))
        answers.append(decide(GreedyAgent(by_sight), batch, rows, generators(len(seen), 1)))
    assert stacked(seen).tobytes() != stacked(changed).tobytes()
    assert (answers[0] == answers[1]).all()


def test_no_other_move_is_better_at_once():
    """By the true game: chance matters to the prestige right after a move in few decisions only."""
    better = tried = 0
    batch, agent = Table("shakespeare", 3).batch(24, seed=2), GreedyAgent(prestige)
    for step in range(60):
        if step % 5 == 0:
            actions = decide(agent, batch, np.arange(24), generators(24, step))
            assert batch.mask[np.arange(24), actions].all()
            for row in range(24):
                seat, legal = int(batch.to_move[row]), np.flatnonzero(batch.mask[row])
                games = batch.copies([row] * len(legal))
                games.step(legal)
                worth = prestige(games.observe([seat] * len(legal)))
                tried += 1
                better += worth.max() > worth[legal.tolist().index(actions[row])]
        batch.step(chosen(batch.mask, step))
    assert better < tried / 20


def test_the_random_agent_plays_every_legal_action_equally_often_and_no_other():
    masks = np.zeros((30_000, 7), np.bool_)
    masks[:, [1, 2, 6]] = True
    nothing = np.zeros((30_000, 3), np.int8)
    actions, again = (RandomAgent().act(nothing, masks, generators(30_000)) for _ in range(2))
    assert (actions == again).all()
    counts = np.bincount(actions, minlength=7)
    assert counts[[0, 3, 4, 5]].sum() == 0
    assert (abs(counts[[1, 2, 6]] - 10_000) < 400).all()
