"""Tests of `DeviceBatch` and `DeviceGames` in Numba's simulator.

Run `python -m tests.device.simulated PART`, with one of `PARTS`. Environment variables must switch
the simulator on (see `compile/device.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from shakespeare_agents.networks.models import TorchModel, model_agent
from shakespeare_agents.search.agent import SearchAgent, SearchSettings, advisor_search
from shakespeare_env import Batch, DeviceBatch, IllegalMove, PositionError
from shakespeare_env.compile.device import SIMULATED
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import DeviceError
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import OUTSIDE
from shakespeare_training.learners.device import DeviceGames
from shakespeare_training.learners.device_search import DevicePlayouts, device_search
from shakespeare_training.learners.expert_iteration import ExpertIteration, ExpertIterationSettings
from shakespeare_training.learners.games import HostGames
from shakespeare_training.learners.league import League
from shakespeare_training.learners.ppo import PPO, PPOSettings
from shakespeare_training.learners.reward import OwnReward, Standing
from shakespeare_training.learners.rollout import CHANGE, NO_DECISION, SHARE
from shakespeare_training.networks.mlp import MlpPolicy
from shakespeare_training.networks.own_network import make_own_policy

ARRAYS = ["obs", "mask", "to_move", "players", "rewards", "done", "final_scores", "final_winners"]
"""The arrays that both kinds of batch show."""
GPU = torch.device("cuda")
HERE = "tests.device.simulated"
"""The name of this module, which runs as `__main__`."""


def pair(name: str, players: Any, **arguments: Any) -> tuple[Batch, DeviceBatch]:
    """Return the same games in a batch on the CPU and in one on the GPU."""
    arguments = {"n": len(players), "players": players, "seed": 3, **arguments}
    return Batch(name, **arguments), DeviceBatch(name, **arguments)


def assert_equal_arrays(host: Batch, device: DeviceBatch, names: list[str]) -> None:
    for name in names:
        np.testing.assert_array_equal(getattr(host, name), getattr(device, name).numpy(), name)


def assert_equal(host: Batch, device: DeviceBatch) -> None:
    assert_equal_arrays(host, device, ARRAYS)
    np.testing.assert_array_equal(host.scores(), device.scores().numpy())
    assert host.save(slice(None)).tobytes() == device.save(slice(None)).tobytes()


def step(host: Batch, device: DeviceBatch) -> None:
    """Play a random move in every game."""
    actions = host.random_actions()
    host.step(actions)
    device.step(torch.from_numpy(actions))


def play_until_a_game_ends(batch: Batch) -> None:
    while not batch.done.any():
        batch.step(batch.random_actions())


def complete_games(name: str) -> None:
    """Games at every table are equal to the CPU's, byte for byte, after every step."""
    host, device = pair(name, [*registry.seats(name)], autoreset=False)
    while (host.to_move >= 0).any():
        assert_equal(host, device)
        actions = host.random_actions()
        actions_on_device = device.random_actions()
        np.testing.assert_array_equal(actions, actions_on_device.numpy())
        host.step(actions)
        device.step(actions_on_device)
    assert_equal(host, device)


def rewards_and_next_games() -> None:
    """Every kind of reward is the CPU's, also when new games follow games that have ended."""
    for reward in ("win", "margin", "rank", "score"):
        host, device = pair("figaro", [3, 3, 5], reward=reward)
        play_until_a_game_ends(host)
        device.load(slice(None), host.save(slice(None)))
        ended = host.done.copy()
        while not (ended | host.done)[1:].all():
            step(host, device)
            assert_equal_arrays(host, device, ["obs", "mask", "to_move", "rewards", "done"])
            ended |= host.done


def a_variant() -> None:
    """Games with a variant of the rules are equal to the CPU's."""
    host, device = pair("shakespeare", [2, 3], strategic_rest=True)
    for _ in range(40):
        step(host, device)
        assert_equal(host, device)


def some_rows() -> None:
    """Only the rows that are named are stepped, restarted and reset."""
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


