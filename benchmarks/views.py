"""Measure how fast each interface of the engine steps, beside peers: `make bench ARGS=views`.

Legal moves are drawn uniformly at four seats on one thread, and every decider's observation and
mask are read. Cases take turns, so that drift affects them equally. The results are medians. The
peers are comparable environments. `benchmarks/peers.py` says how to install them; missing ones are
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from benchmarks import report
from benchmarks.peers import PEERS, aec_rate
from shakespeare_agents import RandomAgent
from shakespeare_env import Batch, Position, env, raw_env
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.wrappers.gym import SingleAgentEnv, SingleAgentVectorEnv
from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch

PLAYERS = 4
GAMES = 1024
WARM_UP = 300
"""Steps before timing, after which a batch's games are at all stages."""


class CountingAgent(RandomAgent):
    """A random agent that counts its decisions."""

    def __init__(self) -> None:
        self.decisions = 0

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        self.decisions += len(masks)
        return super().act(observations, masks, rng)


def warm(steps: Iterator[int]) -> Callable[[float], float]:
    """Warm up games that yield each step's decisions, and return a function that times them."""
    for _ in range(WARM_UP):
        next(steps)
    return partial(report.rate, partial(next, steps))


def batch_steps() -> Iterator[int]:
    batch = Batch(n=GAMES, players=PLAYERS)
    while True:
        batch.step(batch.random_actions())
        yield GAMES


def position_steps() -> Iterator[int]:
    generator = np.random.default_rng(0)
    while True:
        position = Position.new(players=PLAYERS, seed=int(generator.integers(2**62)))
        while position.to_move is not None:
            position.observation(position.to_move)
            legal = position.moves()
            position.push(legal[int(generator.random() * len(legal))])
            yield 1


def seat_steps() -> Iterator[int]:
    opponent = CountingAgent()
    generator = np.random.default_rng(0)
    view = SingleAgentEnv(players=PLAYERS, opponents=opponent)
    _, infos = view.reset(seed=0)
    while True:
        before = opponent.decisions
        legal = np.flatnonzero(infos["action_mask"])
        _, _, terminated, _, infos = view.step(legal[int(generator.random() * len(legal))])
        if terminated:
            _, infos = view.reset()
        yield 1 + opponent.decisions - before


def vector_steps() -> Iterator[int]:
    opponent = CountingAgent()
    view = SingleAgentVectorEnv(GAMES, players=PLAYERS, opponents=opponent)
    view.reset(seed=0)
    while True:
        before = opponent.decisions
        view.step(view.games.batch.random_actions())
        yield GAMES + opponent.decisions - before


def seat_vec_steps() -> Iterator[int]:
    opponent = CountingAgent()
    games = SingleAgentBatch(n=GAMES, players=PLAYERS, opponents=opponent, seed=0)
    view = SB3SingleAgentVecEnv(games)
    view.reset()
    while True:
        before = opponent.decisions
        view.action_masks()
        view.step(view.games.batch.random_actions())
        yield GAMES + opponent.decisions - before


BATCH = f"Batch, {GAMES:,} games"
AEC = "PettingZoo env()"
CONNECT_FOUR = PEERS[0].name


def cases() -> dict[str, Callable[[float], float | None]]:
    """Warm up every case, and return functions that measure decisions a second, by case.

    The functions take the seconds to play, and return None if a peer is not installed.
    """
    setting = "random opponents, all seats counted"
    return {
        BATCH: warm(batch_steps()),
        f"SB3 one seat, {GAMES:,} games, {setting}": warm(seat_vec_steps()),
        f"Gymnasium vector, {GAMES:,} games, {setting}": warm(vector_steps()),
        "Position": warm(position_steps()),
        "PettingZoo raw_env()": partial(aec_rate, raw_env, seed=0),
        AEC: partial(aec_rate, env, seed=0),
        f"Gymnasium, one game, {setting}": warm(seat_steps()),
        **{peer.name: partial(peer.rate, seed=0) for peer in PEERS},
    }


def main(
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of every measurement.")] = 5,
    seconds: Annotated[float, typer.Option(help="Seconds of each repeat.")] = 1.0,
    output: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
) -> None:
    """Measure every interface and every peer that is installed, and print a table."""
    console = Console()
    with console.status("warming up"):
        everything = cases()
    timed = {name: partial(measure, seconds) for name, measure in everything.items()}
    rates = report.in_turns(timed, repeats, "stepping")
    report.save(output, rates)
    report.show("random play, four seats", rates, everything)
    report.show_ratio(rates, AEC, CONNECT_FOUR)


if __name__ == "__main__":
    typer.run(main)
