"""How fast expert iteration plays and learns: `python -m benchmarks.expert_iteration`.

It counts decisions learned from a second, updates included, between the ends of two groups of
games: in this process alone and with processes that play; also by the seconds that cores were
used, which other programs do not lengthen. Figures for planning a cluster follow: decisions that a
core plays a second, searched ones among them, examples that the learner's core learns from a
second, the bytes that travel, and the share of PPO's time that is learning.
"""from __future__ import annotations

import pickle
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import psutil
import typer
from rich.console import Console
from rich.table import Table
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from benchmarks import report
from shakespeare_agents.networks.bundled import bundled_checkpoint
from shakespeare_agents.networks.checkpoint import load_checkpoint
from shakespeare_agents.workers import Job, Tell, ThisProcess, Workers, open_workers, tell_nobody
from shakespeare_env.core import registry
from shakespeare_training.config import TrainingConfig, chosen_config
from shakespeare_training.expert_iteration import ExpertIteration
from shakespeare_training.learner import make_learner
from shakespeare_training.ppo.learner import SelfPlayLearner

COLUMNS = ("decisions a second", "a used core's second")


class Weighed(ThisProcess):
    """Counts the bytes of what would travel back."""

    def __init__(self) -> None:
        self.bytes = 0

    def run(
        self, job: Job[Any, Any], shards: Iterable[Any], tell: Tell = tell_nobody
    ) -> Generator[tuple[int, Any], None, None]:
        for number, result in super().run(job, shards, tell):
            self.bytes += len(pickle.dumps(result))
            yield number, result


class Clock(BaseCallback):
    """Notes when each group was complete, until there are enough.

    Those at first, which fill what is ahead, are left out of the rate.
    """

    def __init__(self, first: int, count: int) -> None:
        super().__init__()
        self.first, self.enough = first, first + count
        self.ends: list[tuple[int, float, float]] = []

    def _on_step(self) -> bool:
        return len(self.ends) < self.enough

    def _on_rollout_end(self) -> None:
        self.ends.append((self.num_timesteps, time.perf_counter(), used()))

    @property
    def rates(self) -> tuple[float, float]:
        """Decisions a second, and a second of a core that was used, here or by a process."""
        made, passed, worked = np.subtract(self.ends[-1], self.ends[self.first - 1]).tolist()
        return made / passed, made / worked


def used() -> float:
    """Seconds of all cores that this process and those it has started have used."""
    own = psutil.Process()
    times = [one.cpu_times() for one in (own, *own.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def learner_of(config: TrainingConfig) -> SelfPlayLearner:
    """A learner that begins with the bundled network."""
    learner = make_learner(config, "cpu")
    rules = registry.game(config.game)
    network, _ = load_checkpoint(bundled_checkpoint(rules), rules)
    learner.policy.set_tensors(network.tensors)
    learner.set_logger(configure(None, []))
    return learner


def expert_of(config: TrainingConfig, workers: Workers | None) -> ExpertIteration:
    """A learner that has its games played by workers."""
    learner = learner_of(config)
    assert isinstance(learner, ExpertIteration)
    if workers is not None:
        learner.workers = workers
    return learner


class Halves(BaseCallback):
    """The seconds of cores that rollouts took, and what followed them."""

    def __init__(self, rollouts: int) -> None:
        super().__init__()
        self.left = rollouts
        self.turns: list[float] = []

    def _on_step(self) -> bool:
        return self.left > 0

    def _on_rollout_start(self) -> None:
        self.turns.append(time.process_time())
        self.left -= 1

    def _on_rollout_end(self) -> None:
        self.turns.append(time.process_time())

    @property
    def share(self) -> float:
        """The share of what followed, without the first rollout, 0 to 1."""
        # From the second rollout's start to the last one's: rollout, update, rollout, update ...
        spent = np.diff(self.turns[2:])
        return float(spent[1::2].sum() / spent.sum())


def learning_of_ppo(game: str) -> float:
    """The share of its time that PPO learns, 0 to 1, with the bundled settings and network."""
    learner = learner_of(chosen_config("ppo", {"game": game}, "settings"))
    halves = Halves(6)
    learner.learn(10**9, callback=halves)
    return halves.share


def planning(config: TrainingConfig) -> dict[str, float]:
    """Figures for planning a cluster, from one group; a core's seconds are those it was used."""
    learner = expert_of(config, None)
    learner._total_timesteps = 10**9
    callback = Clock(1, 1)
    callback.init_callback(learner)
    weighed = learner.workers = Weighed()
    playing = time.process_time()
    learner.collect_rollouts(learner.env, callback, learner.rollout_buffer, 1)  # type: ignore[arg-type]
    playing = time.process_time() - playing
    examples = learner._examples
    assert examples is not None
    searched = int((examples.prior.max(axis=1) < config.near_certain).sum())
    learning = time.process_time()
    learner.train()
    learning = time.process_time() - learning
    return {
        "decisions a game": examples.size / config.n_envs,
        "decisions a core and second": examples.size / playing,
        "searched decisions a core and second": searched / playing,
        "examples learned a core and second": examples.size * config.n_epochs / learning,
        "bytes a game": weighed.bytes / config.n_envs,
        "bytes of the weights": sum(a.nbytes for a in learner.policy.tensors().values()),
    }


def main(
    game: Annotated[str, typer.Option(help="The game.")] = registry.DEFAULT,
    simulations: Annotated[int, typer.Option(help="Playouts a move.")] = 16,
    games: Annotated[int, typer.Option(help="In a group.")] = 64,
    count: Annotated[int, typer.Option(help="Groups measured of each case.")] = 5,
    processes: Annotated[int, typer.Option(help="That play.")] = 2,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure one game."""
    settings = {"game": game, "simulations": simulations, "n_envs": games, "warmup_decisions": 0}
    config = chosen_config("expert_iteration", settings, "settings")
    console, table = Console(), Table("games played by", *COLUMNS)
    figures: dict[str, float] = {}
    with open_workers(processes) as crew:
        cases: dict[str, Workers | None] = {
            "this process": None,
            f"{processes} processes": crew,
        }
        for name, workers in cases.items():
            learner = expert_of(config, workers)
            clock = Clock(1, count)
            learner.learn(10**9, callback=clock)
            found = dict(zip(COLUMNS, clock.rates, strict=True))
            table.add_row(name, *(f"{figure:,.0f}" for figure in found.values()))
            figures |= {f"{name}, {kind}": figure for kind, figure in found.items()}
    console.print(table)
    for name, figure in (planned := planning(config)).items():
        console.print(f"{name}: {figure:,.0f}", highlight=False)
    planned["PPO's learning, share of its time"] = learning_of_ppo(game)
    console.print(f"PPO learns {planned[list(planned)[-1]]:.0%} of its time", highlight=False)
    report.save(output, {}, figures | planned)


if __name__ == "__main__":
    typer.run(main)
