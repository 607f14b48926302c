"""Who plays the learner: shares, whole games, hard opponents first, and a state that is kept."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
import torch

from shakespeare_agents.network import Network
from shakespeare_env import Batch, registry
from shakespeare_env.generators import GameGenerators
from shakespeare_env.lineup import NOBODY, OUTSIDE
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo.policy import PolicyNetwork
from shakespeare_training.ppo.self_play import SelfPlayPPO
from tests.training.toy_game import make_toy

pytestmark = pytest.mark.usefixtures("toy")


def make_league(opponents, *, n=400, players=3, max_snapshots=3, seed=0):
    batch = make_toy(n, players=players, seed=seed, autoreset=False)
    return League(opponents, batch, max_snapshots=max_snapshots, seed=seed)


def weights(league, value=0.0):
    """Some weights of the right shapes."""
    game = league.batch.game
    shapes = Network.shapes(4, game.layout.size, game.actions.size)
    return {name: np.full(shape, value, np.float32) for name, shape in shapes.items()}


def names(league):
    """The opponent of each game, `current` where the learner has every seat."""
    opponents = np.where(league.lineup.seats >= 0, league.lineup.seats, OUTSIDE).max(axis=1)
    return ["current" if i == OUTSIDE else league.opponents[i].name for i in opponents]


def end(league, row, *, seat_scores):
    league.batch.final_scores[row] = seat_scores
    league.record_results(league.ended(np.array([row])))


def test_shares_are_the_configured_ones():
    league = make_league({"current": 2.0, "random": 1.0, "past": 1.0}, n=8000)
    league.add_snapshot("1", weights(league))
    league.assign_seats(np.arange(8000))
    counts = Counter(names(league))
    assert counts["current"] / 8000 == pytest.approx(0.5, abs=0.02)
    assert counts["random"] / 8000 == pytest.approx(0.25, abs=0.02)
    assert counts["1"] / 8000 == pytest.approx(0.25, abs=0.02)


def test_the_learner_has_one_seat_among_opponents_and_every_seat_as_often():
    seats = make_league({"random": 1.0}, n=6000, players=3).lineup.seats
    assert ((seats == OUTSIDE).sum(axis=1) == 1).all()
    assert (seats[:, 3] == NOBODY).all()
    counts = Counter((seats == OUTSIDE).argmax(axis=1).tolist())
    assert all(abs(counts[seat] - 2000) < 150 for seat in range(3))


def test_a_solo_game_is_the_learners():
    seats = make_league({"random": 1.0}, players=1).lineup.seats
    assert (seats[:, 0] == OUTSIDE).all()
    assert (seats[:, 1:] == NOBODY).all()


def test_without_snapshots_the_learner_plays_itself():
    assert set(names(make_league({"past": 1.0}))) == {"current"}


def test_who_has_which_seat_depends_on_the_game_alone():
    opponents = {"current": 1.0, "random": 1.0}
    few, many = (make_league(opponents, n=n) for n in (10, 400))
    assert (few.lineup.seats == many.lineup.seats[:10]).all()


def test_hard_opponents_come_more_often():
    league = make_league({"past": 1.0}, n=4, max_snapshots=2)
    for name in ("weak", "strong"):
        league.add_snapshot(name, weights(league))
    weak, strong = league.pool
    weak.games, weak.wins = 98.0, 69.0  # (69 + 1) / 100
    strong.games, strong.wins = 98.0, 39.0
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


def test_a_snapshot_is_active_for_a_round_of_games():
    """One plays at a time, until as many games have finished as are played in parallel."""
    league = make_league({"past": 1.0}, n=10, max_snapshots=9)
    for name in "123456789":
        league.add_snapshot(name, weights(league))
    met = []
    for _ in range(400):
        league.record_results(league.ended(np.array([0])))
        league.assign_seats(np.array([0]))
        met.append(names(league)[0])
    changes = [place for place in range(1, 400) if met[place] != met[place - 1]]
    assert set(met) == set("123456789")
    assert all(place % 10 == changes[0] % 10 for place in changes)


def test_results_are_recorded_by_rank():
    league = make_league({"random": 1.0}, n=1, players=3)
    league.lineup.seats[0] = [0, OUTSIDE, 0, NOBODY]
    end(league, 0, seat_scores=[5, 5, 3, 0])
    opponent = league.opponents[0]
    assert (opponent.games, opponent.wins) == (1.0, 0.75)  # level with one, above the other
    end(league, 0, seat_scores=[9, 5, 9, 0])
    assert (opponent.games, opponent.wins) == pytest.approx((1.99, 0.75 * 0.99))
    ((name, games, win_rate),) = league.payoffs()
    assert (name, games) == ("random", 2)
    assert win_rate == pytest.approx(0.7425 / 1.99)
    assert league.finished == 2


def test_self_play_tells_nothing_about_others():
    league = make_league({"current": 1.0, "random": 0.0}, n=1)
    end(league, 0, seat_scores=[1, 2, 3, 0])
    assert league.opponents[0].games == 0.0
    assert list(league.payoffs()) == []


def test_the_easiest_snapshot_is_dropped_but_never_the_newest():
    league = make_league({"past": 1.0}, max_snapshots=2)
    for name in ("1", "2"):
        league.add_snapshot(name, weights(league))
    league.pool[0].games = league.pool[0].wins = 50.0
    league.add_snapshot("3", weights(league))
    assert [snapshot.name for snapshot in league.pool] == ["2", "3"]
    # Even if it is the easiest of all by its figures.
    league.pool[0].games = 50.0
    league.pool[1].games = league.pool[1].wins = 50.0
    league.add_snapshot("4", weights(league))
    assert [snapshot.name for snapshot in league.pool][-1] == "4"


def test_a_dropped_snapshot_finishes_its_games():
    league = make_league({"past": 1.0, "random": 1.0}, n=50, max_snapshots=1)
    league.add_snapshot("1", weights(league))
    league.assign_seats(np.arange(50))
    before, seats = names(league), league.lineup.seats.copy()
    assert set(before) == {"1", "random"}
    league.add_snapshot("2", weights(league))
    assert [snapshot.name for snapshot in league.pool] == ["2"]
    assert names(league) == before
    assert ((league.lineup.seats >= 0) == (seats >= 0)).all()
    league.assign_seats(np.arange(50))
    league.add_snapshot("3", weights(league))
    assert [opponent.name for opponent in league.opponents] == ["random", "2", "3"]
    assert set(names(league)) == {"2", "random"}
    assert len(league.lineup.agents) == len(league.opponents)


@pytest.mark.parametrize("name", registry.names())
def test_everybody_keeps_a_seat_until_the_game_is_over(name):
    """In real games, seats change only as their game ends."""
    players = np.resize([count for count in registry.seats(name) if count > 1], 24)
    batch = Batch(name, 24, players=players, seed=1, autoreset=False)
    league = League({"current": 1.0, "random": 1.0}, batch, max_snapshots=1, seed=1)
    ended = 0
    while ended < 60:
        before = league.lineup.seats.copy()
        own = league.learner_decides()
        actions = batch.random_actions().astype(np.int64)
        others = np.flatnonzero(~own)
        actions[others] = league.decide(others)
        assert batch.mask[np.arange(24), actions].all()
        _, done = batch.step(actions)
        rows = np.flatnonzero(done)
        assert (league.lineup.seats == before).all()
        batch.restart(rows)
        league.record_results(league.ended(rows))
        league.assign_seats(rows)
        kept = np.setdiff1d(np.arange(24), rows)
        assert (league.lineup.seats[kept] == before[kept]).all()
        ended += len(rows)
    assert league.opponents[0].games > 0


def test_a_league_continues_where_another_stood():
    opponents = {"current": 1.0, "past": 1.0, "random": 1.0}
    league = make_league(opponents, n=60)
    for name in ("1", "2"):
        league.add_snapshot(name, weights(league, float(name)))
    league.assign_seats(np.arange(60))
    for row in range(60):
        end(league, row, seat_scores=[row % 3, 1, 2, 0])
    data = json.loads(json.dumps(league.to_json()))
    tensors = [snapshot.tensors for snapshot in league.snapshots]
    twin = make_league(opponents, n=60, seed=5)
    states = league.lineup.generators.states.copy()
    twin.restore(data, tensors, league.lineup.seats.copy(), states)
    assert twin.to_json() == league.to_json()
    for one in (league, twin):
        one.add_snapshot("3", weights(one))
        one.assign_seats(np.arange(60))
    assert (twin.lineup.seats == league.lineup.seats).all()
    assert twin.to_json() == league.to_json()
    rows = np.flatnonzero(~league.learner_decides())
    twin.batch.load(slice(None), league.batch.save(slice(None)))
    assert (twin.decide(rows) == league.decide(rows)).all()


def test_unknown_opponents_are_named():
    with pytest.raises(ValueError, match="there is no agent or folder 'grandmaster'"):
        make_league({"grandmaster": 1.0})


def test_a_snapshot_plays_as_its_policy_does():
    league = make_league({"past": 1.0}, n=8, players=2)
    learner = SelfPlayPPO(SB3SelfPlayVecEnv(league.batch), league, width=8, n_steps=8, device="cpu")
    assert isinstance(learner.policy, PolicyNetwork)
    league.add_snapshot("0", learner.policy.tensors())
    agent = league.pool[0].agent
    agent.greedy = True
    batch = league.batch
    chosen = agent.act(batch.obs, batch.mask, GameGenerators.of_games(0, np.arange(8)))
    with torch.no_grad():
        found = learner.policy.outputs(
            torch.as_tensor(batch.obs), torch.as_tensor(batch.mask.copy())
        )
    assert chosen.tolist() == found.log_probabilities.argmax(dim=1).tolist()
