"""Building a learner, with its games and its league, from the settings of a run."""

from __future__ import annotations

import ctypes
import math
import re
import sys
from functools import partial
from importlib.util import find_spec

import numpy as np
import torch
from loky import cpu_count

from shakespeare_agents.search.agent import SearchSettings
from shakespeare_env.checks.limits import require_memory, total_memory
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_training.config import MLP, WEIGHTED, TrainingConfig
from shakespeare_training.group import ALONE, ProcessGroup
from shakespeare_training.learners.expert_iteration import ExpertIteration, ExpertIterationSettings
from shakespeare_training.learners.games import MOST_PLAYOUTS, HostGames, LearnerGames
from shakespeare_training.learners.league import League
from shakespeare_training.learners.learner import Learner, Schedule, linear
from shakespeare_training.learners.ppo import PPO, PPOSettings
from shakespeare_training.learners.reward import OwnReward
from shakespeare_training.networks.mlp import MlpPolicy
from shakespeare_training.networks.own_network import make_own_policy, measured_bytes
from shakespeare_training.networks.policy import PolicyMaker

_SEAT_DECISIONS = 50
"""The approximate number of a seat's decisions in a game; 32 to 55 in the bundled games."""
_FEWEST_GAMES = 16
"""The fewest games worth a process, unless the user asks for more processes."""
_FEWEST_DECISIONS = 500_000
"""The fewest decisions worth a process. It learns from them in some 20 seconds."""
_MOST_ON_A_CORE = 4
"""The most processes for each core that a saved run may ask for. A stranger may have written it."""
_LIBRARY_BYTES = 450 * 2**20
"""The memory of a process with Python, PyTorch and the compiled rules, before it has any games."""
_MALLOC_OPTIONS = {-1: 2**31 - 1, -2: 2**26, -3: 2**30}
"""Values of M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD (glibc's `mallopt`)."""


