"""Thoughts and verdicts of agents use only what a seat may know, and get better with time."""

import functools
from typing import Any

import numpy as np
import pytest

from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_env.core import registry
from shakespeare_research.counterfactual import counterfactual
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.judging import forecasts_of, judge_decision
from shakespeare_table.analysis.mistakes import MISTAKE_KINDS, mistake_kind
from shakespeare_table.analysis.thoughts import thoughts
from tests.agents import sessions
from tests.agents.networks import random_network

ROLLOUTS = "search,rollouts=heuristic,simulations=8"
played = functools.partial(sessions.played_session, seed=6)


def forecaster(name):
    return NetworkAgent(random_network(registry.game(name), 4))


@pytest.fixture(scope="module", params=registry.names())
def game(request):
    return played(request.param)


@pytest.fixture(params=["network", "rollouts"])
def analyst(request, game):
    rules = game.position.game
    return Analyst(rules, forecaster(rules.name) if request.param == "network" else ROLLOUTS)


def test_thoughts_get_better_round_by_round(game, analyst):
    position = game.positions[10]
    found = list(thoughts(position, analyst, seed=2, playouts=100))
    assert found[0].playouts == 0
    assert (found[0].chances is None) == (analyst.network is None)
    *before, last_but_one, end = [one.playouts for one in found]
    assert max(before) < last_but_one < 100 <= end
    last: Any = found[-1]
    best = last.moves[0]
    assert {one.move for one in last.moves} <= set(position.moves())
    assert sum(one.playouts for one in last.moves) == last.playouts
    assert best.playouts == max(one.playouts for one in last.moves)
    assert sum(last.chances) == pytest.approx(1.0, abs=1e-5)
    assert last.chances[position.to_move] == pytest.approx(best.worth)
    assert best.worth == max(one.worth for one in last.moves if one.playouts == best.playouts)


def test_thoughts_and_verdicts_look_at_nothing_that_the_seat_may_not_know(game, analyst):
    at = next(k for k in range(6, 40) if len(game.positions[k].moves()) > 2)
    position = game.positions[at]
    move = game.moves[at]
    others = [position.determinize(position.to_move, seed) for seed in (1, 2)]
    assert any(other != position for other in others)
    found: list[Any] = []
    for one in (position, *others):
        judged = judge_decision(one, move, 0, analyst, playouts=4)
        forecast = forecasts_of([one], analyst, playouts=4)
        thought = list(thoughts(one, analyst, seed=3, playouts=50))
        found.append((thought, judged, forecast.chances.tolist(), forecast.scores.tolist()))
    assert found[0] == found[1] == found[2]


def test_forecasts_of_a_game_end_with_what_happened(game, analyst):
    steps = [*game.positions[:12], game.position]
    found = forecasts_of(steps, analyst, playouts=4)
    assert found.chances.shape == found.scores.shape == (13, game.position.players)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1.0, atol=1e-5)
    assert np.flatnonzero(found.chances[-1]).tolist() == game.position.winners
    assert found.scores[-1].tolist() == game.position.scores()


def test_a_move_that_throws_the_game_away_is_found():
    game = played("figaro", 3)
    analyst = Analyst(registry.game("figaro"), ROLLOUTS.replace("8", "40"))
    judged = [
        judge_decision(game.positions[number], move, number, analyst, playouts=40)
        for number, move in enumerate(game.moves)
    ]
    first = max(judged, key=lambda one: one.loss - one.margin)
    assert mistake_kind(first) is MISTAKE_KINDS[0]
    position = game.positions[first.number - 1]
    # Played on from the true position, too, it loses; the share is no artefact of the seat's view.
    tried = counterfactual(position, [first.played, first.best], ["random"], continuations=100)
    assert tried.won(first.best, first.seat).mean > tried.won(first.played, first.seat).mean
