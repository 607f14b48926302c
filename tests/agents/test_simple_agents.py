"""Simple agents: greedy and random ones, and heuristics that are far better than chance."""

import random

import numpy as np
import pytest

from shakespeare_agents import GreedyAgent, RandomAgent
from shakespeare_arena import evaluate
from shakespeare_env.core import registry
from shakespeare_env.play.agent import decide
from tests.contract import knowledge
from tests.contract.each_table import full_tables
from tests.contract.random_games import TABLES, sampled, scrambled, stacked
from tests.generators import generators


def by_sight(observations):
    """A worth that nobody could guess: a hash of all that is seen."""
    weights = scrambled(np.arange(1, observations.shape[1] + 1, dtype=np.uint64))
    words = (observations.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
    return (scrambled(words) >> np.uint64(40)).astype(float)


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


def test_the_random_agent_plays_every_legal_action_equally_often_and_no_other():
    masks = np.zeros((30_000, 7), np.bool_)
    masks[:, [1, 2, 6]] = True
    nothing = np.zeros((30_000, 3), np.int8)
    actions, again = (RandomAgent().act(nothing, masks, generators(30_000)) for _ in range(2))
    assert (actions == again).all()
    counts = np.bincount(actions, minlength=7)
    assert counts[[0, 3, 4, 5]].sum() == 0
    assert (abs(counts[[1, 2, 6]] - 10_000) < 400).all()


@pytest.mark.parametrize(("agent", "games"), [("heuristic", 240), ("greedy", 60)])
@pytest.mark.parametrize("name", registry.names())
def test_it_beats_random_agents_and_so_does_one_that_is_greedy_for_its_evaluation(
    name, agent, games
):
    least = getattr(knowledge.of(name, "strength"), f"{agent.upper()}_OVER_RANDOM")
    for players, wins in least.wins.items():
        found = evaluate([agent, *["random"] * (players - 1)], name, games=games, seed=1)
        assert (found[agent].win_rate or 0) > wins
        assert found[agent].mean_score > found["random"].mean_score + least.lead