def keep_freed_memory() -> None:
    """Let this process keep the memory that it frees, which it needs again in the next minibatch.

    Otherwise glibc gives the memory of large tensors back to the system, which clears every page
    before it hands it out again. Other libraries of C have no such options, and nothing changes.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    mallopt = getattr(library, "mallopt", None)
    if mallopt is not None:
        for option, value in _MALLOC_OPTIONS.items():
            mallopt(option, value)


def make_learner(config: TrainingConfig, device: str, group: ProcessGroup = ALONE) -> Learner:
    """Build the learner that a run's settings describe, on a device (see `checked_device`).

    In a group of processes, the learner has a part of the games.

    Raises:
        ValueError: an opponent cannot play, there is no such device, or there are more processes
            than games.
        TypeError, ImportError: a network or a reward of the user's own cannot be used.
        MemoryLimitError: the learner needs more memory than the machine or the GPU has.
    """
    device = checked_device(device, group)
    searches = config.algorithm == "expert_iteration"
    size = "width" if config.network == MLP else "the size of the network"
    if device == "cpu" or searches:  # the decisions of a search are kept on the CPU
        remedy = f"lower n_envs, n_steps or {size}"
        if group.size > 1:
            remedy += ", or give fewer --processes"
        require_memory("the run", group.local_size * needed_bytes(config, group.size), remedy)
    if device != "cpu":
        torch.cuda.set_device(device)
        if searches:
            free, _ = torch.cuda.mem_get_info(device)
            needed = playouts_bytes(config, group.size)
            remedy = f"lower n_envs, simulations or {size}"
            require_memory(f"the search on {device}", needed, remedy, available=free)
    numbers = group.share(config.n_envs)
    seat_counts = np.resize(config.players, config.n_envs)  # in turn
    batch = Batch(
        config.game,
        n=len(numbers),
        players=seat_counts[numbers],
        seed=config.seed,
        autoreset=False,
        reward="score",
    )
    batch.reset(config.seed, deals=numbers)
    league = League(
        config.opponents,
        batch,
        max_snapshots=config.max_snapshots,
        seed=config.seed,
        numbers=numbers,
        rank=group.rank,
    )
    if searches:
        return _expert_iteration(config, league, device, group)
    settings = _ppo_settings(config, device)
    games: LearnerGames = HostGames(league)
    if device != "cpu":
        from shakespeare_training.learners.device import DeviceGames  # it needs the extra cuda

        games = DeviceGames(league, config.n_steps, torch.device(device))
    return PPO(games, settings, group)


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


def _expert_iteration(
    config: TrainingConfig, league: League, device: str, group: ProcessGroup
) -> ExpertIteration:
    settings = _expert_iteration_settings(config, device)
    make_device_search = None
    if device != "cpu":
        from shakespeare_training.learners.device_search import device_search  # as DeviceGames

        make_device_search = partial(
            device_search,
            settings=settings.search,
            horizon=settings.horizon,
            temperature=settings.temperature,
            device=torch.device(device),
        )
    return ExpertIteration(HostGames(league), settings, group, make_device_search)


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
        searched_share=config.searched_share,
        gae_lambda=config.gae_lambda,
        score_reward_coef=linear(config.score_reward_coef, config.score_reward_coef_end),
        win_reward_coef=config.win_reward_coef,
    )


def _learning_rate(config: TrainingConfig) -> Schedule:
    return linear(config.learning_rate, config.learning_rate * config.learning_rate_end)


def checked_processes(
    wanted: int | None, config: TrainingConfig, device: str, before: int | None = None
) -> int:
    """Return the number of processes that learn on this machine.

    If the user wants none in particular, a run goes on with as many as before. In a new run there
    is one for each core, as far as memory allows. On a GPU there is one, as in expert iteration,
    whose games are played by workers. In a short run there are fewer, because processes start
    slowly.

    Args:
        wanted: The number that the user wants.
        config: The settings of the run.
        device: The PyTorch device.
        before: The number of processes that have saved the run, if it is resumed.

    Raises:
        ValueError: there is no such device here, or there are fewer games, decisions in a minibatch
            or GPUs than processes, or far fewer cores than processes before.
    """
    cores: int = cpu_count()
    if wanted is None and before is not None:
        most = _MOST_ON_A_CORE * cores
        if before > most:
            raise ValueError(
                f"the run was saved by {before} processes, more than the {most} that this machine "
                "starts unasked; give the number of --processes that go on with it"
            )
        return before
    device = checked_device(device)
    if wanted is None:
        if device != "cpu" or config.algorithm == "expert_iteration":
            return 1
        size = min(config.n_envs // _FEWEST_GAMES, config.decisions // _FEWEST_DECISIONS, cores)
        memory = total_memory() or math.inf
        while size > 1 and size * needed_bytes(config, size) > memory:
            size -= 1
        return max(size, 1)
    for name, count in (("n_envs", config.n_envs), ("batch_size", config.batch_size)):
        if wanted > count:
            raise ValueError(
                f"{wanted} processes cannot share {name} = {count}; give fewer --processes, or a "
                f"larger {name}"
            )
    if device != "cpu" and wanted > torch.cuda.device_count():
        raise ValueError(
            f"{wanted} processes need a GPU each, and PyTorch finds {torch.cuda.device_count()} "
            "here; give fewer --processes, or --device cpu"
        )
    return wanted


def checked_device(name: str, group: ProcessGroup = ALONE) -> str:
    """Return the name of a PyTorch device.

    `auto` chooses a GPU if there is one and the extra `cuda` is installed, else the CPU. Each
    process of a group on a machine gets a GPU of its own.

    Raises:
        ValueError: there is no such device here.
    """
    if name == "auto":
        is_usable = torch.cuda.is_available() and find_spec("numba_cuda") is not None
        name = "cuda" if is_usable else "cpu"
    if name.startswith("cuda") and group.local_size > 1:
        if name != "cuda":
            raise ValueError(
                f"device={name!r} is one GPU for {group.local_size} processes; give --device cuda"
            )
        name = f"cuda:{group.local_rank}"
    parts = re.fullmatch(r"cpu|cuda(?::(\d+))?", name)
    if parts is None:
        raise ValueError(f"device={name!r}: choose cpu, cuda, cuda:1, ... or auto")
    if name != "cpu" and int(parts[1] or 0) >= torch.cuda.device_count():
        fewer = ", or fewer --processes" if group.local_size > 1 else ""
        raise ValueError(
            f"device={name!r}: PyTorch {torch.__version__} finds "
            f"{torch.cuda.device_count()} CUDA devices here; use --device cpu{fewer}"
        )
    return name


def needed_bytes(config: TrainingConfig, processes: int = 1) -> int:
    """Estimate the memory of a run's large arrays: games, decisions, networks, a minibatch.

    This is the memory of one process. Of the games, decisions and minibatches it has its share.

    The factors below are approximate numbers of bytes for an input, an action, a seat or a unit of
    the network. A network of the user's own is made, and measured.
    """
    game = registry.game(config.game)
    inputs = game.layout.size
    actions = game.actions.size
    seats = game.max_seats
    network, layers = _network_bytes(config)
    snapshots = min(config.max_snapshots, config.decisions // config.snapshot_every)
    n_envs = math.ceil(config.n_envs / processes)
    if config.algorithm == "ppo":
        decisions = n_envs * (seats + config.n_steps)
        bytes_per_decision = inputs + actions + 40 * seats
    else:
        decisions = n_envs * max(config.players) * _SEAT_DECISIONS
        # Twice, because decisions are held in shards and in the round that is joined from them.
        bytes_per_decision = 2 * (inputs + 9 * actions + 8 * seats + 40)
    minibatch = min(math.ceil(config.batch_size / processes), decisions) * (
        5 * inputs + 20 * actions + layers
    )
    games = n_envs * (game.state.itemsize + inputs + actions)
    networks = (4 + snapshots) * network  # the learner's with its gradient and Adam's two moments
    libraries = _LIBRARY_BYTES if processes > 1 else 0
    return libraries + games + decisions * bytes_per_decision + networks + minibatch


def playouts_bytes(config: TrainingConfig, processes: int = 1) -> int:
    """Estimate the memory that the playouts of a process need on a GPU (`DevicePlayouts`).

    The factors are as in `needed_bytes`. In every playout a game is kept with its observation and
    mask, and the network decides.
    """
    game = registry.game(config.game)
    inputs = game.layout.size
    actions = game.actions.size
    _, layers = _network_bytes(config)
    games = math.ceil(config.n_envs / processes)
    playouts = min(games * max(config.simulations, config.considered), MOST_PLAYOUTS)
    return playouts * (game.state.itemsize + 7 * inputs + 5 * actions + layers)


def _network_bytes(config: TrainingConfig) -> tuple[int, int]:
    """Return the memory of the network's weights, and of its layers for one decision."""
    game = registry.game(config.game)
    inputs = game.layout.size
    actions = game.actions.size
    if config.network == MLP:
        return 4 * config.width * (inputs + actions + 2 * config.width), 20 * config.width
    policy = make_own_policy(config.network, game, torch.Generator())
    weights = sum(tensor.nbytes for tensor in policy.network.state_dict().values())
    return weights, 2 * measured_bytes(policy)  # with gradients
