"""How fast games are recorded, beside `evaluate`, and their size: `make bench-datasets`.

Games at four seats, a second of this process's time; files written are part of it. Cases take
turns; figures are medians of repeats, ratios are taken within a repeat.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from benchmarks import report
from benchmarks.engine import usual_seats
from shakespeare_agents.arena import evaluate
from shakespeare_agents.arena.dataset import settings_of, write_dataset
from shakespeare_agents.arena.entrants import entrants_of
from shakespeare_env.core import registry

TARGET = 0.75
"""The least share of `evaluate`'s rate at which games of networks should be recorded."""
AGENTS = ("heuristic", "network", "network,greedy=false")


def evaluated(game: str, agent: str, games: int) -> float:
    """Games a second of `evaluate`."""
    seats = usual_seats(game)
    entrants = entrants_of([agent] * seats, registry.game(game))
    return rate(games, lambda: evaluate(entrants, game, games=games, players=seats))


def recorded(game: str, agent: str, games: int, folder: Path) -> float:
    """Games a second of a dataset."""
    entrants = entrants_of([agent] * usual_seats(game), registry.game(game))
    settings = settings_of(game, entrants, games=games, seed=0)
    return rate(games, lambda: write_dataset(folder, settings, entrants))


def rate(games: int, play: Callable[[], object]) -> float:
    # Processor time excludes other programs.
    began = time.process_time()
    play()
    return games / (time.process_time() - began)


def measured(game: str, agent: str, games: int, repeats: int) -> tuple[float, str]:
    """The ratio of an agent's rates, and all figures in words."""
    rates, sizes = [], []
    for number in track(range(repeats + 1), f"{game}, {agent}", transient=True):
        with tempfile.TemporaryDirectory() as name:
            place, some = Path(name, "games"), games if number else 64  # what is first compiles
            pair = evaluated(game, agent, some), recorded(game, agent, some, place)
            sizes.append(sum(file.stat().st_size for file in place.glob("*.parquet")) / some)
        rates.append(pair)
    one, other = zip(*rates[1:], strict=True)
    ratio = statistics.median(b / a for a, b in rates[1:])
    figures = (
        f"{game}, {agent}: evaluate {statistics.median(one):,.0f}, "
        f"dataset {statistics.median(other):,.0f} games/s, ratio {ratio:.2f}; "
        f"{sizes[-1]:,.0f} bytes a game"
    )
    return ratio, figures


def main(
    games: Annotated[int, typer.Option(help="Of each case.")] = 2048,
    repeats: Annotated[int, typer.Option(help="Measurements of each case.")] = 5,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure both games."""
    ratios: dict[str, float] = {}
    for game in registry.names():
        for agent in AGENTS:
            ratio, figures = measured(game, agent, games, repeats)
            ratios[f"{game}, {agent}"] = ratio
            Console().print(figures, highlight=False)
    Console().print(f"target: a ratio of {TARGET} with networks", highlight=False)
    report.save(output, {}, ratios)


if __name__ == "__main__":
    typer.run(main)
