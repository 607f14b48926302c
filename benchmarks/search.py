"""Compare how fast a network is evaluated in search and by itself: `make bench ARGS=search`.

All rates are per second of processor time, summed over all threads, which other programs disturb
less than the time on the clock. In search, playouts evaluate the policy and the forecasts of the
outcome. By itself, the network's compiled forward pass evaluates only the policy, for many
situations of one game at once. Searches over a model ask the same network, exported to PyTorch, to
ONNX and to a function of NumPy arrays, for all positions of a step in one call. All searches try
moves in the same positions, so ratios of their evaluations are those of their playouts, too. Cases
take turns. The results are medians of repeats, and ratios are taken within a repeat.

The last figures say how many playouts a search by the clock reaches in a move. That search needs a
core for itself.
"""

from __future__ import annotations

import itertools
import runpy
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from benchmarks import report
from benchmarks.engine import usual_seats
from shakespeare_agents import make
from shakespeare_agents.networks.checkpoint import bundled_checkpoint, load_checkpoint
from shakespeare_agents.networks.export import export
from shakespeare_agents.networks.inference import ForwardPass, NetworkAgent
from shakespeare_agents.networks.network import Network, input_scale
from shakespeare_agents.search.agent import search_agent
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import Lineup, play_out

TARGET = 0.6
"""The least ratio of the rate of search to that of the network by itself."""
GAMES = 16
"""Games searched together."""
ONE_GAME = "1 game at once"
MOVE_S = 0.25
"""The seconds of a move of the search by the clock."""
EVERY = 8
"""The search by the clock decides one in so many moves. The network plays the others."""
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


