"""Compare how fast a network is evaluated in search and by itself: `make bench ARGS=search`.

The results are evaluations per second of processor time, summed over all threads. Other programs
disturb processor time less than the time on the clock. In search, playouts evaluate the policy and
the forecasts of the outcome. By itself, the network's compiled forward pass evaluates only the
policy, for many situations of one game at once. Searches over a model ask the same network,
exported to PyTorch, to ONNX and to a function of NumPy arrays. Cases take turns. The results are
medians of repeats, and ratios are taken within a repeat.

The last figures say how many playouts a search by the clock reaches in a move. That search needs a
core for itself.
"""

from __future__ import annotations

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
from threadpoolctl import ThreadpoolController

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

TARGET = 0.6
"""The least ratio of the rate of search to that of the network by itself."""
GAMES = 16
"""Games searched together."""
ONE_GAME = "1 game at once"
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


def search_case(game: str, games: int, **options: Any) -> Callable[[], int]:
    """Return a function that searches a decision in each game and counts network evaluations."""
    batch = Batch(game, games, players=usual_seats(game), seed=0)
    # With `near_certain=1.0`, moves that are nearly certain are searched, too.
    agent = search_agent(batch.game, near_certain=1.0, **options)
    rows = np.arange(games)
    rng = GameGenerators.of_games(0, rows)

    def search() -> int:
        before = agent.runner.decisions
        batch.step(agent.search(InformationSets(batch, rows), rng))
        return agent.runner.decisions - before

    return search


def numpy_network(network: Network) -> Callable[..., NDArray[np.float32]]:
    """Return the policy of a network as a function of observations and masks."""
    weights = network.tensors
    scale = input_scale(network.layout)

    def layer(name: str, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        outputs: NDArray[np.float32] = inputs @ weights[f"{name}.weight"].T
        return outputs + weights[f"{name}.bias"]

    def logits(observations: NDArray[np.int8], _masks: NDArray[np.bool_]) -> NDArray[np.float32]:
        trunk = layer("trunk", observations * scale)
        centred = trunk - trunk.mean(axis=1, keepdims=True)
        normal = centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-5)
        features = np.maximum(normal * weights["norm.weight"] + weights["norm.bias"], 0.0)
        return layer("action", np.maximum(layer("policy", features), 0.0))

    return logits


def models(game: Game) -> dict[str, Any]:
    """Return the game's bundled network as models of several kinds, by name."""
    checkpoint = bundled_checkpoint(game)
    function = numpy_network(load_checkpoint(checkpoint, game)[0])
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

    by_name: dict[str, Callable[[], int]] = {
        f"{game}: search, 1 thread": search_case(game, GAMES),
        f"{game}: search, 2 threads": search_case(game, GAMES, threads=2),
        f"{game}: network alone, compiled": evaluate,
        f"{game}: search, {ONE_GAME}": search_case(game, 1),
    }
    for name, model in models(registry.game(game)).items():
        by_name[f"{game}: search over {name}"] = search_case(game, GAMES, network=model)
        by_name[f"{game}: search over {name}, {ONE_GAME}"] = search_case(game, 1, network=model)
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
