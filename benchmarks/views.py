"""How fast each view of the engine steps, beside comparable environments: `make bench-views`.

Uniformly random legal play at four seats on one thread, reading every decider's observation and
mask. Cases take turns, so that drift of the machine's speed hits them alike; figures are medians.
`benchmarks/peers.py` says how to install the peers; missing ones are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from benchmarks import report
from benchmarks.peers import PEERS, aec_rate
from shakespeare_agents import RandomAgent
from shakespeare_env import Batch, Position, env, raw_env
from shakespeare_env.generators import GameGenerators
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv, SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv

PLAYERS = 4
GAMES = 1024
WARM_UP = 300
"""Steps before timing, which spread a batch's games over all days."""


class CountingAgent(RandomAgent):
    def __init__(self) -> None:
        self.decisions = 0

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        self.decisions += len(masks)
        return super().act(observations, masks, rng)


@dataclass(frozen=True)
class Case:
    """A named rate: seconds -> decisions a second, None if not installed."""

    name: str
    rate: Callable[[float], float | None]


def stepped(step: Callable[[], int], seconds: float) -> float:
    """Decisions a second of a function that returns how many it played."""
    decisions = 0
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        decisions += step()
    return decisions / elapsed


def warm(step: Callable[[], int]) -> Callable[[float], float]:
    """A function's rate once its games are under way."""
    for _ in range(WARM_UP):
        step()
    return partial(stepped, step)


def batch_case() -> Callable[[float], float]:
    batch = Batch(n=GAMES, players=PLAYERS)

    def step() -> int:
        batch.step(batch.random_actions())
        return GAMES

    return warm(step)


def position_case() -> Callable[[float], float]:
    generator = np.random.default_rng(0)
    position = Position.new(players=PLAYERS)

    def step() -> int:
        nonlocal position
        seat = position.to_move
        if seat is None:
            position = Position.new(players=PLAYERS, seed=int(generator.integers(2**62)))
            return 0
        position.observation(seat)
        legal = position.moves()
        position.push(legal[int(generator.random() * len(legal))])
        return 1

    return warm(step)


def self_play_case() -> Callable[[float], float]:
    view = SB3SelfPlayVecEnv(Batch(n=GAMES, players=PLAYERS, autoreset=False))
    view.reset()

    def step() -> int:
        view.action_masks()
        view.step(view.batch.random_actions())
        return GAMES

    return warm(step)


def seat_case() -> Callable[[float], float]:
    opponent, generator = CountingAgent(), np.random.default_rng(0)
    view = SingleAgentEnv(players=PLAYERS, opponents=opponent)
    _, infos = view.reset(seed=0)

    def step() -> int:
        nonlocal infos
        before = opponent.decisions
        legal = np.flatnonzero(infos["action_mask"])
        _, _, ended, _, infos = view.step(legal[int(generator.random() * len(legal))])
        if ended:
            _, infos = view.reset()
        return 1 + opponent.decisions - before

    return warm(step)


def vector_case() -> Callable[[float], float]:
    opponent = CountingAgent()
    view = SingleAgentVectorEnv(GAMES, players=PLAYERS, opponents=opponent)
    view.reset(seed=0)

    def step() -> int:
        before = opponent.decisions
        view.step(view.games.batch.random_actions())
        return GAMES + opponent.decisions - before

    return warm(step)


def seat_vec_case() -> Callable[[float], float]:
    opponent = CountingAgent()
    games = SingleAgentBatch(n=GAMES, players=PLAYERS, opponents=opponent, seed=0)
    view = SB3SingleAgentVecEnv(games)
    view.reset()

    def step() -> int:
        before = opponent.decisions
        view.action_masks()
        view.step(view.games.batch.random_actions())
        return GAMES + opponent.decisions - before

    return warm(step)


BATCH = f"Batch, {GAMES:,} games"
SELF_PLAY = f"SB3 self-play, {GAMES:,} games"
AEC = "PettingZoo env()"
CONNECT_FOUR = PEERS[0].name


def cases() -> list[Case]:
    """Everything to measure, warmed up."""
    seated = "random opponents, all seats counted"
    own = [
        Case(BATCH, batch_case()),
        Case(SELF_PLAY, self_play_case()),
        Case(f"SB3 one seat, {GAMES:,} games, {seated}", seat_vec_case()),
        Case(f"Gymnasium vector, {GAMES:,} games, {seated}", vector_case()),
        Case("Position", position_case()),
        Case("PettingZoo raw_env()", partial(aec_rate, raw_env, seed=0)),
        Case(AEC, partial(aec_rate, env, seed=0)),
        Case(f"Gymnasium, one game, {seated}", seat_case()),
    ]
    return own + [Case(peer.name, partial(peer.rate, seed=0)) for peer in PEERS]


def main(
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of every measurement.")] = 5,
    seconds: Annotated[float, typer.Option(help="Seconds of each repeat.")] = 1.0,
    output: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
) -> None:
    """Measure every view and every peer that is installed, and print a table."""
    console = Console()
    with console.status("warming up"):
        everything = cases()
    found: dict[str, list[float]] = {}
    for _ in track(range(repeats), description="stepping"):
        for case in everything:
            rate = case.rate(seconds)
            if rate is not None:
                found.setdefault(case.name, []).append(rate)
    report.save(output, found)
    report.show("random play, four seats", found, [case.name for case in everything])
    report.show_ratio(found, SELF_PLAY, BATCH)
    report.show_ratio(found, AEC, CONNECT_FOUR)


if __name__ == "__main__":
    typer.run(main)