def half_way(game: str, games: int) -> Batch:
    """Return games between copies of the bundled network, half-way through."""
    steps = 0

    def count(*_: object) -> None:
        nonlocal steps
        steps += 1

    def play(most: int | None) -> Batch:
        batch = Batch(game, games, players=usual_seats(game), seed=0, autoreset=False)
        seats = np.zeros((games, batch.game.max_seats), np.int32)
        generators = GameGenerators.of_games(0, np.arange(games))
        lineup = Lineup([make("network", batch.game)], seats, generators)
        play_out(batch, lineup, after_step=count, max_steps=most)
        return batch

    play(None)
    return play(steps // 2)


class SearchCase:
    """A search of one decision in each of some games, which is the same at every call."""

    def __init__(self, batch: Batch, **options: Any) -> None:
        # With `near_certain=1.0`, moves that are nearly certain are searched, too.
        self._agent = search_agent(batch.game, near_certain=1.0, **options)
        self._batch = batch
        self.playouts_per_evaluation = 0.0  # of the last call

    def __call__(self) -> int:
        """Search, and return the number of evaluations of the network."""
        before = self._agent.runner.decisions
        rows = np.flatnonzero(self._batch.to_move >= 0)
        rng = GameGenerators.of_games(0, rows)
        result = self._agent.look_ahead(InformationSets(self._batch, rows), rng)
        evaluations = self._agent.runner.decisions - before
        self.playouts_per_evaluation = float(result.visits.sum()) / evaluations
        return evaluations


def numpy_network(network: Network) -> Callable[..., dict[str, NDArray[np.float32]]]:
    """Return a network as a function of observations and masks."""
    weights = network.tensors
    scale = input_scale(network.layout)

    def outputs(
        observations: NDArray[np.int8], _masks: NDArray[np.bool_]
    ) -> dict[str, NDArray[np.float32]]:
        hidden: dict[str, NDArray[np.float32]] = {"observation": observations * scale}
        found: dict[str, NDArray[np.float32]] = {}
        for name, reads, output in network.layers:
            sums = hidden[reads] @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
            if output:
                found[output] = sums
                continue
            if name == "trunk":
                sums = sums - sums.mean(axis=1, keepdims=True)
                sums /= np.sqrt(np.square(sums).mean(axis=1, keepdims=True) + 1e-5)
                sums = sums * weights["norm.weight"] + weights["norm.bias"]
            hidden[name] = np.maximum(sums, 0.0)
        return found

    return outputs


def models(game: Game) -> dict[str, Any]:
    """Return the game's bundled network as models of several kinds, by name."""
    checkpoint = bundled_checkpoint(game)
    function: Any = numpy_network(load_checkpoint(checkpoint, game)[0])
    by_name: dict[str, Any] = {"a function": make(function, game)}
    with TemporaryDirectory() as folder:
        export(checkpoint, game, Path(folder), {"torch"})
        module = runpy.run_path(f"{folder}/network.py")["load"](folder)
        by_name["a PyTorch module"] = make(module, game)
        if find_spec("onnxruntime") and find_spec("onnx"):
            export(checkpoint, game, Path(folder), {"onnx"})
            by_name["an ONNX file"] = make(f"{folder}/network.onnx", game)
    return by_name


def cases(game: str) -> dict[str, Callable[[], int]]:
    """Return the cases of a game, each a function that returns its number of evaluations."""
    agent = make("network", registry.game(game))
    assert isinstance(agent, NetworkAgent)
    forward = ForwardPass(agent.network)
    observations, masks = situations(Batch(game, 64, players=usual_seats(game), seed=1))

    def evaluate() -> int:
        return len(forward.legal_logits(observations, masks))

    one = half_way(game, 1)
    many = half_way(game, GAMES)
    by_name: dict[str, Callable[[], int]] = {
        f"{game}: search, 1 thread": SearchCase(many),
        f"{game}: search, 2 threads": SearchCase(many, threads=2),
        f"{game}: network alone, compiled": evaluate,
        f"{game}: search, {ONE_GAME}": SearchCase(one),
    }
    for name, model in models(registry.game(game)).items():
        by_name[f"{game}: search over {name}"] = SearchCase(many, network=model)
        by_name[f"{game}: search over {name}, {ONE_GAME}"] = SearchCase(one, network=model)
    return by_name


def playouts_by_the_clock(game: str) -> list[float]:
    """Return the quartiles of the playouts of a searched move, in a game between copies.

    Playouts to the end of the game are long at first and short at last.
    """
    batch = Batch(game, 1, players=usual_seats(game), seed=0, autoreset=False)
    agent = search_agent(batch.game, seconds=MOVE_S)
    rows = np.arange(1)
    rng = GameGenerators.of_games(0, rows)
    playouts: list[int] = []
    for decision in itertools.count():
        if batch.done[0]:
            break
        if decision % EVERY:
            batch.step(agent.prior.probabilities(batch.obs, batch.mask).argmax(axis=1))
            continue
        result = agent.look_ahead(InformationSets(batch, rows), rng)
        if result.searched[0]:
            playouts.append(int(result.visits.sum()))
        batch.step(result.actions)
    quartiles: list[float] = np.quantile(playouts, [0.25, 0.5, 0.75]).tolist()
    return quartiles


def main(
    repeats: Annotated[int, typer.Option(help="Repeats of every measurement.", min=1)] = 3,
    seconds: Annotated[float, typer.Option(help="Processor seconds of each repeat.")] = 0.3,
    output: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
) -> None:
    """Measure search and the network by itself in turns."""
    by_name = {name: case for game in registry.names() for name, case in cases(game).items()}
    for name, case in by_name.items():
        if not isinstance(case, SearchCase) or name.endswith(ONE_GAME):
            case()  # a warm-up, which compiles, also for the searches of many games
    timed = {
        name: partial(report.rate, case, seconds, time.process_time)
        for name, case in by_name.items()
    }
    rates = report.in_turns(timed, repeats, "searching")
    report.save(output, rates)
    report.show("evaluated in processor time", rates, rates, unit="evaluations/s")
    playouts = {
        name: [case.playouts_per_evaluation * rate for rate in rates[name]]
        for name, case in by_name.items()
        if isinstance(case, SearchCase)
    }
    report.show("searched in processor time", playouts, playouts, unit="playouts/s")
    for game in registry.names():
        for threads in ("1 thread", "2 threads"):
            report.show_ratio(
                rates, f"{game}: search, {threads}", f"{game}: network alone, compiled"
            )
    for name in rates:
        game, _, what = name.partition(": ")
        if what.startswith("search over"):
            compiled = f"search, {ONE_GAME if what.endswith(ONE_GAME) else '1 thread'}"
            report.show_ratio(rates, name, f"{game}: {compiled}")
    Console().print(f"Ratios of search to the network alone should be at least {TARGET}.")
    for game in registry.names():
        low, median, high = playouts_by_the_clock(game)
        Console().print(
            f"{game}: {median:,.0f} playouts in a move of {MOVE_S} s (quartiles {low:,.0f} and "
            f"{high:,.0f})"
        )


if __name__ == "__main__":
    typer.run(main)
