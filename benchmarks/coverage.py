"""Measure how often `shakespeare measure`'s intervals are right: `make bench ARGS=coverage`.

`shakespeare measure` places an agent on a scale whose rungs are agents of known strength (see
`shakespeare_arena.measure`). Here the measured agents play exactly like rungs, so their true places
are known. By default each is a rung below 1: the first network, which plays a random share of the
moves while the others are random. These shares are spread evenly from 0 to 1. `--known` names other
rungs. Every agent is measured with a seed of its own.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from shakespeare_agents.making import make
from shakespeare_agents.storage import write_atomically
from shakespeare_arena import Entrant
from shakespeare_arena.measure import Budget, Placement, measure, reference, table_sizes
from shakespeare_env.core import registry


@dataclass(frozen=True)
class CheckedPlacement:
    """The measured place of an agent beside its true place, both as rungs of the scale."""

    game: str
    true: float
    seed: int
    placement: Placement

    @property
    def miss(self) -> str:
        """The side on which the interval misses the true place; empty if it holds the place."""
        low = self.placement.low
        high = self.placement.high
        if high is not None and high < self.true:
            return "below"  # the whole interval is below the true place
        if low is None or low > self.true:
            return "above"
        return ""

    @property
    def width(self) -> float:
        """The length of the interval, infinite if an end is beyond the scale."""
        low = self.placement.low
        high = self.placement.high
        if low is None or high is None:
            return np.inf
        return high - low


def random_shares(agents: int, rng: np.random.Generator) -> list[float]:
    """Divide 0 to 1 into as many equal parts as there are agents, and draw a share from each."""
    drawn = (np.arange(agents) + rng.random(agents)) / agents
    return [round(float(share), 4) for share in drawn]


def place(game: str, seats: int, true: float, games: int, seed: int) -> CheckedPlacement:
    """Measure an agent that plays like the rung `true`."""
    agent = Entrant(f"known to be at {true}", make(reference(true), registry.game(game)))
    result = measure(agent, game, players=[seats], budget=Budget(games=games), seed=seed)
    return CheckedPlacement(game, true, seed, result[seats])


def main(
    agents: Annotated[int, typer.Option(help="Agents at each number of seats.", min=1)] = 6,
    games: Annotated[int, typer.Option(help="Games of each agent.", min=1)] = 2000,
    seed: Annotated[int, typer.Option(help="Decides shares, deals and draws.")] = 1,
    game: Annotated[list[str] | None, typer.Option(help="By default all.")] = None,
    players: Annotated[list[int] | None, typer.Option(help="Seats; by default all.")] = None,
    known: Annotated[
        list[float] | None, typer.Option(help="Rungs to measure, instead of random shares.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Write the placements as JSON.")] = None,
) -> None:
    """Measure agents of known strength in every game, at every number of seats."""
    table = Table("Game", "Seats", "Agents", "Held", "Below", "Above", "Median width", "Seconds")
    everything: list[CheckedPlacement] = []
    for number, name in enumerate(registry.names()):
        if game and name not in game:
            continue
        for seats in table_sizes(registry.game(name), players):
            rng = np.random.default_rng([seed, number, seats])
            began = time.perf_counter()
            at_table = []
            for playouts in known or random_shares(agents, rng):
                true = int(playouts) if playouts >= 1 else playouts
                checked = place(name, seats, true, games, int(rng.integers(2**32)))
                Console(stderr=True).print(name, seats, true, str(checked.placement), checked.miss)
                at_table.append(checked)
            everything += at_table
            misses = [checked.miss for checked in at_table]
            table.add_row(
                name,
                str(seats),
                str(len(at_table)),
                str(misses.count("")),
                str(misses.count("below")),
                str(misses.count("above")),
                f"{np.median([checked.width for checked in at_table]):.3f}",
                f"{time.perf_counter() - began:.0f}",
            )
            if output is not None:
                content = [asdict(checked) | {"miss": checked.miss} for checked in everything]
                write_atomically(output, (json.dumps(content, indent=1) + "\n").encode())
    Console().print(table)
    held = sum(not checked.miss for checked in everything)
    total = len(everything)
    Console().print(f"{held} of {total} intervals hold the truth ({100 * held / total:.1f} %).")


if __name__ == "__main__":
    typer.run(main)
