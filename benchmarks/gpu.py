r"""Measure how fast games are played and learned from on a GPU: `python -m benchmarks.gpu`.

`equality` compares complete games, at every number of seats, with those played on the CPU, byte for
byte.
`engine` times random play with masks and observations, beside one CPU core and all cores.
`training` times learning with a full league. The results are medians of repeats after a warm-up.
`search` times rounds of expert iteration from the bundled network.

These runs learn from version 12 of Shakespeare's network for ten minutes each, by search and by
rewards. `python -m benchmarks.panel FOLDER` judges them.

    shakespeare train --config expert_iteration --start network --device cuda --minutes 10 \
        --decisions 9_000_000_000 --set n_envs=8192 --set simulations=16 \
        --set precision=bfloat16 --set 'evaluation_opponents=["heuristic"]' \
        --set evaluate_every=100000000000 --set first_evaluation_games=4 \
        --set final_evaluation_games=4 --out runs/searched
    shakespeare train --config gpu --start network --device cuda --minutes 10 \
        --decisions 9_000_000_000 --set 'players=[1, 2, 2, 3, 3, 3, 4, 4]' \
        --set 'opponents={current = 0.72, past = 0.2, "network,version=12" = 0.08}' \
        --set score_reward_coef=0.15 --set learning_rate=0.0004 --set ent_coef=0.0025 \
        --set ent_coef_end=0.001 --set 'evaluation_opponents=["heuristic"]' \
        --set first_evaluation_games=4 --set final_evaluation_games=4 --out runs/rewarded
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

from benchmarks.report import machine
from benchmarks.training import measure_speed
from shakespeare_agents.networks.checkpoint import bundled_checkpoint, read_card
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.core.device_batch import DeviceBatch
from shakespeare_env.play.lineup import warm_up
from shakespeare_training.building import make_learner
from shakespeare_training.config import chosen_config, override
from shakespeare_training.learners.expert_iteration import ExpertIteration
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


@app.command()
def search(
    games: Annotated[list[int] | None, typer.Option(help="The games of a round.")] = None,
    simulations: Annotated[int, typer.Option(help="The playouts of a decision.")] = 16,
    game: str = registry.DEFAULT,
    device: str = "cuda",
) -> None:
    """Time rounds of games that are searched with the bundled network, and updates from them."""
    table = Table("games", "decisions", "searched", "searched/s", "round, s", "update, s")
    checkpoint = bundled_checkpoint(registry.game(game))
    for n_envs in games or [4096, 16384]:
        config = override(
            chosen_config("expert_iteration", overrides={"game": game}),
            n_envs=n_envs,
            simulations=simulations,
            width=read_card(checkpoint).width,
            warmup_decisions=0,
        )
        learner = make_learner(config, device)
        assert isinstance(learner, ExpertIteration)
        learner.policy.start_from(checkpoint)
        learner.policy.use_bfloat16 = device != "cpu"
        warm_up({"search": learner.experts()[0]}, game, max(config.players), config.seed)
        began = time.perf_counter()
        learner.collect()
        collected = time.perf_counter()
        learner.train()
        if device != "cpu":
            torch.cuda.synchronize()
        update_seconds = time.perf_counter() - collected
        assert learner.decisions is not None
        prior = learner.decisions["prior"]
        searched = int((prior.max(axis=1) < config.near_certain).sum())
        table.add_row(
            f"{n_envs:,}",
            f"{len(prior):,}",
            f"{searched:,}",
            f"{searched / (collected - began):,.0f}",
            f"{collected - began:.1f}",
            f"{update_seconds:.1f}",
        )
    console.print(table)
    console.print(f"{machine()}, {game}, {simulations} playouts to a horizon of {config.horizon:,}")


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
