"""Measure how fast several processes learn together: `python -m benchmarks.processes`.

Each number of processes plays and learns like `shakespeare train --processes`, in turns with the
others, so that drift affects all equally. The results are medians over rounds, and ratios are taken
within a round. The bound is what would be reached if averaging gradients and waiting took no time.
It is measured in a process alone, which has the share of the games that one of several has, and
the memory and the clock of the processor to itself.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.report import machine
from shakespeare_training.building import keep_freed_memory, make_learner
from shakespeare_training.config import CONFIGS, TrainingConfig, as_toml, chosen_config, override
from shakespeare_training.group import ProcessGroup, joined_group, run_processes
from shakespeare_training.stopping import exit_at_once

OUR_CONFIG = CONFIGS / "shakespeare" / "ppo.toml"


def measure_speed(config: TrainingConfig, group: ProcessGroup, seconds: float) -> float:
    """Return the decisions a second of a group, from about some seconds after a warm-up."""
    keep_freed_memory()  # as the command `train` does
    learner = make_learner(config, "cpu", group)
    learner.policy.use_bfloat16 = config.precision == "bfloat16"
    for _ in range(2):  # so that rules are compiled, and the league has a snapshot
        learner.collect()
        learner.train()
        learner.add_snapshot()
    first = learner.num_timesteps
    began = time.perf_counter()
    # Process 0 alone reads the clock, so that all stop after the same update.
    while group.broadcast(time.perf_counter() - began < seconds):
        learner.collect()
        learner.train()
    return (learner.num_timesteps - first) / (time.perf_counter() - began)


def main(
    processes: Annotated[list[int] | None, typer.Option(help="Numbers of processes.")] = None,
    seconds: Annotated[float, typer.Option(help="The seconds of each case in each round.")] = 15.0,
    rounds: Annotated[int, typer.Option(min=1)] = 3,
    config: Annotated[Path, typer.Option(help="The settings of the learner.")] = OUR_CONFIG,
    precision: Annotated[str, typer.Option(help="bfloat16 or float32.")] = "float32",
    out: Annotated[Path | None, typer.Option(hidden=True)] = None,
) -> None:
    """Measure decisions a second for several numbers of processes."""
    settings = override(chosen_config(str(config), {}), precision=precision)
    if out is not None:  # this is a process of a group
        with joined_group() as group:
            speed = measure_speed(settings, group, seconds)
            if group.rank == 0:
                out.write_text(str(speed))
        exit_at_once(0)
    sizes = sorted({1, *(processes or [2])})
    speeds: dict[int, list[float]] = {size: [] for size in sizes}
    alone: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in track(range(rounds), "rounds", console=Console(stderr=True), transient=True):
        for size in sizes:
            speeds[size].append(_speed_of(settings, size, seconds))
            share = override(
                settings, n_envs=settings.n_envs // size, batch_size=settings.batch_size // size
            )
            # Of `size` processes that do not wait for each other, all are as fast as this one.
            alone[size].append(size * _speed_of(share, 1, seconds))
    table = Table("processes", "decisions/s", "times one", "bound", title="decisions a second")
    for size in sizes:
        table.add_row(
            str(size),
            f"{statistics.median(speeds[size]):,.0f}",
            f"{_ratio(speeds[size], speeds[1]):.2f}",
            f"{_ratio(alone[size], speeds[1]):.2f}",
        )
    console = Console()
    console.print(table)
    console.print(f"{machine()}, {precision}, {settings.n_envs} games.", highlight=False)


def _ratio(speeds: list[float], of_one: list[float]) -> float:
    return statistics.median(many / one for many, one in zip(speeds, of_one, strict=True))


def _speed_of(config: TrainingConfig, size: int, seconds: float) -> float:
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.toml"
        settings.write_text(as_toml(config))
        out = Path(folder) / "speed"
        arguments = ["-m", "benchmarks.processes", "--config", str(settings)]
        arguments += ["--precision", config.precision]
        arguments += ["--seconds", str(seconds), "--out", str(out)]
        if run_processes(size, arguments):
            raise typer.Exit(1)
        return float(out.read_text())


if __name__ == "__main__":
    typer.run(main)
