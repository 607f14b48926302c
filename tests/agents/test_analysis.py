"""An analyst's thoughts and verdicts use only what a seat may know, and improve with time."""

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
from shakespeare_table.analysis.thoughts import reasons, thoughts
from tests.agents import sessions
from tests.agents.networks import random_network
from tests.generators import Witness, history_of_moves

ROLLOUTS = "search,rollouts=heuristic,simulations=8"
played = functools.partial(sessions.played_session, seed=6)


@pytest.fixture(scope="module", params=registry.names())
def session(request):
    return played(request.param)


@pytest.fixture(params=["network", "rollouts"])
def analyst(request, session):
    game = session.position.game
    if request.param == "rollouts":
        return Analyst(game, ROLLOUTS)
    return Analyst(game, NetworkAgent(random_network(game, 4)))


def test_thoughts_improve_round_by_round(session, analyst):
    position = session.positions[10]
    rounds = list(thoughts(position, analyst, seed=2, playouts=100))
    assert rounds[0].playouts == 0
    assert (rounds[0].chances is None) == (analyst.forecaster is None)
    *before, last_but_one, end = [thought.playouts for thought in rounds]
    assert max(before) < last_but_one < 100 <= end
    last: Any = rounds[-1]
    best = last.moves[0]
    most_playouts = max(move.playouts for move in last.moves)
    assert {move.move for move in last.moves} <= set(position.moves())
    assert sum(move.playouts for move in last.moves) == last.playouts
    assert best.playouts == most_playouts
    assert best.value == max(move.value for move in last.moves if move.playouts == most_playouts)
    assert sum(last.chances) == pytest.approx(1.0, abs=1e-5)
    assert last.chances[position.to_move] == pytest.approx(best.value)


def test_the_agent_observes_the_decisions_before_a_position(session):
    witness = Witness()
    analyst = Analyst(session.position.game, witness)
    position = session.positions[10]
    expected = history_of_moves(session.positions, session.moves[:10])
    forecasts_of([position], analyst, playouts=1)
    assert np.array_equal(witness.observed.pop(), expected)
    # The first game of the comparison begins with the move that looks best.
    *_, compared = reasons(position, analyst)
    moves = [*session.moves[:10], compared.move]
    after = position.copy()
    after.push(compared.move)
    assert np.array_equal(
        witness.observed[0][0], history_of_moves([*session.positions[:11], after], moves)[0]
    )


def test_thoughts_and_verdicts_depend_only_on_what_the_seat_may_know(session, analyst):
    at = next(k for k in range(6, 40) if len(session.positions[k].moves()) > 2)
    position = session.positions[at]
    move = session.moves[at]
    others = [position.determinize(position.to_move, seed) for seed in (1, 2)]
    assert any(other != position for other in others)
    results: list[Any] = []
    for possible in (position, *others):
        verdict = judge_decision(possible, move, 0, analyst, playouts=4)
        forecast = forecasts_of([possible], analyst, playouts=4)
        rounds = list(thoughts(possible, analyst, seed=3, playouts=50))
        results.append((rounds, verdict, forecast.chances.tolist(), forecast.scores.tolist()))
    assert results[0] == results[1] == results[2]


def test_forecasts_of_a_game_end_with_its_result(session, analyst):
    positions = [*session.positions[:12], session.position]
    forecasts = forecasts_of(positions, analyst, playouts=4)
    assert forecasts.chances.shape == forecasts.scores.shape == (13, session.position.players)
    np.testing.assert_allclose(forecasts.chances.sum(axis=1), 1.0, atol=1e-5)
    assert np.flatnonzero(forecasts.chances[-1]).tolist() == session.position.winners
    assert forecasts.scores[-1].tolist() == session.position.scores()


def test_the_worst_mistake_also_loses_in_the_true_position():
    """The loss is no artefact of what the seat can see."""
    session = played("figaro", 3)
    analyst = Analyst(registry.game("figaro"), "search,rollouts=heuristic,simulations=40")
    verdicts = [
        judge_decision(session.positions[number], move, number, analyst, playouts=40)
        for number, move in enumerate(session.moves)
    ]
    worst = max(verdicts, key=lambda verdict: verdict.loss - verdict.margin)
    assert mistake_kind(worst) is MISTAKE_KINDS[0]
    position = session.positions[worst.number - 1]
    tried = counterfactual(position, [worst.played, worst.best], ["random"], continuations=100)
    assert tried.won(worst.best, worst.seat).mean > tried.won(worst.played, worst.seat).mean
