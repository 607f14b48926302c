"""Compare how fast a network is evaluated in search and by itself: `make bench ARGS=search`.

The results are evaluations per second of processor time, summed over all threads. Other programs
disturb processor time less than the time on the clock. In search, playouts evaluate the policy and
the forecasts of the outcome. By itself, the network's compiled forward pass evaluates only the
policy, for many situations of one game at once. Cases take turns. The results are medians of
repeats, and ratios are taken within a repeat.

The last figures are how many playouts a search by the clock reaches in a move. It needs a core for
itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from threadpoolctl import ThreadpoolController

from benchmarks import report
from benchmarks.engine import usual_seats
from shakespeare_agents import make
from shakespeare_agents.networks.inference import ForwardPass, NetworkAgent
from shakespeare_agents.search.agent import SearchAgent
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets

TARGET = 0.6
"""The least ratio of the rate of search to that of the network by itself."""
GAMES = 16
"""Games searched together."""
MOVE_S = 0.25
"""The seconds of a move of the search by the clock."""
ROWS = 2048
"""Situations that the network by itself evaluates at once."""


def situations(batch: Batch) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Return observations and masks of ROWS decisions in random games."""
    observations: list[NDArray[np.int8]] = []
    masks: list[NDArray[np.bool_]] = []
    while sum(map(len, observations)) < ROWS:
        for _ in range(7):  # so that the situations of a game differ
            batch.step(batch.random_actions())
        rows = np.flatnonzero(batch.to_move >= 0)
        observations.append(batch.obs[rows])
        masks.append(batch.mask[rows])
    return np.concatenate(observations)[:ROWS], np.concatenate(masks)[:ROWS]


def search_case(game: str, threads: int) -> Callable[[], int]:
    """Return a function that searches a decision in each game and counts network evaluations."""
    batch = Batch(game, GAMES, players=usual_seats(game), seed=0)
    # With `near_certain=1.0`, moves that are nearly certain are searched, too.
    agent = make("search", batch.game, threads=threads, near_certain=1.0)
    assert isinstance(agent, SearchAgent)
    rows = np.arange(GAMES)
    rng = GameGenerators.of_games(0, rows)

    def search() -> int:
        before = agent.runner.decisions
        batch.step(agent.search(InformationSets(batch, rows), rng))
        return agent.runner.decisions - before

    return search


def cases(game: str) -> dict[str, Callable[[], int]]:
    """Return the cases of a game, each a function that returns its number of evaluations."""
    agent = make("network", registry.game(game))
    assert isinstance(agent, NetworkAgent)
    forward = ForwardPass(agent.network)
    observations, masks = situations(Batch(game, 64, players=usual_seats(game), seed=1))

    def evaluate() -> int:
        return len(forward.legal_logits(observations, masks))

    return {
        f"{game}: search, 1 thread": search_case(game, 1),
        f"{game}: search, 2 threads": search_case(game, 2),
        f"{game}: network alone, compiled": evaluate,
    }


def playouts_by_the_clock(game: str) -> list[float]:
    """Return the quartiles of the playouts of a searched move, in a game between copies.

    Playouts to the end of the game are long at first and short at last.
    """
    batch = Batch(game, 1, players=usual_seats(game), seed=0, autoreset=False)
    agent = make("search", batch.game, seconds=MOVE_S)
    assert isinstance(agent, SearchAgent)
    rows = np.arange(1)
    rng = GameGenerators.of_games(0, rows)
    playouts: list[int] = []
    while not batch.done[0]:
        result = agent.look_ahead(InformationSets(batch, rows), rng)
        if result.searched[0]:
            playouts.append(int(result.visits.sum()))
        batch.step(result.actions)
    quartiles: list[float] = np.quantile(playouts, [0.25, 0.5, 0.75]).tolist()
    return quartiles


def main(
    repeats: Annotated[int, typer.Option(help="Repeats of every measurement.", min=1)] = 7,
    seconds: Annotated[float, typer.Option(help="Processor seconds of each repeat.")] = 1.0,
    output: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
) -> None:
    """Measure search and the network by itself in turns."""
    timed: dict[str, Callable[[], float]] = {}
    for game in registry.names():
        for name, case in cases(game).items():
            case()  # a warm-up, which compiles
            timed[name] = partial(report.rate, case, seconds, time.process_time)
    with ThreadpoolController().limit(limits=1, user_api="blas"):
        rates = report.in_turns(timed, repeats, "searching")
    report.save(output, rates)
    report.show("evaluations a second of processor time", rates, names=rates)
    for game in registry.names():
        for threads in ("1 thread", "2 threads"):
            report.show_ratio(
                rates, f"{game}: search, {threads}", f"{game}: network alone, compiled"
            )
    Console().print(f"Ratios of search to the network alone should be at least {TARGET}.")
    for game in registry.names():
        low, median, high = playouts_by_the_clock(game)
        Console().print(
            f"{game}: {median:,.0f} playouts in a move of {MOVE_S} s (quartiles {low:,.0f} and "
            f"{high:,.0f})"
        )


if __name__ == "__main__":
    typer.run(main)
