"""Tests of `DeviceBatch` in Numba's simulator: `python -m tests.device.simulated PART`.

The environment must switch the simulator on; see `compile/device.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from shakespeare_env import Batch, DeviceBatch, IllegalMove, PositionError
from shakespeare_env.compile.device import SIMULATED
from shakespeare_env.core import registry
from shakespeare_env.errors import DeviceError
from shakespeare_env.play.lineup import OUTSIDE
from shakespeare_training.device import DeviceGames
from shakespeare_training.games import HostGames
from shakespeare_training.league import League
from shakespeare_training.ppo import PPO, PPOSettings

SHOWN = ["obs", "mask", "to_move", "players", "rewards", "done", "final_scores", "final_winners"]
GPU = torch.device("cuda")


def pair(name: str, players: Any, **arguments: Any) -> tuple[Batch, DeviceBatch]:
    """Return the same games in both kinds of batch."""
    arguments = {"n": len(players), "players": players, "seed": 3, **arguments}
    return Batch(name, **arguments), DeviceBatch(name, **arguments)


def assert_equal(host: Batch, device: DeviceBatch) -> None:
    for name in SHOWN:
        np.testing.assert_array_equal(getattr(host, name), getattr(device, name).numpy(), name)
    assert host.save(slice(None)).tobytes() == device.save(slice(None)).tobytes()


def step(host: Batch, device: DeviceBatch) -> None:
    """Play a random move in every game."""
    actions = host.random_actions()
    host.step(actions)
    device.step(torch.from_numpy(actions))


def late(batch: Batch) -> None:
    """Play until a game ends, so that others are about to."""
    while not batch.done.any():
        batch.step(batch.random_actions())


def whole_games(name: str) -> None:
    """Games at every table are those of the CPU, byte for byte, after every step."""
    host, device = pair(name, [*registry.seats(name)], autoreset=False)
    while (host.to_move >= 0).any():
        assert_equal(host, device)
        actions = host.random_actions()
        there = device.random_actions()
        np.testing.assert_array_equal(actions, there.numpy())
        host.step(actions)
        device.step(there)
    assert_equal(host, device)


def rewards_and_next_games() -> None:
    """Every reward, and games that follow each other, with a variant."""
    for reward in ("win", "margin", "rank", "score"):
        host, device = pair("figaro", [3, 3, 5], reward=reward)
        late(host)
        device.load(slice(None), host.save(slice(None)))
        ended = host.done.copy()
        while not (ended | host.done)[1:].all():
            step(host, device)
            for name in ("obs", "mask", "to_move", "rewards", "done"):
                np.testing.assert_array_equal(getattr(host, name), getattr(device, name).numpy())
            ended |= host.done
    host, device = pair("shakespeare", [2, 3], strategic_rest=True)
    for _ in range(40):
        step(host, device)
        assert_equal(host, device)


def some_games_and_records() -> None:
    """Steps of some games, new games in some rows, and records that go from one to the other."""
    host, device = pair("figaro", [3, 4, 5, 6])
    rows = np.array([1, 3])
    for _ in range(8):
        actions = host.random_actions()
        device.random_actions()
        host.step(actions[rows], rows)
        device.step(torch.from_numpy(actions[rows]), torch.from_numpy(rows))
        assert_equal(host, device)
    host.restart(rows)
    device.restart(rows)
    assert_equal(host, device)
    host.reset(9, deals=[5, 5], rows=rows)
    device.reset(9, deals=[5, 5], rows=rows)
    assert_equal(host, device)
    other, there = pair("figaro", [6, 5, 4, 3], seed=8)
    other.load(slice(None), device.save(slice(None)))
    there.load(slice(None), host.save(slice(None)))
    for name in ("obs", "mask", "to_move", "players"):
        np.testing.assert_array_equal(getattr(other, name), getattr(there, name).numpy())
    assert other.save([0, 2]).tobytes() == there.save([0, 2]).tobytes()
    damaged = host.save([0])
    damaged["to_move"] = 5
    with pytest.raises(PositionError):
        there.load([0], damaged)


def illegal_moves() -> None:
    """A game with an illegal action stands still until it is told of; the others go on."""
    host, device = pair("figaro", [3, 4, 5])
    before = device.save(slice(None))
    for illegal in (int(np.argmin(host.mask[1])), -1, 10**6, 2**40):
        device.load(slice(None), before)
        actions = device.random_actions().long()
        actions[1] = illegal
        _, done = device.step(actions)
        device.step(device.random_actions())
        assert not done[1]
        with pytest.raises(IllegalMove) as told:
            device.synchronize()
        assert told.value.game_index == 1
        assert told.value.seat == host.to_move[1]
        device.synchronize()
        after = device.save(slice(None))
        assert after[1].tobytes() == before[1].tobytes()
        assert after[0].tobytes() != before[0].tobytes()
    for wrong in (torch.zeros(2), [1, 2, 3], torch.zeros(3)):
        with pytest.raises((TypeError, ValueError), match="actions"):
            device.step(wrong)  # type: ignore[arg-type]


def refusals() -> None:
    """A batch that cannot be made is refused before anything is allocated."""
    with pytest.raises(DeviceError, match="Batch"):
        DeviceBatch("figaro", players=3, device="cpu")
    with pytest.raises(TypeError, match="strategic_rest"):
        DeviceBatch("figaro", players=3, strategic_rest=True)


def learner(opponents: dict[str, float], *, is_on_device: bool) -> PPO:
    """Return a learner of a few games that are about to end."""
    batch = Batch("figaro", n=8, players=[3, 4] * 4, seed=1, autoreset=False, reward="score")
    late(batch)
    batch.restart(np.flatnonzero(batch.done))
    league = League(opponents, batch, max_snapshots=2, seed=1)
    games = DeviceGames(league, 24, GPU) if is_on_device else HostGames(league)
    settings = PPOSettings(
        seed=3,
        width=16,
        batch_size=64,
        n_epochs=10,
        n_steps=24,
        learning_rate=lambda _left: 3e-4,
        near_certain_share=0.5,
        target_kl=0.03,
    )
    return PPO(games, settings)


def heuristic_opponents() -> None:
    """Heuristic opponents choose as on the CPU, and draw from the same generators."""
    made = learner({"heuristic": 1.0}, is_on_device=False)
    device = DeviceGames(made.league, 4, GPU)
    host = made.games
    device.begin_rollout(np.random.default_rng(0))
    nothing = torch.zeros(8, dtype=torch.int64)
    theirs = device.fill_in_opponents(nothing.clone())
    ours = host.fill_in_opponents(nothing.clone())
    assert torch.equal(theirs, ours)
    assert bool((theirs[~device.learner_to_move] != 0).any())
    states = made.league.lineup.generators.states.view(np.int64)
    np.testing.assert_array_equal(device.states.numpy(), states)


def games_before_a_rollout() -> None:
    """Seats drawn while games are played up to moments of their own stay as they are."""
    games = learner({"heuristic": 1.0}, is_on_device=True).games
    assert isinstance(games, DeviceGames)
    games.begin_rollout(np.random.default_rng(0))
    first = games._seats.clone()
    while torch.equal(games._seats, first):
        games.step(games.batch.random_actions())
    seats = games._seats.clone()
    states = games.states.clone()
    games.begin_rollout(np.random.default_rng(0))
    assert torch.equal(games._seats, seats)
    assert torch.equal(games.states, states)
    np.testing.assert_array_equal(games.league.lineup.seats, seats.numpy())


def exploded_weights() -> None:
    """Weights that explode are told of as on the CPU, however late."""
    for is_on_device in (True, False):
        made = learner({"current": 1.0}, is_on_device=is_on_device)
        torch.nn.init.constant_(made.policy.action.weight, torch.nan)
        with pytest.raises(FloatingPointError, match="too large"):
            made.learn(24)


def a_league() -> None:
    """Rollouts have snapshots and heuristics; each game's seats follow from it alone."""
    opponents = {"past": 0.6, "heuristic": 0.4}
    made = learner(opponents, is_on_device=True)
    host = learner(opponents, is_on_device=False)
    assert torch.equal(made.games.learner_to_move, host.games.learner_to_move)
    for _ in range(3):
        made.learn(80)
        made.league.add_snapshot(f"{made.num_timesteps}", made.policy.tensors())
    league = made.league
    assert league.finished >= 2
    assert sum(opponent.games for opponent in league.opponents) > 0
    seats = league.lineup.seats
    assert ((seats == OUTSIDE).sum(axis=1) >= 1).all()
    own = made.rollout.seats
    masks = made.rollout.decisions["masks"][own >= 0]
    actions = made.rollout.decisions["actions"][own >= 0]
    assert masks.gather(1, actions[:, None]).all()
    with pytest.raises(DeviceError, match=r"'random' plays on the CPU only"):
        DeviceGames(learner({"random": 1.0}, is_on_device=False).league, 4, GPU)


PARTS: dict[str, list[Callable[[], None]]] = {
    "whole games": [partial(whole_games, name) for name in registry.names()],
    "a batch": [rewards_and_next_games, some_games_and_records, illegal_moves, refusals],
    "learning": [heuristic_opponents, games_before_a_rollout, exploded_weights, a_league],
}

if __name__ == "__main__":
    assert SIMULATED
    for part in PARTS[sys.argv[1]]:
        part()
