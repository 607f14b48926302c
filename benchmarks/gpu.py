"""Measure how fast games are played and learned from on a GPU: `python -m benchmarks.gpu`.

`equality` compares complete games, at every number of seats, with those played on the CPU, byte for
byte.
`engine` times random play with masks and observations, beside one CPU core and all cores.
`training` times learning with a full league. The results are medians of repeats after a warm-up.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.training import measure_speed
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.core.device_batch import DeviceBatch
from shakespeare_training.building import make_learner
from shakespeare_training.config import chosen_config, override
from shakespeare_training.learners.learner import Learner

SPREAD = 400
"""Steps after which games are at all stages."""
COMPARED = ["obs", "mask", "to_move", "players", "rewards", "done", "final_scores", "final_winners"]
app = typer.Typer(add_completion=False)
console = Console(width=120)


def assert_equal(host: Batch, device: DeviceBatch) -> None:
    """Check that two batches have equal arrays and records."""
    for name in COMPARED:
        on_device = getattr(device, name).cpu().numpy()
        if not np.array_equal(getattr(host, name), on_device):
            raise AssertionError(f"{name} differs")
    if host.save(slice(None)).tobytes() != device.save(slice(None)).tobytes():
        raise AssertionError("records differ")


@app.command()
def equality(
    games: Annotated[int, typer.Option(help="The number of games at each number of seats.")] = 1000,
    game: Annotated[list[str] | None, typer.Option(help="A game; all by default.")] = None,
) -> None:
    """Compare complete random games, at every number of seats, after every step."""
    for name in game or registry.names():
        seats = np.repeat(registry.seats(name), games)
        for reward in ("win", "score"):
            host = Batch(name, n=len(seats), players=seats, autoreset=False, reward=reward)
            device = DeviceBatch(name, n=len(seats), players=seats, autoreset=False, reward=reward)
            steps = 0
            while (host.to_move >= 0).any():
                assert_equal(host, device)
                host_actions = host.random_actions()
                device_actions = device.random_actions()
                if not np.array_equal(host_actions, device_actions.cpu().numpy()):
                    raise AssertionError("random_actions differ")
                host.step(host_actions)
                device.step(device_actions)
                steps += 1
            assert_equal(host, device)
            console.print(f"{name}, {reward}: {len(seats):,} complete games, {steps} steps: equal")


def gpu_ms(work: Callable[[], object], repeats: int) -> float:
    """Return the median milliseconds that the GPU takes for some work."""
    times = []
    for _ in range(repeats):
        begin = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        end = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(float(begin.elapsed_time(end)))
    return statistics.median(times)


def spread_games(name: str, players: int, sizes: Sequence[int]) -> list[DeviceBatch]:
    """Return batches of the given sizes, with games at all stages."""
    small = DeviceBatch(name, n=1024, players=players)
    for _ in range(SPREAD):
        small.step(small.random_actions())
    batches = []
    for size in sizes:
        batch = DeviceBatch(name, n=size, players=players, seed=1)
        for attribute in ("records", "obs", "mask", "to_move"):
            tensor = getattr(small, attribute)
            repeats = [math.ceil(size / small.n), *[1] * (tensor.ndim - 1)]
            getattr(batch, attribute).copy_(tensor.repeat(repeats)[:size])
        for _ in range(8):  # so that copies of one game become different
            batch.step(batch.random_actions())
        batch.synchronize()
        batches.append(batch)
    return batches


def copy_rate() -> float:
    """Return the GB/s that a copy on the GPU reads and writes together."""
    source = torch.empty(2**31, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.nbytes / gpu_ms(lambda: target.copy_(source), 10) / 1e6


def host_rate(name: str, players: int, threads: int, seconds: float = 2.0) -> float:
    """Return random decisions a second on the CPU."""
    batch = Batch(name, n=1024 * max(threads, 4), players=players, threads=threads)
    for _ in range(SPREAD // 2):
        batch.step(batch.random_actions())
    steps = 0
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        batch.step(batch.random_actions())
        steps += 1
    return steps * batch.n / (time.perf_counter() - began)


@app.command()
def engine(
    least: Annotated[int, typer.Option(help="The games of the smallest batch.")] = 1024,
    most: Annotated[int, typer.Option(help="The games of the largest batch.")] = 2**20,
    players: int = 4,
    repeats: int = 20,
) -> None:
    """Time random play with masks and observations."""
    bandwidth = copy_rate()
    console.print(f"{torch.cuda.get_device_name()}: a copy moves {bandwidth:,.0f} GB/s")
    sizes = [least * 4**k for k in range(20) if least * 4**k <= most]
    for name in registry.names():
        one_core = host_rate(name, players, 1)
        all_cores = host_rate(name, players, os.cpu_count() or 1)
        console.print(
            f"{name}: one core {one_core:,.0f} decisions/s, "
            f"all {os.cpu_count()} cores {all_cores:,.0f} decisions/s"
        )
        table = Table(
            "games",
            "draw, ms",
            "step, ms",
            "decisions/s",
            "of a copy's bandwidth",
            "times one core",
        )
        for batch in spread_games(name, players, sizes):
            draw_ms = gpu_ms(batch.random_actions, repeats)
            step_times = []
            for _ in range(repeats):
                actions = batch.random_actions()
                step_times.append(gpu_ms(partial(batch.step, actions), 1))
            step_ms = statistics.median(step_times)
            rate = batch.n / (draw_ms + step_ms) * 1e3
            # The bytes moved for a decision: a step reads and writes a record, and writes an
            # observation and a mask. Drawing reads the mask again.
            moved = 2 * batch.records.shape[1] + batch.obs.shape[1] + 2 * batch.mask.shape[1]
            table.add_row(
                f"{batch.n:,}",
                f"{draw_ms:.3f}",
                f"{step_ms:.3f}",
                f"{rate:,.0f}",
                f"{100 * rate * moved / bandwidth / 1e9:.1f} %",
                f"{rate / one_core:.1f}",
            )
            batch.synchronize()
        console.print(table)


@app.command()
def training(
    sizes: Annotated[
        list[str] | None, typer.Option(help="A size, as games x steps x width.")
    ] = None,
    batch_size: int = 8192,
    seconds: float = 6.0,
    profile: Annotated[bool, typer.Option(help="Profile the first size.")] = False,
) -> None:
    """Time rollouts and updates with a full league of past versions and heuristics."""
    table = Table("games", "steps", "width", "rollout", "update", "decisions/s")
    for size in sizes or ["4096x32x512", "8192x32x512", "16384x32x512", "8192x32x1024"]:
        n_envs, n_steps, width = map(int, size.split("x"))
        config = override(
            chosen_config("ppo", overrides={}),
            n_envs=n_envs,
            n_steps=n_steps,
            width=width,
            batch_size=batch_size,
            near_certain_share=1.0,
            precision="bfloat16",
        )
        learner = make_learner(config, "cuda")
        learner.policy.use_bfloat16 = True
        for _ in range(4):
            learner.add_snapshot()
        measure_speed(learner, 0.5 * seconds)
        if profile:
            profile = False
            _profile(learner)
        speed = measure_speed(learner, seconds)
        rates = [f"{rate:,.0f}" for rate in (speed.rollout, speed.update, speed.total)]
        table.add_row(*map(str, (n_envs, n_steps, width)), *rates)
        del learner
        torch.cuda.empty_cache()
    console.print(table)


def _profile(learner: Learner) -> None:
    """Print where the GPU's time goes."""
    kinds = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=kinds) as profiler:
        measure_speed(learner, 0.3)
    averages = profiler.key_averages()
    for order in ("self_device_time_total", "self_cpu_time_total"):
        console.print(averages.table(sort_by=order, row_limit=22, max_name_column_width=60))


if __name__ == "__main__":
    app()
