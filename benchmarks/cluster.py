"""Where a cluster saturates: `make bench-cluster`.

The process that hands out shards takes all results on one core. This measures its processor time
for a shard and for a game that it writes, and a core's for playing one, by agent; their ratio says
how many cores it can keep busy. Processor time hardly depends on other programs. Ray is started
here, on all cores.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import cloudpickle
import typer
from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.engine import usual_seats
from shakespeare_agents.arena.dataset import Part, Recording, settings_of, write_dataset
from shakespeare_agents.arena.entrants import Entrant, agent_set, entrants_of
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.tournament import run_arena
from shakespeare_agents.workers import Tell, ThisProcess, Workers, open_workers
from shakespeare_env.core import registry
from shakespeare_env.datasets import Settings

GAME = "shakespeare"
TWIN = "def act(observations, masks, rng):\n    return rng.choose(masks)\n"
"""Plays like `random`, so that an arena plays all its games."""
FIELD = 'agents = ["random", "twin.py:act"]\nplayers = [4]\nequal_within = 1e-6\n'


@dataclass(frozen=True)
class Nothing:
    """The job of doing nothing."""

    def start(self) -> Callable[[int, Tell], int]:
        return self._work

    def _work(self, number: int, _tell: Tell) -> int:
        return number


def spent(act: Callable[[], object]) -> float:
    """Processor seconds of this process, all its threads together."""
    began = time.process_time()
    act()
    return time.process_time() - began


def dataset(agent: str, games: int) -> tuple[Settings, list[Entrant]]:
    """A dataset of one agent at the usual seats, and who plays it."""
    entrants = entrants_of([agent] * usual_seats(GAME), registry.game(GAME))
    return settings_of(GAME, entrants, games=games, seed=0), entrants


def played(agent: str, games: int) -> tuple[float, float, list[Part]]:
    """Seconds a core needs for a game and for a decision, and the parts; warmed up."""
    settings, entrants = dataset(agent, games)
    agents = agent_set(entrants, registry.game(GAME), ThisProcess())
    work = Recording(settings, agents, 1).start()
    shards = [settings.deals_in(group) for group in range(settings.groups)]
    work(shards[0][:1], lambda *_: None)
    parts: list[Part] = []
    seconds = spent(lambda: parts.extend(work(shard, lambda *_: None) for shard in shards))
    decisions = sum(part.decisions for part in parts)
    return seconds / sum(part.games for part in parts), seconds / decisions, parts


def bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


def taken(workers: Workers, games: int, place: Path) -> dict[str, float]:
    """Seconds of the process that takes games, and bytes on disk, for a game."""
    settings, entrants = dataset("heuristic", games)
    write_dataset(place / "warm", *dataset("heuristic", 2048), workers=workers)
    recorded = spent(lambda: write_dataset(place / "data", settings, entrants, workers=workers))
    (place / "twin.py").write_text(TWIN)
    (place / "field.toml").write_text(f"{FIELD}games = {games}\n")
    field = Field.read(place / "field.toml")
    ranked = spent(lambda: run_arena(field, place / "arena", workers=workers))
    return {
        "dataset, s a game": recorded / games,
        "arena, s a game": ranked / games,
        "dataset, bytes a game": bytes_of(place / "data") / games,
        "arena, bytes a game": bytes_of(place / "arena") / games,
    }


def main(
    games: Annotated[int, typer.Option(help="Taken, and played by heuristics.")] = 20_000,
    searched: Annotated[int, typer.Option(help="Games played by searches.")] = 4,
    shards: Annotated[int, typer.Option(help="Of nothing.")] = 5_000,
    output: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure what a driver takes and what cores give, and divide."""
    console = Console()
    with tempfile.TemporaryDirectory() as name, open_workers(ray="local") as workers:
        list(workers.run(Nothing(), range(100)))
        began = time.perf_counter()
        shard_s = spent(lambda: list(workers.run(Nothing(), range(shards)))) / shards
        rate = shards / (time.perf_counter() - began)
        figures = {"shard, s": shard_s, **taken(workers, games, Path(name))}
    console.print(f"A shard of nothing: {1e3 * shard_s:.2f} ms of the driver, {rate:,.0f} a second")
    for what in ("dataset", "arena"):
        second, size = figures[f"{what}, s a game"], figures[f"{what}, bytes a game"]
        console.print(
            f"A game of a {what}: {1e6 * second:.0f} µs of the driver, {1 / second:,.0f} a second "
            f"at most; {size:,.0f} bytes on disk"
        )
    table = Table("agent", "games/s a core", "decisions/s a core", "bytes sent a game")
    table.add_column("cores, dataset")
    table.add_column("cores, arena")
    for column in table.columns[1:]:
        column.justify = "right"
    counts = {"heuristic": games // 10, "network": games // 10, "search": searched}
    for agent, count in counts.items():
        game_s, decision_s, parts = played(agent, count)
        sent = sum(len(cloudpickle.dumps(part)) for part in parts) / sum(p.games for p in parts)
        together = dataset(agent, 10**6)[0].deals_together * usual_seats(GAME)
        # A group of few games costs more than a shard of those that were measured.
        more_s = shard_s / together
        cores = [game_s / (figures[f"{what}, s a game"] + more_s) for what in ("dataset", "arena")]
        figures |= {f"{agent}, games/s": 1 / game_s, f"{agent}, decisions/s": 1 / decision_s}
        figures |= {f"{agent}, bytes": sent, f"{agent}, cores": cores[0]}
        cells = [f"{1 / game_s:,.2f}", f"{1 / decision_s:,.0f}", f"{sent:,.0f}"]
        table.add_row(agent, *cells, *(f"{number:,.0f}" for number in cores))
    console.print(table)
    console.print("Cores: how many one driver keeps busy, by the model of docs/cluster.md")
    report.save(output, {}, figures)


if __name__ == "__main__":
    typer.run(main)
