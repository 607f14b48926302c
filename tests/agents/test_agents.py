"""Agents in real games are repeatable and fair, check their options, and beat random play."""

import random
import re

import numpy as np
import pytest

from shakespeare_agents import GreedyAgent, RandomAgent, make
from shakespeare_agents.networks.inference import weights_of
from shakespeare_agents.search.agent import SearchAgent, SearchSettings
from shakespeare_agents.search.playouts import PlayoutRunner, by_network
from shakespeare_arena import evaluate
from shakespeare_env.core import registry
from shakespeare_env.play.agent import decide
from shakespeare_env.play.information_sets import InformationSets
from tests.agents.networks import random_network
from tests.contract import knowledge
from tests.contract.each_table import full_tables
from tests.contract.random_games import (
    PLAIN_FULL_TABLES,
    TABLES,
    Table,
    actions_by_rule,
    mix_bits,
    play_by_rule,
    sample_positions,
    stack_records,
)
from tests.generators import generators

QUICK = {"simulations": 6, "horizon": 3, "considered": 3}
FIGARO = registry.game("figaro")


def searching(game, **options) -> SearchAgent:
    agent = make("search", game, **{**QUICK, **options})
    assert isinstance(agent, SearchAgent)
    return agent


def hashed(observations):
    """Return a value for each observation that changes with every number in it."""
    weights = mix_bits(np.arange(1, observations.shape[1] + 1, dtype=np.uint64))
    words = (observations.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
    return (mix_bits(words) >> np.uint64(40)).astype(float)


def games_under_way(table, n, steps=20):
    batch = table.batch(n, seed=3)
    for step in range(steps):
        batch.step(actions_by_rule(batch.mask, step))
    return batch


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (PLAIN_FULL_TABLES[0], {}),
        (PLAIN_FULL_TABLES[1], {"utility": "win", "temperature": 0.0, "horizon": 0}),
    ],
    ids=str,
)
def test_a_search_does_not_depend_on_other_games_or_on_threads(table, options):
    """Search 1, 7 and 40 games at once, on 1 and 2 threads."""
    batch = games_under_way(table, 40)
    rows = np.arange(40)
    agent = searching(batch.game, near_certain=1.0, **options)
    together = agent.look_ahead(InformationSets(batch, rows), generators(40))
    decisions = agent.runner.decisions
    assert batch.mask[rows, together.actions].all()
    assert together.visits.any(axis=1).sum() > 20
    for some in (np.array([33]), rows[20:27]):
        result = agent.look_ahead(InformationSets(batch, some), generators(40)[some])
        assert (result.actions == together.actions[some]).all()
        np.testing.assert_array_equal(result.values, together.values[some])
    on_two_threads = searching(batch.game, near_certain=1.0, threads=2, **options)
    result = on_two_threads.look_ahead(InformationSets(batch, rows), generators(40))
    np.testing.assert_array_equal(result.values, together.values)
    assert (result.actions == together.actions).all()
    assert on_two_threads.runner.decisions == decisions


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_what_a_seat_may_not_know_changes_no_move(table):
    """Compare games that differ only in what the seat to move may not know."""
    hidden = knowledge.of(table.game, "hidden")
    rng = random.Random(8)
    positions = [p for p in sample_positions(table, 1, every=25) if p.to_move is not None]
    true = stack_records(p.record() for p in positions)
    changed = stack_records(
        hidden.change_in_record(r, p.to_move, rng) for r, p in zip(true, positions, strict=True)
    )
    assert changed.tobytes() != true.tobytes()
    searcher = searching(registry.game(table.game), near_certain=1.0)
    results = []
    greedy_moves = []
    for records in (true, changed):
        batch = table.batch(len(true), seed=0)
        batch.load(slice(None), records)
        sets = InformationSets(batch, np.arange(len(true)))
        greedy_moves.append(GreedyAgent(hashed).search(sets, generators(len(true), 1)))
        results.append(searcher.look_ahead(sets, generators(len(true))))
    assert (greedy_moves[0] == greedy_moves[1]).all()
    assert (results[0].actions == results[1].actions).all()
    np.testing.assert_array_equal(results[0].values, results[1].values)
    assert results[0].visits.any()


