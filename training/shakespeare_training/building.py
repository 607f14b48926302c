"""Building a learner, with its games and its league, from the settings of a run."""

from __future__ import annotations

import re
from functools import partial
from importlib.util import find_spec

import numpy as np
import torch

from shakespeare_agents.search.agent import SearchSettings
from shakespeare_env.checks.limits import require_memory
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_training.config import MLP, WEIGHTED, TrainingConfig
from shakespeare_training.learners.expert_iteration import ExpertIteration, ExpertIterationSettings
from shakespeare_training.learners.games import HostGames, LearnerGames
from shakespeare_training.learners.league import League
from shakespeare_training.learners.learner import Learner, Schedule, linear
from shakespeare_training.learners.ppo import PPO, PPOSettings
from shakespeare_training.learners.reward import OwnReward
from shakespeare_training.networks.mlp import MlpPolicy
from shakespeare_training.networks.own_network import make_own_policy, measured_bytes
from shakespeare_training.networks.policy import PolicyMaker

_SEAT_DECISIONS = 50
"""The approximate number of a seat's decisions in a game; 32 to 55 in the bundled games."""


def make_learner(config: TrainingConfig, device: str) -> Learner:
    """Build the learner that a run's settings describe, on a device (see `checked_device`).

    Raises:
        ValueError: an opponent cannot play, or there is no such device.
        TypeError, ImportError: a network or a reward of the user's own cannot be used.
        MemoryLimitError: the learner needs more memory than the machine has.
    """
    device = checked_device(device)
    if device == "cpu":
        size = "width" if config.network == MLP else "the size of the network"
        require_memory("the run", needed_bytes(config), f"lower n_envs, n_steps or {size}")
    batch = Batch(
        config.game,
        n=config.n_envs,
        players=np.resize(config.players, config.n_envs),  # the seat counts in turn
        seed=config.seed,
        autoreset=False,
        reward="score",
    )
    league = League(config.opponents, batch, max_snapshots=config.max_snapshots, seed=config.seed)
    if config.algorithm == "expert_iteration":
        return ExpertIteration(HostGames(league), _expert_iteration_settings(config, device))
    settings = _ppo_settings(config, device)
    games: LearnerGames = HostGames(league)
    if device != "cpu":
        from shakespeare_training.learners.device import DeviceGames  # it needs the extra cuda

        games = DeviceGames(league, config.n_steps, torch.device(device))
    return PPO(games, settings)


def _ppo_settings(config: TrainingConfig, device: str) -> PPOSettings:
    return PPOSettings(
        seed=config.seed,
        make_policy=_policy_maker(config),
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        learning_rate=_learning_rate(config),
        vf_coef=config.vf_coef,
        win_coef=config.win_coef,
        target_kl=config.target_kl,
        device=device,
        n_steps=config.n_steps,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        near_certain_share=config.near_certain_share,
        score_reward_coef=linear(config.score_reward_coef, config.score_reward_coef_end),
        win_reward_coef=config.win_reward_coef,
        ent_coef=linear(config.ent_coef, config.ent_coef_end),
        reward=None if config.reward == WEIGHTED else OwnReward(config.reward),
    )


def _policy_maker(config: TrainingConfig) -> PolicyMaker:
    if config.network == MLP:
        return partial(MlpPolicy.fresh, width=config.width)
    return partial(make_own_policy, config.network)


def _expert_iteration_settings(config: TrainingConfig, device: str) -> ExpertIterationSettings:
    search = SearchSettings(
        simulations=config.simulations,
        considered=config.considered,
        utility=config.utility,
        sharpness=config.sharpness,
        near_certain=config.near_certain,
        noise=config.noise,
    )
    return ExpertIterationSettings(
        seed=config.seed,
        make_policy=_policy_maker(config),
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        learning_rate=_learning_rate(config),
        vf_coef=config.vf_coef,
        win_coef=config.win_coef,
        device=device,
        search=search,
        horizon=config.horizon,
        temperature=config.temperature,
        warmup_decisions=config.warmup_decisions,
        target_sharpness=config.target_sharpness,
    )


def _learning_rate(config: TrainingConfig) -> Schedule:
    return linear(config.learning_rate, config.learning_rate * config.learning_rate_end)


def checked_device(name: str) -> str:
    """Return the name of a PyTorch device.

    `auto` chooses a GPU if there is one and the extra `cuda` is installed, else the CPU.

    Raises:
        ValueError: there is no such device here.
    """
    if name == "auto":
        is_usable = torch.cuda.is_available() and find_spec("numba_cuda") is not None
        return "cuda" if is_usable else "cpu"
    parts = re.fullmatch(r"cpu|cuda(?::(\d+))?", name)
    if parts is None:
        raise ValueError(f"device={name!r}: choose cpu, cuda, cuda:1, ... or auto")
    if name != "cpu" and int(parts[1] or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"device={name!r}: PyTorch {torch.__version__} finds "
            f"{torch.cuda.device_count()} CUDA devices here; use --device cpu"
        )
    return name


def needed_bytes(config: TrainingConfig) -> int:
    """Estimate the memory of a run's large arrays: games, decisions, networks, a minibatch.

    The factors below are approximate numbers of bytes for an input, an action, a seat or a unit of
    the network. A network of the user's own is made, and measured.
    """
    game = registry.game(config.game)
    inputs = game.layout.size
    actions = game.actions.size
    seats = game.max_seats
    if config.network == MLP:
        network = 4 * config.width * (inputs + actions + 2 * config.width)
        layers = 20 * config.width
    else:
        policy = make_own_policy(config.network, game, torch.Generator())
        network = sum(tensor.nbytes for tensor in policy.network.state_dict().values())
        layers = 2 * measured_bytes(policy)  # with gradients
    snapshots = min(config.max_snapshots, config.decisions // config.snapshot_every)
    if config.algorithm == "ppo":
        decisions = config.n_envs * (seats + config.n_steps)
        bytes_per_decision = inputs + actions + 40 * seats
    else:
        decisions = config.n_envs * max(config.players) * _SEAT_DECISIONS
        # Twice, because decisions are held in shards and in the group that is joined from them.
        bytes_per_decision = 2 * (inputs + 9 * actions + 8 * seats)
    minibatch = min(config.batch_size, decisions) * (5 * inputs + 20 * actions + layers)
    games = config.n_envs * (game.state.itemsize + inputs + actions)
    networks = (4 + snapshots) * network  # the learner's with its gradient and Adam's two moments
    return games + decisions * bytes_per_decision + networks + minibatch
