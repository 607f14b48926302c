"""Search in a game that is known by heart: it finds what wins and shuns what loses."""

from types import SimpleNamespace

import numpy as np
import pytest

from shakespeare_agents.search import agent as agents
from shakespeare_agents.search.agent import (
    SearchAgent,
    SearchSettings,
    UniformPrior,
    placeholder_weights,
    rollout_search,
)
from shakespeare_agents.search.playouts import TO_THE_END, PlayoutRunner, at_random
from shakespeare_env.play.information_sets import InformationSets
from tests.generators import generators
from tests.training.toy_game import GAME, make_toy, set_pile

pytestmark = pytest.mark.usefixtures("toy")

WINS = {2: 0, 3: 1, 4: 2}
"""By pile: the action that leaves the other seat the last counter."""


class Fond:
    """A prior that loves one action, as far as it is legal."""

    def __init__(self, action, likely=0.9):
        self.action = action
        self.likely = likely

    def probabilities(self, observations, masks):
        others = masks.copy()
        others[:, self.action] = False
        share = (1.0 - self.likely) / others.sum(axis=1, keepdims=True)
        loved = np.arange(masks.shape[1]) == self.action
        return np.where(loved, self.likely, others * share).astype(np.float32)


def searching(prior, **plan):
    player = PlayoutRunner(
        GAME, at_random, placeholder_weights(GAME), horizon=TO_THE_END, temperature=1.0
    )
    return SearchAgent(prior, player, SearchSettings(**plan))


def asked(pile, n=20):
    """Return information sets of n games of two with the same pile."""
    batch = make_toy(n)
    set_pile(batch, pile, 1)
    return InformationSets(batch, np.arange(n))


@pytest.mark.parametrize(("pile", "utility"), [(2, "margin"), (3, "score"), (4, "win")])
def test_it_finds_the_winning_move_even_if_its_prior_loves_a_losing_one(pile, utility):
    agent = rollout_search(
        GAME, at_random, SearchSettings(simulations=60, utility=utility), threads=1
    )
    found = agent.look_ahead(asked(pile), generators(20))
    assert (found.actions == WINS[pile]).all()
    assert found.searched.all()
    assert (found.values[:, WINS[pile]] == 1.0).all()
    losing = 0 if WINS[pile] else 1
    prior = Fond(losing, likely=0.95)
    assert (searching(prior).search(asked(pile), generators(20)) == WINS[pile]).all()
    trusting = searching(prior, sharpness=0.0)
    assert (trusting.search(asked(pile), generators(20)) == losing).all()


def test_a_move_is_worth_what_random_play_after_it_brings():
    batch = make_toy(50)
    set_pile(batch, 6, 0)
    sets = InformationSets(batch, np.arange(50))
    values = searching(UniformPrior(), simulations=3000).look_ahead(sets, generators(50)).values
    # How often whoever is to move loses if all draw their moves, by pile.
    loses = {1: 1.0}
    for pile in range(2, 6):
        moves = (1, 2, 3) if pile >= 3 else (1, 2)
        wins = [loses[pile - taken] if pile > taken else 0.0 for taken in moves]
        loses[pile] = 1.0 - sum(wins) / len(moves)
    for action in range(3):
        tried = values[:, action]
        assert np.mean(tried) == pytest.approx(2.0 * loses[5 - action] - 1.0, abs=0.05)


def test_forced_and_near_certain_moves_are_played_without_a_playout():
    sets = asked(4)
    agent = searching(Fond(1, likely=0.99))
    found = agent.look_ahead(sets, generators(20))
    assert (found.actions == 1).all()
    assert not found.searched.any()
    assert not found.visits.any()
    assert np.isnan(found.values).all()
    everything = searching(Fond(1, likely=0.99), near_certain=1.0)
    assert everything.look_ahead(sets, generators(20)).searched.all()
    sets.masks = np.tile([False, True, False], (20, 1))
    forced = searching(UniformPrior(), near_certain=1.0)
    assert (forced.search(sets, generators(20)) == 1).all()
    assert agent.runner.decisions == forced.runner.decisions == 0


@pytest.mark.parametrize("simulations", [1, 16, 400])
def test_the_budget_is_kept_and_shared_by_halving(simulations):
    """Every candidate is tried at least once; the last two meet equally often."""
    agent = searching(UniformPrior(), simulations=simulations)
    found = agent.look_ahead(asked(10), generators(20))
    assert (found.visits >= 1).all()
    played = found.visits.sum(axis=1)
    assert (played <= max(simulations, 5)).all()
    assert (played >= simulations * 0.8).all()
    most = np.sort(found.visits, axis=1)
    assert (most[:, 1] == most[:, 2]).all()
    assert (found.visits[np.arange(20), found.actions] == most[:, 2]).all()


@pytest.mark.parametrize(("games", "playout"), [(1, 1e-4), (20, 1e-3), (20, 1e-2)])
def test_seconds_are_kept(monkeypatch, playout, games):
    """For each move of many games searched together; a round that may not fit is not begun."""
    agent = searching(UniformPrior(), seconds=1.0)
    now = [0.0]
    play = agent.runner.play

    def timed(played, records, chance):
        now[0] += 1e-3 + playout * len(played.sources)
        return play(played, records, chance)

    monkeypatch.setattr(agent.runner, "play", timed)
    monkeypatch.setattr(agents, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    found = agent.look_ahead(asked(10, games), generators(games))
    assert games * 0.8 <= now[0] <= games * 1.01
    assert found.visits.sum() == pytest.approx(now[0] / playout, rel=0.3)


def test_noise_lets_other_moves_be_tried_and_draws_from_the_game():
    prior = Fond(0, likely=0.5)
    plan = {"considered": 2, "simulations": 2, "sharpness": 0.0}
    quiet = searching(prior, **plan).look_ahead(asked(9, 200), generators(200))
    noisy = searching(prior, noise=1.0, **plan)
    one = noisy.look_ahead(asked(9, 200), generators(200))
    two = noisy.look_ahead(asked(9, 200), generators(200))
    assert (one.actions == two.actions).all()
    assert (quiet.actions == 0).all()
    # Gumbel noise on logits draws from the policy itself.
    assert np.mean(one.actions == 0) == pytest.approx(0.5, abs=0.1)
    assert set(one.actions.tolist()) == {0, 1, 2}
