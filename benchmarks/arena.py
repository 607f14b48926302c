"""How fast an arena plays, beside `evaluate`: `make bench-arena`.

Games of heuristic agents at four seats, a second of the clock. An arena also plans, measures every
agent's time, keeps all moves and writes them. Cases take turns; figures are medians of repeats, the
ratio is taken within a repeat.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from benchmarks import report
from benchmarks.engine import usual_seats
from shakespeare_agents import make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.tournament import run_arena
from shakespeare_env.core import registry
from shakespeare_env.datasets.results_reading import read_results
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import GameGenerators

TARGET = 0.8
"""The least share of `evaluate`'s rate that an arena should reach."""


class Other:
    """The heuristic agent under another digest: an arena refuses the same one twice."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[Any]:
        actions: NDArray[Any] = self.agent.act(observations, masks, rng)
        return actions


def evaluated(game: str, agents: dict[str, AnyAgent], games: int) -> float:
    """Games a second of `evaluate`."""
    entrants = [Entrant(name, agent) for name, agent in agents.items()]
    seats = usual_seats(game)
    began = time.perf_counter()
    found = evaluate((entrants * seats)[:seats], game, games=games)
    return found.games / (time.perf_counter() - began)


def in_arena(game: str, agents: dict[str, AnyAgent], games: int) -> float:
    """Games a second of an arena."""
    contenders = [{"name": name, "agent": agent} for name, agent in agents.items()]
    # Equal agents are never distinguished, so it plays all games.
    field = Field.of(
        game=game, players=[usual_seats(game)], agents=contenders, games=games, equal_within=1e-9
    )
    with tempfile.TemporaryDirectory() as name:
        began = time.perf_counter()
        run_arena(field, Path(name))
        seconds = time.perf_counter() - began
        return len(read_results(name)) / seconds


def main(
    games: Annotated[int, typer.Option(help="Of each case.")] = 8192,
    repeats: Annotated[int, typer.Option(help="Measurements of each case.")] = 5,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure both games."""
    ratios: dict[str, float] = {}
    for name in registry.names():
        heuristic = make("heuristic", registry.game(name))
        agents = {"heuristic": heuristic, "another": Other(heuristic)}
        cases = {"evaluate": evaluated, "arena": in_arena}
        for play in cases.values():  # what comes first compiles
            play(name, agents, 64)
        timed = {kind: partial(play, name, agents, games) for kind, play in cases.items()}
        rates = report.in_turns(timed, repeats, f"measuring {name}")
        ratios[name] = report.median_ratio(rates, "arena", "evaluate")
        medians = {kind: statistics.median(found) for kind, found in rates.items()}
        figures = ", ".join(f"{kind} {median:,.0f}" for kind, median in medians.items())
        Console().print(
            f"{name}: games a second: {figures}; ratio {ratios[name]:.2f}, target {TARGET}",
            highlight=False,
        )
    report.save(output, {}, ratios)


if __name__ == "__main__":
    typer.run(main)