def records() -> None:
    """Records of each kind of batch can be loaded into the other. Damaged ones are refused."""
    host, device = pair("figaro", [3, 4, 5, 6])
    for _ in range(8):
        step(host, device)
    other_host, other_device = pair("figaro", [6, 5, 4, 3], seed=8)
    other_host.load(slice(None), device.save(slice(None)))
    other_device.load(slice(None), host.save(slice(None)))
    assert_equal_arrays(other_host, other_device, ["obs", "mask", "to_move", "players"])
    assert other_host.save([0, 2]).tobytes() == other_device.save([0, 2]).tobytes()
    damaged = host.save([0])
    damaged["to_move"] = 5
    with pytest.raises(PositionError):
        other_device.load([0], damaged)


def illegal_moves() -> None:
    """A game stops at an illegal action until `synchronize` reports it. Other games go on."""
    host, device = pair("figaro", [3, 4, 5])
    before = device.save(slice(None))
    for illegal in (int(np.argmin(host.mask[1])), -1, 10**6, 2**40):
        device.load(slice(None), before)
        actions = device.random_actions().long()
        actions[1] = illegal
        _, done = device.step(actions)
        device.step(device.random_actions())
        assert not done[1]
        with pytest.raises(IllegalMove) as raised:
            device.synchronize()
        assert raised.value.game_index == 1
        assert raised.value.seat == host.to_move[1]
        device.synchronize()
        after = device.save(slice(None))
        assert after[1].tobytes() == before[1].tobytes()
        assert after[0].tobytes() != before[0].tobytes()
    for wrong in (torch.zeros(2), [1, 2, 3], torch.zeros(3)):
        with pytest.raises((TypeError, ValueError), match="actions"):
            device.step(wrong)  # type: ignore[arg-type]


def refusals() -> None:
    """A device or a variant that does not exist is refused."""
    with pytest.raises(DeviceError, match="Batch"):
        DeviceBatch("figaro", players=3, device="cpu")
    with pytest.raises(TypeError, match="strategic_rest"):
        DeviceBatch("figaro", players=3, strategic_rest=True)


def learner(opponents: dict[str, float], *, is_on_device: bool, **parts: Any) -> PPO:
    """Return a learner with a few games that will end soon."""
    batch = Batch("figaro", n=8, players=[3, 4] * 4, seed=1, autoreset=False, reward="score")
    play_until_a_game_ends(batch)
    batch.restart(np.flatnonzero(batch.done))
    league = League(opponents, batch, max_snapshots=2, seed=1)
    games = DeviceGames(league, 24, GPU) if is_on_device else HostGames(league)
    settings = PPOSettings(
        seed=3,
        batch_size=64,
        n_epochs=10,
        n_steps=24,
        learning_rate=lambda _left: 3e-4,
        near_certain_share=0.5,
        target_kl=0.03,
        **({"make_policy": partial(MlpPolicy.fresh, width=16)} | parts),
    )
    return PPO(games, settings)


def heuristic_opponents() -> None:
    """Heuristic opponents choose as on the CPU, and draw from the same generators."""
    ppo = learner({"heuristic": 1.0}, is_on_device=False)
    device = DeviceGames(ppo.league, 4, GPU)
    host = ppo.games
    device.begin_rollout(np.random.default_rng(0))
    zeros = torch.zeros(8, dtype=torch.int64)
    on_device = device.fill_in_opponents(zeros.clone())
    on_host = host.fill_in_opponents(zeros.clone())
    assert torch.equal(on_device, on_host)
    assert bool((on_device[~device.learner_to_move] != 0).any())
    states = ppo.league.lineup.generators.states.view(np.int64)
    np.testing.assert_array_equal(device.states.numpy(), states)


def seats_drawn_during_a_rollout() -> None:
    """The next rollout keeps the seats that were drawn when new games began in the last one."""
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
    """Weights that are not finite raise the same error as on the CPU, though later."""
    for is_on_device in (True, False):
        ppo = learner({"current": 1.0}, is_on_device=is_on_device)
        network: Any = ppo.policy.network
        torch.nn.init.constant_(network.action.weight, torch.nan)
        with pytest.raises(FloatingPointError, match="too large"):
            ppo.learn(24)


