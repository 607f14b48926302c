"""Who sits where: shares, whole games, hard opponents first, and a state that can be kept."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from shakespeare_env import Batch, registry
from tests.training.toy_game import make_toy
from shakespeare_training.league import LEARNER, NOBODY, League, standings
from shakespeare_training.ppo.policy import PolicyNetwork

pytestmark = pytest.mark.usefixtures("toy_box")


def make_league(opponents, *, n=400, players=3, snapshots=3, seed=0):
    batch = make_toy(n, players=players, seed=seed, autoreset=False)
    return League(opponents, batch, snapshots=snapshots, seed=seed)


def weights(league, value=0.0):
    """Some weights of the right shapes; they are never asked to play."""
    from shakespeare_agents.network import Network

    game = league.game
    shapes = Network.shapes(4, game.layout.size, game.actions.size)
    return {name: np.full(shape, value, np.float32) for name, shape in shapes.items()}


def kinds(league):
    """Which opponent each game has; LEARNER where there is none."""
    return np.where(league.lineup >= 0, league.lineup, LEARNER).max(axis=1)


def end(league, row, *, seat_scores):
    league.batch.final_scores[row] = seat_scores
    league.finish(np.array([row]))


def test_shares_are_the_configured_ones():
    league = make_league({"current": 2.0, "random": 1.0, "past": 1.0}, n=8000)
    league.add_version("1", weights(league))
    league.sit_down(np.arange(8000))
    counts = Counter(kinds(league).tolist())
    random, past = 0, league.past[0]
    assert counts[LEARNER] / 8000 == pytest.approx(0.5, abs=0.02)
    assert counts[random] / 8000 == pytest.approx(0.25, abs=0.02)
    assert counts[past] / 8000 == pytest.approx(0.25, abs=0.02)


def test_the_learner_has_one_seat_among_opponents_and_every_seat_as_often():
    league = make_league({"random": 1.0}, n=6000, players=3)
    assert ((league.lineup == LEARNER).sum(axis=1) == 1).all()
    assert (league.lineup[:, 3] == NOBODY).all()
    seats = Counter((league.lineup == LEARNER).argmax(axis=1).tolist())
    assert all(abs(seats[seat] - 2000) < 150 for seat in range(3))


def test_nobody_sits_with_a_learner_who_plays_alone():
    league = make_league({"random": 1.0}, players=1)
    assert (league.lineup[:, 0] == LEARNER).all()
    assert (league.lineup[:, 1:] == NOBODY).all()


def test_without_earlier_versions_the_learner_plays_itself():
    league = make_league({"past": 1.0})
    assert (league.lineup[:, :3] == LEARNER).all()


def test_hard_opponents_come_more_often():
    league = make_league({"past": 1.0}, n=4, snapshots=2)
    for name in ("weak", "strong"):
        league.add_version(name, weights(league))
    weak, strong = league.past
    league.members[weak].games, league.members[weak].beaten = 98.0, 69.0  # (69 + 1) / 100
    league.members[strong].games, league.members[strong].beaten = 98.0, 39.0
    guests: Counter[int | None] = Counter()
    for _ in range(2000):
        league.finished += 4
        league.sit_down(np.arange(4))
        assert set(kinds(league).tolist()) == {league.guest}
        guests[league.guest] += 1
    # Weights 0.3^2 and 0.6^2.
    assert guests[strong] / 2000 == pytest.approx(0.36 / 0.45, abs=0.03)


def test_a_version_is_the_guest_for_a_round_of_games():
    """Few versions play at a time: one comes when as many games have ended as are played."""
    league = make_league({"past": 1.0}, n=10, snapshots=9)
    for name in "123456789":
        league.add_version(name, weights(league))
    met = []
    for _ in range(400):
        league.finish(np.array([0]))
        league.sit_down(np.array([0]))
        met.append(int(kinds(league)[0]))
    changes = [place for place in range(1, 400) if met[place] != met[place - 1]]
    assert set(met) == set(league.past)
    assert all(place % 10 == changes[0] % 10 for place in changes)


def test_results_are_noted_by_rank():
    league = make_league({"random": 1.0}, n=1, players=3)
    league.lineup[0] = [0, LEARNER, 0, NOBODY]
    end(league, 0, seat_scores=[5, 5, 3, 0])
    member = league.members[0]
    assert (member.games, member.beaten) == (1.0, 0.75)  # equal to one, better than the other
    end(league, 0, seat_scores=[9, 5, 9, 0])
    assert (member.games, member.beaten) == pytest.approx((1.99, 0.75 * 0.99))
    ((name, games, rate),) = standings(league)
    assert (name, games) == ("random", 2)
    assert rate == pytest.approx(0.7425 / 1.99)
    assert league.finished == 2


def test_games_of_the_learner_alone_tell_nothing_about_others():
    league = make_league({"current": 1.0, "random": 0.0}, n=1)
    end(league, 0, seat_scores=[1, 2, 3, 0])
    assert league.members[0].games == 0.0
    assert standings(league) == []


def test_the_easiest_version_goes_but_never_the_newest():
    league = make_league({"past": 1.0}, snapshots=2)
    for name in ("1", "2"):
        league.add_version(name, weights(league))
    first, second = league.past
    league.members[first].games = league.members[first].beaten = 50.0
    league.add_version("3", weights(league))
    assert league.past == [second, second + 1]
    # Even if it is the easiest of all by its figures.
    league.members[second].games = 50.0
    league.members[second + 1].games = league.members[second + 1].beaten = 50.0
    league.add_version("4", weights(league))
    assert league.past == [second, second + 2] or league.past == [second + 1, second + 2]
    assert [league.members[number].name for number in league.past][-1] == "4"


def test_a_version_that_is_let_go_finishes_its_games():
    league = make_league({"past": 1.0}, n=50, snapshots=1)
    league.add_version("1", weights(league))
    first = league.past[0]
    league.sit_down(np.arange(50))
    before = league.lineup.copy()
    league.add_version("2", weights(league))
    assert first not in league.past
    assert first in league.members
    assert (league.lineup == before).all()
    league.sit_down(np.arange(50))
    league.add_version("3", weights(league))
    assert first not in league.members


@pytest.mark.parametrize("name", registry.names())
def test_everybody_keeps_a_seat_until_the_game_is_over(name):
    """Played through a real game: a lineup changes only as its game ends."""
    players = np.resize([count for count in registry.seats(name) if count > 1], 24)
    batch = Batch(name, 24, players=players, seed=1, autoreset=False)
    league = League({"current": 1.0, "random": 1.0}, batch, snapshots=1, seed=1)
    ended = 0
    while ended < 60:
        before = league.lineup.copy()
        own = league.learner_decides()
        actions = batch.random_actions().astype(np.int64)
        others = np.flatnonzero(~own)
        actions[others] = league.decide(others)
        assert batch.mask[np.arange(24), actions].all()
        _, done = batch.step(actions)
        rows = np.flatnonzero(done)
        assert (league.lineup == before).all()
        batch.restart(rows)
        league.finish(rows)
        league.sit_down(rows)
        kept = np.setdiff1d(np.arange(24), rows)
        assert (league.lineup[kept] == before[kept]).all()
        ended += len(rows)
    assert league.members[0].games > 0


def test_an_opponent_with_other_weights_is_another_opponent(tmp_path):
    from shakespeare_agents.checkpoint import save_checkpoint
    from shakespeare_env.errors import CheckpointError

    def saved(value):
        return save_checkpoint(
            folder,
            weights(league_of_names, value),
            league_of_names.game,
            players=[2],
            command="",
            settings={},
            figures={},
        )

    folder = tmp_path / "rival"
    league_of_names = make_league({"random": 1.0})
    saved(0.5)
    opponents = {str(folder): 1.0, "random": 1.0}
    data = make_league(opponents).to_json()
    lineup = make_league(opponents).lineup
    make_league(opponents).restore(data, {}, lineup)
    saved(0.25)
    with pytest.raises(CheckpointError, match="rival' has other weights"):
        make_league(opponents).restore(data, {}, lineup)


def test_a_league_goes_on_where_another_stood():
    opponents = {"current": 1.0, "past": 1.0, "random": 1.0}
    league = make_league(opponents, n=60)
    for name in ("1", "2"):
        league.add_version(name, weights(league, float(name)))
    league.sit_down(np.arange(60))
    for row in range(60):
        end(league, row, seat_scores=[row % 3, 1, 2, 0])
    data = json.loads(json.dumps(league.to_json()))
    versions = {n: m.tensors for n, m in league.members.items() if m.tensors is not None}
    twin = make_league(opponents, n=60, seed=5)
    twin.restore(data, versions, league.lineup.copy())
    assert twin.to_json() == league.to_json()
    for one in (league, twin):
        one.add_version("3", weights(one))
        one.sit_down(np.arange(60))
    assert (twin.lineup == league.lineup).all()
    assert twin.to_json() == league.to_json()


def test_unknown_opponents_are_named():
    with pytest.raises(ValueError, match="no agent is named 'grandmaster'"):
        make_league({"grandmaster": 1.0})


def test_versions_play_what_their_weights_say():
    """A version kept from a policy chooses as that policy does."""
    import torch

    from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
    from shakespeare_training.ppo.self_play import SelfPlayPPO

    league = make_league({"past": 1.0}, n=8, players=2)
    learner = SelfPlayPPO(SB3SelfPlayVecEnv(league.batch), league, width=8, n_steps=8, device="cpu")
    assert isinstance(learner.policy, PolicyNetwork)
    league.add_version("0", learner.policy.tensors())
    agent = league.members[league.past[0]].agent
    agent.greedy = True
    batch = league.batch
    chosen = agent.act(batch.obs, batch.mask, np.random.default_rng(0))
    with torch.no_grad():
        found, _ = learner.policy.masked_log_probabilities(
            torch.as_tensor(batch.obs), torch.as_tensor(batch.mask)
        )
    assert chosen.tolist() == found.argmax(dim=1).tolist()
