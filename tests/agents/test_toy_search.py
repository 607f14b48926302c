"""Search in a small game whose best moves are known: it finds moves that win."""

from types import SimpleNamespace

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.search import agent as agents
from shakespeare_agents.search.agent import (
    SearchAgent,
    SearchSettings,
    placeholder_weights,
    rollout_search,
)
from shakespeare_agents.search.playouts import TO_THE_END, PlayoutRunner, at_random
from shakespeare_env.play.information_sets import InformationSets
from tests.generators import generators
from tests.training.toy_game import GAME, make_toy, set_pile

pytestmark = pytest.mark.usefixtures("toy")

WINS = {2: 0, 3: 1, 4: 2}
"""The winning action by the size of the pile: it leaves the other seat the last counter."""


class PriorForOneAction:
    """A prior that gives most of the probability to one action."""

    def __init__(self, action, probability=0.9):
        self.action = action
        self.probability = probability

    def probabilities(self, observations, masks):
        others = masks.copy()
        others[:, self.action] = False
        share = (1.0 - self.probability) / others.sum(axis=1, keepdims=True)
        is_preferred = np.arange(masks.shape[1]) == self.action
        return np.where(is_preferred, self.probability, others * share).astype(np.float32)


def searching(prior, **settings):
    runner = PlayoutRunner(
        GAME, at_random, placeholder_weights(GAME), horizon=TO_THE_END, temperature=1.0
    )
    return SearchAgent(prior, runner, SearchSettings(**settings))


def games_with_pile(pile, n=20):
    """Return information sets of n games of two players with the same pile."""
    batch = make_toy(n)
    set_pile(batch, pile, 1)
    return InformationSets(batch, np.arange(n))


def losing_action(pile):
    return 0 if WINS[pile] else 1


@pytest.mark.parametrize(("pile", "utility"), [(2, "margin"), (3, "score"), (4, "win")])
def test_a_search_without_a_network_finds_the_winning_move(pile, utility):
    settings = SearchSettings(simulations=60, utility=utility)
    agent = rollout_search(GAME, "random", settings, threads=1)
    result = agent.look_ahead(games_with_pile(pile), generators(20))
    assert (result.actions == WINS[pile]).all()
    assert result.searched.all()
    assert (result.values[:, WINS[pile]] == 1.0).all()


@pytest.mark.parametrize("pile", WINS)
def test_playouts_overrule_a_prior_that_prefers_a_losing_move(pile):
    prior = PriorForOneAction(losing_action(pile), probability=0.95)
    actions = searching(prior).search(games_with_pile(pile), generators(20))
    assert (actions == WINS[pile]).all()
    prior_only = searching(prior, sharpness=0.0)
    actions = prior_only.search(games_with_pile(pile), generators(20))
    assert (actions == losing_action(pile)).all()


def test_the_value_of_a_move_is_its_expected_score_under_random_play():
    batch = make_toy(50)
    set_pile(batch, 6, 0)
    sets = InformationSets(batch, np.arange(50))
    values = searching(RandomAgent(), simulations=3000).look_ahead(sets, generators(50)).values
    # The probability that the seat to move loses, by the size of the pile.
    loses = {1: 1.0}
    for pile in range(2, 6):
        moves = (1, 2, 3) if pile >= 3 else (1, 2)
        wins = [loses[pile - taken] if pile > taken else 0.0 for taken in moves]
        loses[pile] = 1.0 - sum(wins) / len(moves)
    for action in range(3):
        expected = 2.0 * loses[5 - action] - 1.0
        assert np.mean(values[:, action]) == pytest.approx(expected, abs=0.05)


def test_a_near_certain_move_is_played_without_a_playout():
    sets = games_with_pile(4)
    prior = PriorForOneAction(1, probability=0.99)
    agent = searching(prior)
    result = agent.look_ahead(sets, generators(20))
    assert (result.actions == 1).all()
    assert not result.searched.any()
    assert not result.visits.any()
    assert np.isnan(result.values).all()
    assert agent.runner.decisions == 0
    searching_all = searching(prior, near_certain=1.0)
    assert searching_all.look_ahead(sets, generators(20)).searched.all()


def test_the_only_legal_move_is_played_without_a_playout():
    sets = games_with_pile(4)
    sets.masks = np.tile([False, True, False], (20, 1))
    agent = searching(RandomAgent(), near_certain=1.0)
    assert (agent.search(sets, generators(20)) == 1).all()
    assert agent.runner.decisions == 0


@pytest.mark.parametrize("simulations", [1, 16, 400])
def test_the_budget_is_kept_and_shared_by_halving(simulations):
    """Every candidate is tried at least once, and the last two candidates equally often."""
    agent = searching(RandomAgent(), simulations=simulations)
    result = agent.look_ahead(games_with_pile(10), generators(20))
    assert (result.visits >= 1).all()
    totals = result.visits.sum(axis=1)
    assert (totals <= max(simulations, 5)).all()
    assert (totals >= simulations * 0.8).all()
    ascending = np.sort(result.visits, axis=1)
    assert (ascending[:, 1] == ascending[:, 2]).all()
    assert (result.visits[np.arange(20), result.actions] == ascending[:, 2]).all()


@pytest.mark.parametrize(("games", "seconds_a_playout"), [(1, 1e-4), (20, 1e-3), (20, 1e-2)])
def test_seconds_for_each_move_are_used_and_not_exceeded(monkeypatch, games, seconds_a_playout):
    """Games that are searched together share the sum of their seconds."""
    agent = searching(RandomAgent(), seconds=1.0)
    now = 0.0
    play = agent.runner.play

    def play_for_a_time(playouts, records, chance):
        nonlocal now
        now += 1e-3 + seconds_a_playout * len(playouts.sources)
        return play(playouts, records, chance)

    monkeypatch.setattr(agent.runner, "play", play_for_a_time)
    monkeypatch.setattr(agents, "time", SimpleNamespace(perf_counter=lambda: now))
    result = agent.look_ahead(games_with_pile(10, games), generators(games))
    assert games * 0.8 <= now <= games * 1.01
    assert result.visits.sum() == pytest.approx(now / seconds_a_playout, rel=0.3)


def test_with_noise_moves_are_drawn_from_the_prior_by_the_games_generators():
    """The move with the highest sum of logit and Gumbel noise is a draw from the policy."""
    prior = PriorForOneAction(0, probability=0.5)
    settings = {"considered": 2, "simulations": 2, "sharpness": 0.0}
    without_noise = searching(prior, **settings)
    with_noise = searching(prior, noise=1.0, **settings)
    assert (without_noise.search(games_with_pile(9, 200), generators(200)) == 0).all()
    actions = with_noise.search(games_with_pile(9, 200), generators(200))
    again = with_noise.search(games_with_pile(9, 200), generators(200))
    assert (actions == again).all()
    assert np.mean(actions == 0) == pytest.approx(0.5, abs=0.1)
    assert set(actions.tolist()) == {0, 1, 2}