def test_secret_wagers_of_others_follow_the_policy():
    """In playouts the other seat wagers 3, so a lower wager leads and is worth a point more."""
    table = Table("shakespeare", 2)
    game = registry.game(table.game)
    positions = []
    for seed in range(6):
        wagers = [p.copy() for p in play_by_rule(table.position(seed)) if p.phase == "wager"]
        positions += wagers[1::2]  # those in which the other seat has wagered in secret
    one, two, three, four, five = np.flatnonzero(positions[0].action_mask())
    network = random_network(game, 1)
    for tensor in network.tensors.values():
        tensor[:] = 0.0
    network.tensors["action.bias"][three] = 100.0
    weights = weights_of(network)
    runner = PlayoutRunner(game, by_network, weights, horizon=0, temperature=0.0)
    settings = SearchSettings(simulations=60, considered=5, utility="score")
    batch = table.batch(len(positions), seed=0)
    batch.load(slice(None), stack_records(p.record() for p in positions))
    rows = np.arange(len(positions))
    agent = SearchAgent(RandomAgent(), runner, settings)
    values = agent.look_ahead(InformationSets(batch, rows), generators(len(rows))).values
    unit = 1.0 / game.score_scale
    for low, high in ((one, four), (one, five), (two, four), (two, five)):
        np.testing.assert_allclose(values[:, low] - values[:, high], unit, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("simulations=0", "simulations=0"),
        ("considered=0", "considered=0"),
        ("seconds=1,simulations=9", "seconds"),
        ("seconds=-1", "seconds"),
        ("horizon=-1", "horizon=-1"),
        ("horizon=late", "late"),
        ("speed=3", "'speed'"),
        ("utility=scores", "did you mean 'score'"),
        ("rollouts=random,horizon=3", "horizon"),
        ("network=heuristic", "network='heuristic'"),
        ("network=there,version=1", "version=1"),
    ],
)
def test_options_are_checked(options, named):
    with pytest.raises((ValueError, TypeError), match=re.escape(named)):
        make(f"search,{options}", FIGARO)


@full_tables
def test_the_greedy_agent_breaks_ties_at_random_and_repeatably(table):
    agent = GreedyAgent(lambda observations: hashed(observations) % 2, samples=2)

    def choices(seed):
        return decide(agent, table.batch(50, seed=1), np.arange(50), generators(50, seed))

    assert (choices(4) == choices(4)).all()
    assert (choices(4) != choices(5)).any()


def test_the_random_agent_plays_every_legal_action_equally_often_and_no_other():
    masks = np.zeros((30_000, 7), np.bool_)
    masks[:, [1, 2, 6]] = True
    observations = np.zeros((30_000, 3), np.int8)
    actions = RandomAgent().act(observations, masks, generators(30_000))
    again = RandomAgent().act(observations, masks, generators(30_000))
    assert (actions == again).all()
    counts = np.bincount(actions, minlength=7)
    assert counts[[0, 3, 4, 5]].sum() == 0
    assert (abs(counts[[1, 2, 6]] - 10_000) < 400).all()


@pytest.mark.parametrize(("agent", "games"), [("heuristic", 240), ("greedy", 60)])
@pytest.mark.parametrize("name", registry.names())
def test_the_heuristic_and_greedy_agents_beat_random_agents(name, agent, games):
    least = getattr(knowledge.of(name, "strength"), f"{agent.upper()}_OVER_RANDOM")
    for players, wins in least.wins.items():
        report = evaluate([agent, *["random"] * (players - 1)], name, games=games, seed=1)
        assert (report[agent].win_rate or 0) > wins
        assert report[agent].mean_score > report["random"].mean_score + least.lead
