"""What agents think of positions and games: from what a seat may know, better and better."""

import functools

import numpy as np
import pytest

from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_env.core import registry
from shakespeare_env.film.judgement import KINDS, kind_of
from shakespeare_research.counterfactual import counterfactual
from shakespeare_table.analysis import Analyst, best_line, forecasts_of, refined, thoughts, verdicts
from tests.agents import sessions
from tests.agents.networks import random_network

GAMES = registry.names()
WIDTH = 4
ROLLOUTS = "search,rollouts=random,simulations=8"


played = functools.partial(sessions.played, seed=6)


def forecaster(name):
    return NetworkAgent(random_network(registry.game(name), WIDTH))


@pytest.fixture(scope="module")
def games():
    return {name: played(name) for name in GAMES}


@pytest.fixture(params=GAMES)
def game(request, games):
    return games[request.param]


@pytest.fixture(params=["network", "rollouts"])
def analyst(request, game):
    rules = game.position.game
    return Analyst(rules, forecaster(rules.name) if request.param == "network" else ROLLOUTS)


def alike(position, seed):
    """Another position that the seat to move cannot tell from this one."""
    return position.determinize(position.to_move, seed)


def test_thoughts_get_better_round_by_round(game, analyst):
    position = game.positions[10]
    found = list(thoughts(position, analyst, seed=2, playouts=100))
    assert found[0].playouts == 0
    assert (found[0].chances is None) == (analyst.network is None)
    rounds = [one.playouts for one in found]
    assert rounds == sorted(set(rounds))
    assert rounds[-1] >= 100 > rounds[-2]
    last = found[-1]
    assert last.seat == position.to_move
    assert {one.move for one in last.moves} <= set(position.moves())
    assert sum(one.playouts for one in last.moves) == last.playouts
    assert last.moves[0].playouts == max(one.playouts for one in last.moves)
    chances = np.array(last.chances)
    assert chances.sum() == pytest.approx(1.0, abs=1e-5)
    assert chances[last.seat] == pytest.approx(last.moves[0].worth)
    worths = [one.worth for one in last.moves if one.playouts == last.moves[0].playouts]
    assert worths == sorted(worths, key=lambda worth: -(worth or 0.0))


def test_thoughts_and_verdicts_look_at_nothing_that_the_seat_may_not_know(game, analyst):
    at = next(k for k in range(6, 40) if len(game.positions[k].moves()) > 2)
    position, moves = game.positions[at], game.moves[at : at + 1]
    others = [alike(position, seed) for seed in (1, 2)]
    assert any(other != position for other in others)
    found = []
    for one in (position, *others):
        steps = [one, game.positions[at + 1]]
        judged = list(verdicts(steps, moves, analyst, playouts=4))
        found.append((list(thoughts(one, analyst, seed=3, playouts=50)), judged))
        forecast = forecasts_of([one], analyst, playouts=4)
        expected = forecasts_of([position], analyst, playouts=4)
        np.testing.assert_array_equal(forecast.chances, expected.chances)
        # Scores so far are open to all; what is expected beyond them is the same.
        np.testing.assert_allclose(forecast.scores, expected.scores)
    assert found[0] == found[1] == found[2]


def test_forecasts_of_a_game_end_with_what_happened(game, analyst):
    steps = [*game.positions[:12], game.position]
    found = forecasts_of(steps, analyst, playouts=4)
    assert found.chances.shape == found.scores.shape == (13, game.position.players)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1.0, atol=1e-5)
    assert np.flatnonzero(found.chances[-1]).tolist() == game.position.winners
    assert found.scores[-1].tolist() == game.position.scores()


def test_verdicts_come_one_by_one_and_depend_on_no_other(game, analyst):
    steps = verdicts(game.positions, game.moves, analyst, seed=5, playouts=4)
    found = [next(steps) for _ in range(4)]
    assert [one.number for one in found] == [1, 2, 3, 4]
    for one, position, move in zip(found, game.positions, game.moves, strict=False):
        assert (one.seat, one.played) == (position.to_move, move)
        assert one.best in position.moves()
        assert one.best != move or one.loss == one.margin == 0.0
    again = verdicts(game.positions, game.moves, analyst, seed=5, playouts=4)
    assert [next(again) for _ in range(4)] == found
    forecasts = forecasts_of(game.positions[:5], analyst, playouts=4)
    better = refined(forecasts, found[2:3], "more")
    assert better.chances[2].tolist() == list(found[2].chances)
    np.testing.assert_array_equal(better.chances[3:], forecasts.chances[3:])


def test_a_move_that_throws_the_game_away_is_found():
    game = played("figaro", 3)
    analyst = Analyst(registry.game("figaro"), ROLLOUTS.replace("8", "40"))
    judged = list(verdicts(game.positions, game.moves, analyst, playouts=40))
    first = max(judged, key=lambda one: one.loss - one.margin)
    assert kind_of(first) is KINDS[0]
    position = game.positions[first.number - 1]
    # Played on from the true position, too, it loses; the share is no artefact of the seat's view.
    tried = counterfactual(position, [first.played, first.best], ["random"], continuations=100)
    assert tried.won(first.best, first.seat).mean > tried.won(first.played, first.seat).mean


def test_a_line_goes_on_from_a_position_as_the_search_would(game, analyst):
    found = best_line(game.positions[10], analyst, number=10, most=3)
    line = found.course
    assert found.forecasts.chances.sum(axis=1) == pytest.approx([1.0] * 4)
    assert line.positions[0] == game.positions[10]
    assert len(line.moves) == 3
    again = line.positions[0].copy()
    for move, after in zip(line.moves, line.positions[1:], strict=True):
        again.push(move)
        assert again == after
    assert best_line(game.positions[10], analyst, number=10, most=3).course.moves == line.moves
    end = best_line(game.positions[-2], analyst)
    assert len(end.course.moves) == 1
    assert end.forecasts.scores[-1].tolist() == end.course.position.scores()


def test_alone_it_is_the_score():
    name = "shakespeare"
    game = played(name, 1, 12)
    analyst = Analyst(registry.game(name), forecaster(name))
    *_, last = thoughts(game.positions[5], analyst, playouts=40)
    assert last.chances is None
    assert last.scores == pytest.approx([last.moves[0].worth])
    (judged,) = verdicts(game.positions[5:7], game.moves[5:6], analyst, playouts=4)
    assert len(judged.scores) == 1


def test_what_cannot_be_asked_is_refused(games):
    game = games["figaro"]
    analyst = Analyst(game.position.game, ROLLOUTS)
    for asked in (
        lambda: thoughts(game.position, analyst),
        lambda: thoughts(game.positions[0], analyst, playouts=0),
        lambda: verdicts(game.positions, game.moves, analyst, playouts=1),
    ):
        with pytest.raises(ValueError, match=r"over|playouts=0|2 or more"):
            asked()
