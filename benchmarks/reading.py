"""How fast recorded games are read, beside the engine alone: `make bench-reading`.

Games of heuristic agents at four seats; decisions a second of the clock, on one core. Cases take
turns; figures are medians of repeats.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from benchmarks import report
from benchmarks.engine import usual_seats
from shakespeare_agents import make
from shakespeare_agents.arena import Entrant
from shakespeare_agents.arena.dataset import settings_of, write_dataset
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_batches, read_decisions

TEXTS = 2000
"""Decisions whose texts are made, which takes long."""


def engine(name: str) -> int:
    """Random games, stepped."""
    batch = Batch(name, 512, players=usual_seats(name))
    for _ in range(400):
        batch.step(batch.random_actions())
    return 400 * batch.n


def cases(folder: Path, name: str) -> dict[str, Callable[[], int]]:
    """What is measured; each returns its decisions."""
    decisions = read_decisions(folder)
    batches = read_batches(folder, size=2048)
    shuffled = read_batches(folder, size=2048, seed=0)
    some = decisions.head(TEXTS)
    return {
        "engine alone, random actions": lambda: engine(name),
        "actions and values, as stored": lambda: (
            decisions.select("action", "value").collect().height
        ),
        "seats, agents, scores": lambda: (
            decisions.select("seat", "agent", "score", "won").collect().height
        ),
        "texts of moves": lambda: decisions.select("move").collect().height,
        "legal moves": lambda: decisions.head(50 * TEXTS).select("legal_moves").collect().height,
        "positions as text": lambda: some.select("position").collect().height,
        "NumPy batches, in order": lambda: sum(batch.size for batch in batches),
        "NumPy batches, shuffled": lambda: sum(batch.size for batch in shuffled),
    }


def main(
    games: Annotated[int, typer.Option(help="Of the dataset.")] = 2000,
    repeats: Annotated[int, typer.Option(help="Measurements of each case.")] = 5,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure both games."""
    for name in registry.names():
        heuristic = Entrant("heuristic", make("heuristic", registry.game(name)))
        entrants = [heuristic] * usual_seats(name)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "games"
            settings = settings_of(name, entrants, games=games, seed=0)
            write_dataset(folder, settings, entrants)
            measured = cases(folder, name)
            for read in measured.values():  # what comes first compiles
                read()
            timed = {case: partial(report.rate, read, 0.0) for case, read in measured.items()}
            rates = report.in_turns(timed, repeats, f"measuring {name}")
        report.show(f"{name}: decisions a second", rates, list(rates))
        report.save(output, rates)


if __name__ == "__main__":
    typer.run(main)
