"""The league: shares of opponents, seats for whole games, hard opponents first, results."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import Network
from shakespeare_env.play.lineup import NOBODY, OUTSIDE
from shakespeare_training.learners.league import League
from tests.training.toy_game import make_toy

pytestmark = pytest.mark.usefixtures("toy")


def make_league(opponents, *, n=400, players=3, max_snapshots=3, seed=0):
    batch = make_toy(n, players=players, seed=seed, autoreset=False)
    return League(opponents, batch, max_snapshots=max_snapshots, seed=seed)


def add_snapshot(league, name):
    """Add a snapshot whose weights are zeros."""
    game = league.batch.game
    shapes = Network.shapes(4, game.layout.size, game.actions.size)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    league.add_snapshot(name, NetworkAgent(Network(tensors, game.layout)), tensors)


def names(league):
    """Return the opponent of each game, `current` where the learner has every seat."""
    opponents = np.where(league.lineup.seats >= 0, league.lineup.seats, OUTSIDE).max(axis=1)
    return ["current" if index == OUTSIDE else league.opponents[index].name for index in opponents]


def end_game(league, row, *, seat_scores):
    league.batch.final_scores[row] = seat_scores
    league.record_results(league.finished_games(np.array([row])))


def test_kinds_of_games_have_the_configured_shares():
    league = make_league({"current": 2.0, "random": 1.0, "past": 1.0}, n=4000)
    add_snapshot(league, "1")
    league.lineup.generators.memory(7)["note"] = "of the last game"
    league.assign_seats(np.arange(4000))
    assert league.lineup.generators.memory(7) == {}
    shares = {name: count / 4000 for name, count in Counter(names(league)).items()}
    assert shares == pytest.approx({"current": 0.5, "random": 0.25, "1": 0.25}, abs=0.03)
    # Without snapshots the learner plays itself.
    assert set(names(make_league({"past": 1.0}))) == {"current"}


def test_the_learner_has_one_seat_among_opponents_and_each_seat_equally_often():
    seats = make_league({"random": 1.0}, n=6000, players=3).lineup.seats
    assert ((seats == OUTSIDE).sum(axis=1) == 1).all()
    assert (seats[:, 3] == NOBODY).all()
    counts = Counter((seats == OUTSIDE).argmax(axis=1).tolist())
    assert all(abs(counts[seat] - 2000) < 150 for seat in range(3))
    few = make_league({"random": 1.0}, n=10, players=3).lineup.seats
    assert (few == seats[:10]).all(), "a game's seats depend on the game alone"


def test_hard_opponents_come_more_often():
    league = make_league({"past": 1.0}, n=4, max_snapshots=2)
    for name in ("weak", "strong"):
        add_snapshot(league, name)
    weak, strong = league.pool
    weak.games = 98.0
    weak.wins = 69.0  # (69 + 1) / 100
    strong.games = 98.0
    strong.wins = 39.0
    met: Counter[str] = Counter()
    for _ in range(2000):
        league.finished += 4
        league.assign_seats(np.arange(4))
        (name,) = set(names(league))
        assert league.active is not None
        assert name == league.active.name
        met[name] += 1
    # Weights 0.3^2 and 0.6^2.
    assert met["strong"] / 2000 == pytest.approx(0.36 / 0.45, abs=0.03)


def test_a_result_is_the_share_of_opponents_that_the_learner_beat():
    league = make_league({"random": 1.0}, n=1, players=3)
    league.lineup.seats[0] = [0, OUTSIDE, 0, NOBODY]
    end_game(league, 0, seat_scores=[5, 5, 3, 0])
    opponent = league.opponents[0]
    assert (opponent.games, opponent.wins) == (1.0, 0.75)  # a tie with one, above the other
    end_game(league, 0, seat_scores=[9, 5, 9, 0])
    assert (opponent.games, opponent.wins) == pytest.approx((1.99, 0.75 * 0.99))
    assert opponent.win_rate == pytest.approx((0.7425 + 1) / (1.99 + 2))
    assert league.win_rates() == {"random": pytest.approx(0.7425 / 1.99)}
    assert league.finished == 2
    league.lineup.seats[0] = [OUTSIDE, OUTSIDE, OUTSIDE, NOBODY]
    end_game(league, 0, seat_scores=[1, 2, 3, 0])
    assert (opponent.games, league.finished) == (1.99, 3), "self-play tells nothing about others"


def test_the_easiest_snapshot_is_dropped_but_never_the_newest():
    league = make_league({"past": 1.0}, max_snapshots=2)
    for name in ("1", "2", "3", "4"):
        add_snapshot(league, name)
        pool = [snapshot.name for snapshot in league.pool]
        assert pool == {"1": ["1"], "2": ["1", "2"], "3": ["2", "3"], "4": ["2", "4"]}[name]
        # By these results 1 and 3 are the easiest.
        for snapshot in league.pool:
            results = 50.0 if snapshot.name in ("1", "3") else 0.0
            snapshot.games = results
            snapshot.wins = results


def test_a_dropped_snapshot_finishes_its_games():
    league = make_league({"past": 1.0, "random": 1.0}, n=50, max_snapshots=1)
    add_snapshot(league, "1")
    league.assign_seats(np.arange(50))
    before = names(league)
    seats = league.lineup.seats.copy()
    add_snapshot(league, "2")
    assert [snapshot.name for snapshot in league.pool] == ["2"]
    assert names(league) == before
    assert ((league.lineup.seats >= 0) == (seats >= 0)).all()
    league.assign_seats(np.arange(25))
    assert names(league)[25:] == before[25:]
    league.assign_seats(np.arange(50))
    add_snapshot(league, "3")
    assert [opponent.name for opponent in league.opponents] == ["random", "2", "3"]
    assert set(names(league)) == {"2", "random"}
