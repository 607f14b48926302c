"""Measure how fast the rules engine steps: `make bench`.

Every game is played at random, with four seats unless a case says otherwise. The times include
masks, observations and the drawing of actions. The results are medians of repeats. Cases take
turns, so that drift affects them equally.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from benchmarks import report
from shakespeare_env import Batch, Position
from shakespeare_env.core import registry

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = 400
"""Steps before timing, after which games are at all stages."""
PLAYERS = 4
"""The number of seats in most cases, if the game allows it."""
MANY = 4096
"""The number of games in large batches."""


def step_all(batch: Batch) -> int:
    """Make a random move in every game of a batch, and return the number of games."""
    batch.step(batch.random_actions())
    return batch.n


def moves_per_second(game: str, seconds: float) -> float:
    """Return how many moves a second random games play through `moves()` and `push`."""
    # Numbers from 0 to 1 that choose moves. Drawing them in advance keeps that out of the time.
    choices = np.random.default_rng(0).random(1 << 16).tolist()
    seeds = count()

    def play() -> int:
        position = Position.new(game, players=usual_seats(game), seed=next(seeds))
        for moves in count():
            if position.to_move is None:
                break
            legal = position.moves()
            # After 2**16 moves the numbers come again from the first.
            position.push(legal[int(choices[moves & 0xFFFF] * len(legal))])
        return moves

    return report.rate(play, seconds)


def start_up(game: str, cache: str | None) -> float:
    """Return the seconds from the start of a process to its first step.

    `cache` is the folder of compiled code, by default the usual one.
    """
    batch = f"Batch({game!r}, n=1, players={usual_seats(game)})"
    program = f"from shakespeare_env import Batch; b = {batch}; b.step(b.random_actions())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if cache is not None:
        environment["SHAKESPEARE_CACHE"] = cache
    command = [sys.executable, "-c", program]
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def usual_seats(game: str) -> int:
    """Return `PLAYERS`, or the nearest number of seats that the game allows."""
    seats = registry.seats(game)
    return min(max(PLAYERS, seats[0]), seats[-1])


def case_name(game: str, n: int, players: int, threads: int) -> str:
    unit = "thread" if threads == 1 else "threads"
    return f"{game}: {n} games of {players} seats, {threads} {unit}"


def batches_of(game: str) -> dict[str, Batch]:
    """Return batches of a game by case, with several sizes and numbers of threads and seats."""
    usual = usual_seats(game)
    settings = [(n, usual, threads) for n in (1, 64, MANY) for threads in (1, 2) if threads <= n]
    settings += [(MANY, players, 1) for players in registry.seats(game) if players != usual]
    return {
        case_name(game, n, players, threads): Batch(
            game, n=n, players=players, seed=0, threads=threads
        )
        for n, players, threads in settings
    }


def rates(repeats: int, seconds: float) -> dict[str, list[float]]:
    """Return decisions a second of every case and repeat."""
    cases: dict[str, Batch] = {}
    for game in registry.names():
        cases |= batches_of(game)
    for batch in cases.values():
        for _ in range(WARM_UP if batch.n > 1 else 10 * WARM_UP):
            step_all(batch)
    timed = {
        name: partial(report.rate, partial(step_all, batch), seconds)
        for name, batch in cases.items()
    }
    return report.in_turns(timed, repeats, "stepping")


def other_figures(game: str, repeats: int, seconds: float, cold: bool) -> dict[str, float]:
    """Measure `Position`, memory and start-up, and compiling if `cold`."""
    position_rates = [moves_per_second(game, seconds) for _ in range(repeats)]
    warm = [start_up(game, None) for _ in range(repeats)]
    figures = {
        "moves a second through Position.moves() and push": statistics.median(position_rates),
        "bytes per game": registry.game(game).state.itemsize,
        "seconds from process start to first step": statistics.median(warm),
    }
    if cold:
        with tempfile.TemporaryDirectory() as empty:
            figures["seconds with an empty cache (compiling)"] = start_up(game, empty)
    return {f"{game}: {name}": value for name, value in figures.items()}


def main(
    repeats: Annotated[int, typer.Option(help="The number of repeats of every case.")] = 7,
    seconds: Annotated[float, typer.Option(help="The seconds of each repeat.")] = 0.5,
    cold: Annotated[bool, typer.Option(help="Also measure compiling with an empty cache.")] = True,
    output: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
) -> None:
    """Measure the engine and print a table."""
    rates_by_case = rates(repeats, seconds)
    figures: dict[str, float] = {}
    console = Console()
    for game in registry.names():
        with console.status(f"{game}: playing in text, starting processes"):
            figures |= other_figures(game, repeats, seconds, cold)
    report.save(output, rates_by_case, figures)
    report.show("random play", rates_by_case, names=rates_by_case)
    default_case = case_name(registry.DEFAULT, MANY, usual_seats(registry.DEFAULT), 1)
    for game in registry.names():
        one_thread = case_name(game, MANY, usual_seats(game), 1)
        two_threads = case_name(game, MANY, usual_seats(game), 2)
        report.show_ratio(rates_by_case, two_threads, one_thread)
        if one_thread != default_case:
            report.show_ratio(rates_by_case, one_thread, default_case)
    for name, value in figures.items():
        console.print(f"{name}: {value:,}" if isinstance(value, int) else f"{name}: {value:,.1f}")


if __name__ == "__main__":
    typer.run(main)
