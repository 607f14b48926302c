"""Measure how fast self-play learns, beside PettingZoo's tutorial: `python -m benchmarks.training`.

Every case runs rollouts and updates like a training run, and counts the decisions learned from.
Cases take turns, so that drift affects them equally. The results are medians over rounds, and
ratios are taken within a round. All learn in one thread; `benchmarks.processes` measures all cores.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from torch import nn

from benchmarks.report import machine
from benchmarks.tutorial import tutorial_learner
from shakespeare_agents.storage import write_output
from shakespeare_training.building import make_learner
from shakespeare_training.config import CONFIGS, TrainingConfig, chosen_config, override
from shakespeare_training.learners.learner import Learner
from shakespeare_training.networks.policy import bfloat16_is_faster

_NO_LIMIT = 2**62


@dataclass(frozen=True)
class Speed:
    """Decisions a second of rollouts, of updates, and of both together."""

    rollout: float
    update: float
    total: float


class Clock(BaseCallback):
    """Callback that times the tutorial's rollouts and updates, and ends it after `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.rollout_seconds = 0.0

    def _on_training_start(self) -> None:
        self.began = time.perf_counter()
        self.first = self.model.num_timesteps

    def _on_rollout_start(self) -> None:
        self.rollout_began = time.perf_counter()
        self.total_seconds = self.rollout_began - self.began  # complete rollouts and updates
        self.decisions = self.model.num_timesteps - self.first

    def _on_rollout_end(self) -> None:
        self.rollout_seconds += time.perf_counter() - self.rollout_began

    def _on_step(self) -> bool:
        return self.total_seconds <= self.seconds

    def speed(self) -> Speed:
        update_seconds = self.total_seconds - self.rollout_seconds
        return Speed(
            rollout=self.decisions / self.rollout_seconds,
            update=self.decisions / update_seconds,
            total=self.decisions / self.total_seconds,
        )


def measure_speed(learner: Learner | MaskablePPO, seconds: float) -> Speed:
    """Let a learner play and learn for about some seconds, and return its speed."""
    if isinstance(learner, Learner):
        return _our_speed(learner, seconds)
    clock = Clock(seconds)
    learner.set_logger(Logger(folder=None, output_formats=[]))
    learner.learn(_NO_LIMIT, clock, log_interval=_NO_LIMIT, reset_num_timesteps=False)
    return clock.speed()


def _our_speed(learner: Learner, seconds: float) -> Speed:
    first = learner.num_timesteps
    rollout_seconds = 0.0
    update_seconds = 0.0
    while rollout_seconds + update_seconds <= seconds:
        began = time.perf_counter()
        learner.collect()
        collected = time.perf_counter()
        learner.train()
        rollout_seconds += collected - began
        update_seconds += time.perf_counter() - collected
    decisions = learner.num_timesteps - first
    return Speed(
        rollout=decisions / rollout_seconds,
        update=decisions / update_seconds,
        total=decisions / (rollout_seconds + update_seconds),
    )


def our_learner(config: TrainingConfig, *, bfloat16: bool) -> Learner:
    """Make our learner as it is in the middle of a run, with a full league."""
    learner = make_learner(config, "cpu")
    learner.policy.use_bfloat16 = bfloat16
    for _ in range(config.max_snapshots):
        learner.add_snapshot()
    return learner


def cases(config: TrainingConfig) -> dict[str, Callable[[], Learner | MaskablePPO]]:
    """Return functions that make a learner, by case, ours first."""
    without_league = override(config, opponents={"current": 1.0})
    tutorial = partial(tutorial_learner, max(config.players))
    return {
        "ours, as configured, bfloat16": partial(our_learner, config, bfloat16=True),
        "ours, as configured, float32": partial(our_learner, config, bfloat16=False),
        "ours, without a league, bfloat16": partial(our_learner, without_league, bfloat16=True),
        "tutorial, its defaults": tutorial,
        "tutorial, our network's size and epochs": partial(
            tutorial,
            n_epochs=config.n_epochs,
            batch_size=config.batch_size,
            n_steps=config.batch_size,
            policy_kwargs={"net_arch": [config.width, config.width]},
        ),
    }


OUR_CONFIG = CONFIGS / "shakespeare" / "ppo.toml"


def main(
    seconds: Annotated[float, typer.Option(help="The seconds of each case in each round.")] = 10.0,
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    config: Annotated[Path, typer.Option(help="The settings of our learner.")] = OUR_CONFIG,
    save: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure self-play end to end, in turns with the tutorial."""
    torch.set_num_threads(1)  # as many as our learners use
    settings = chosen_config(str(config), {})
    learners = {name: make() for name, make in cases(settings).items()}
    speeds: dict[str, list[Speed]] = {name: [] for name in learners}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("warming up", total=(rounds + 1) * len(learners))
        for number in range(rounds + 1):
            for name, learner in learners.items():
                progress.update(task, description=name)
                # Round 0 is the warm-up. After it, rules are compiled and games are at all stages.
                speed = measure_speed(learner, seconds if number else min(seconds, 5.0))
                if number:
                    speeds[name].append(speed)
                progress.advance(task)
    policy: Any = next(iter(learners.values())).policy
    chosen = "bfloat16" if bfloat16_is_faster(policy, settings.batch_size) else "float32"
    forward, update = machine_speed()
    console = Console()
    console.print(_table(speeds))
    console.print(
        f"PyTorch alone, a 600-512-512-300 network in bfloat16, batches of 2,048: {forward:,.0f} "
        f"rows/s forward, {update:,.0f} rows/s forward, backward and Adam.\n"
        f'On one thread; `precision = "auto"` takes {chosen} here. '
        f"{machine()}, torch {torch.__version__}, seed {settings.seed}, {settings.n_envs} games.",
        highlight=False,
    )
    if save is not None:
        figures = {name: [vars(speed) for speed in of_case] for name, of_case in speeds.items()}
        write_output(save, (json.dumps(figures, indent=2) + "\n").encode())


def machine_speed(rows: int = 2048, repeats: int = 30) -> tuple[float, float]:
    """Return rows a second through a fixed network, to compare machines, or times on one machine.

    The network is of 600-512-512-300 units in bfloat16. The first figure is of forward passes, and
    the second of updates: forward and backward passes and Adam.
    """
    network = nn.Sequential(
        nn.Linear(600, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 300)
    )
    optimizer = torch.optim.Adam(network.parameters(), fused=True)
    inputs = torch.zeros(rows, 600)
    forward: list[float] = []
    update: list[float] = []
    for _ in range(repeats):
        began = time.perf_counter()
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            network(inputs)
        forward.append(time.perf_counter() - began)
        began = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16):
            outputs = network(inputs)
        outputs.float().square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        update.append(time.perf_counter() - began)
    return rows / statistics.median(forward), rows / statistics.median(update)


def _table(speeds_by_case: dict[str, list[Speed]]) -> Table:
    table = Table(
        "learner", "rollout/s", "update/s", "total/s", "ours is", title="decisions a second"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    first_case = next(iter(speeds_by_case.values()))
    for name, speeds in speeds_by_case.items():
        pairs = zip(first_case, speeds, strict=True)
        ratio = statistics.median(first.total / speed.total for first, speed in pairs)
        medians = [
            statistics.median(getattr(speed, kind) for speed in speeds)
            for kind in ("rollout", "update", "total")
        ]
        table.add_row(name, *(f"{median:,.0f}" for median in medians), f"{ratio:.1f} times as fast")
    return table


if __name__ == "__main__":
    typer.run(main)