def a_league() -> None:
    """Rollouts play against snapshots and heuristics, and all actions of the learner are legal."""
    opponents = {"past": 0.6, "heuristic": 0.4}
    ppo = learner(opponents, is_on_device=True)
    on_host = learner(opponents, is_on_device=False)
    assert torch.equal(ppo.games.learner_to_move, on_host.games.learner_to_move)
    for _ in range(3):
        ppo.learn(80)
        ppo.add_snapshot()
    assert ppo.league.finished >= 2
    assert sum(opponent.games for opponent in ppo.league.opponents) > 0
    assert ((ppo.league.lineup.seats == OUTSIDE).sum(axis=1) >= 1).all()
    is_decision = ppo.rollout.seats >= 0
    masks = ppo.rollout.decisions["masks"][is_decision]
    actions = ppo.rollout.decisions["actions"][is_decision]
    assert masks.gather(1, actions[:, None]).all()


class Module(torch.nn.Module):
    """A network such as users may write."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.sizes = [game.actions.size, game.max_seats, game.max_seats]
        self.layer = torch.nn.Linear(game.layout.size, sum(self.sizes))

    def forward(self, observations: torch.Tensor) -> dict[str, torch.Tensor]:
        outputs = self.layer(observations).split(self.sizes, dim=1)
        return dict(zip(("logits", "win_logits", "changes"), outputs, strict=True))


def victory(before: Standing, after: Standing) -> torch.Tensor:
    return after.shares - before.shares


def parts_of_ones_own() -> None:
    """Modules learn and play, as snapshots too, and rewards see the standings."""
    ppo = learner(
        {"past": 0.8, "current": 0.2},
        is_on_device=True,
        make_policy=partial(make_own_policy, f"{HERE}:Module"),
        reward=OwnReward(f"{HERE}:victory"),
    )
    ended = 0
    for _ in range(3):
        before = ppo.policy.tensors()["layer.weight"]
        ppo.learn(80)
        assert (ppo.policy.tensors()["layer.weight"] != before).any()
        ppo.add_snapshot()
        gains = ppo.rollout.gains
        assert torch.equal(gains[..., CHANGE], gains[..., SHARE])
        ended += int((gains[..., CHANGE] > 0).any(dim=2).sum())
    assert ended >= 2
    assert (ppo.rollout.seats[-1] == NO_DECISION).any(), "a snapshot decided"
    (slot, *_) = ppo.games._slots  # type: ignore[attr-defined]
    opponent = ppo.league.opponents[int(slot.index)]
    on_device = slot.network(ppo.games.obs, ppo.games.mask).softmax(dim=1)
    agent: Any = opponent.agent
    on_host = agent.probabilities(ppo.games.obs.numpy(), ppo.games.mask.numpy())
    np.testing.assert_allclose(on_device.numpy(), on_host, atol=1e-6)


def opponents_for_the_cpu_only() -> None:
    """An opponent without a policy for the GPU is refused."""
    league = learner({"random": 1.0}, is_on_device=False).league
    with pytest.raises(DeviceError, match=r"'random' plays on the CPU only"):
        DeviceGames(league, 4, GPU)


def secret_choices(name: str, players: list[int]) -> Batch:
    """Return games in which seats to move do not know what others have just chosen."""
    batch = Batch(name, n=len(players), players=players, seed=3, autoreset=False)
    while not all(batch.game.rules.rewind(record) for record in batch.save(slice(None))):
        batch.step(batch.random_actions())
    return batch


def searches() -> None:
    """A search plays the playouts that it plays on the CPU, to the end and to a horizon.

    Games are those of the CPU move by move, because draws are the same.
    """
    almost_over = Batch("figaro", n=3, players=[3, 4, 4], seed=3, autoreset=False)
    play_until_a_game_ends(almost_over)
    secrets = secret_choices("shakespeare", [2, 4])
    cases = [(almost_over, 10**6, 0.7), (secrets, 1, 1.0), (secrets, 1, 0.0)]
    for batch, horizon, temperature in cases:
        rows = np.flatnonzero(batch.to_move >= 0)
        policy = MlpPolicy.fresh(batch.game, torch.Generator().manual_seed(1), width=16)
        rng = torch.Generator().manual_seed(2)
        for head in (policy.network.win, policy.network.score, policy.network.action):
            torch.nn.init.normal_(head.weight, generator=rng)
        settings = SearchSettings(simulations=4, considered=2, near_certain=1.0)
        limits: Any = {"horizon": horizon, "temperature": temperature}
        agent: Any = model_agent(TorchModel(policy.network), batch.game)
        results = []
        for search in (
            advisor_search(batch.game, agent, settings, **limits),
            device_search(policy, settings, device=GPU, **limits),
        ):
            generators = GameGenerators.of_games(0, rows)
            result = search.look_ahead(InformationSets(batch, rows), generators)
            results.append((result, search.runner.decisions))
        (on_host, host_decisions), (on_device, device_decisions) = results
        assert host_decisions == device_decisions > 4 * len(rows)
        assert (on_device.visits.sum(axis=1) == 4).all()
        np.testing.assert_array_equal(on_device.visits, on_host.visits)
        np.testing.assert_allclose(on_device.values, on_host.values, atol=1e-6)
        np.testing.assert_array_equal(on_device.actions, on_host.actions)


def expert_iteration() -> None:
    """A round of games with search teaches the same as on the CPU, in one shard of all games."""
    weights = []
    for make_search in (None, partial(device_search, device=GPU)):
        batch = Batch("figaro", n=9, players=[3] * 9, seed=1, autoreset=False, reward="score")
        play_until_a_game_ends(batch)
        ended = np.flatnonzero(batch.done)
        batch.load(ended, batch.save((ended + 1) % 9))
        league = League({"current": 1.0}, batch, max_snapshots=2, seed=1)
        limits: Any = {"horizon": 0, "temperature": 1.0}
        settings = ExpertIterationSettings(
            seed=3,
            make_policy=partial(make_own_policy, f"{HERE}:Module"),
            batch_size=64,
            n_epochs=2,
            learning_rate=lambda _left: 1e-3,
            search=SearchSettings(simulations=2, considered=2, near_certain=1.0),
            warmup_decisions=0,
            target_sharpness=50.0,
            **limits,
        )
        if make_search is not None:
            make_search = partial(make_search, settings=settings.search, **limits)
        learner = ExpertIteration(HostGames(league), settings, make_device_search=make_search)
        before = learner.policy.tensors()["layer.weight"]
        learner.collect()
        assert learner.decisions is not None
        assert learner.decisions["advantages"].any()
        (expert,) = learner.experts()
        if make_search is not None:
            assert isinstance(expert, SearchAgent)
            assert isinstance(expert.runner, DevicePlayouts)
            assert expert.runner.decisions > len(learner.decisions["games"])
        learner.train()
        weights.append(learner.policy.tensors()["layer.weight"])
        assert not np.array_equal(weights[-1], before)
    np.testing.assert_allclose(weights[0], weights[1], atol=1e-5)


PARTS: dict[str, list[Callable[[], None]]] = {
    "games": [
        *(partial(complete_games, name) for name in registry.names()),
        rewards_and_next_games,
        a_variant,
        some_rows,
        records,
        illegal_moves,
        refusals,
    ],
    "learning": [
        heuristic_opponents,
        seats_drawn_during_a_rollout,
        exploded_weights,
        a_league,
        parts_of_ones_own,
        opponents_for_the_cpu_only,
    ],
    "searching": [searches, expert_iteration],
}

if __name__ == "__main__":
    assert SIMULATED
    for part in PARTS[sys.argv[1]]:
        part()
