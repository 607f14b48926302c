"""Measure how long compiling takes on first use: `python -m benchmarks.compile`.

Every case is a process of its own with an empty cache. The results are medians of processor time in
seconds, which other programs disturb less than the time on the clock. Cases take turns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.engine import ROOT, usual_seats
from shakespeare_agents.storage import write_output
from shakespeare_env.core import registry

USES = {
    "first step of a Batch": """
from shakespeare_env import Batch
batch = Batch({game!r}, n=1, players={players})
batch.step(batch.random_actions())
""",
    "first move of a Position": """
from shakespeare_env import Position
position = Position.new({game!r}, players={players})
position.push(position.moves()[0])
""",
    "everything": """
from shakespeare_env import registry
from shakespeare_env.core.position import compile_all
compile_all(registry.game({game!r}))
""",
}
PROGRAM = """
import json, time
from numba.core import event

spent = {"in all": 0.0, "LLVM": 0.0}  # and by compiled function

class Clock(event.Listener):
    depth = 0  # events nest, and only the outermost is timed
    def on_start(self, event):
        if self.depth == 0:
            self.started = time.process_time()
        self.depth += 1
    def on_end(self, event):
        self.depth -= 1
        if self.depth == 0:
            seconds = time.process_time() - self.started
            for name in self.names(event):
                spent[name] = spent.get(name, 0.0) + seconds

class CompileClock(Clock):
    def names(self, event):
        return event.data["dispatcher"].py_func.__name__, "in all"

class LLVMClock(Clock):
    def names(self, event):
        return ("LLVM",)

event.register("numba:compile", CompileClock())
event.register("numba:llvm_lock", LLVMClock())
{use}
print(json.dumps(spent))
"""


def compile_seconds(game: str, use: str) -> dict[str, float]:
    """Return the seconds that a use takes with an empty cache, by compiled function and in all."""
    program = PROGRAM.replace("{use}", USES[use].format(game=game, players=usual_seats(game)))
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "SHAKESPEARE_CACHE": empty}
        started = time.perf_counter()
        process = subprocess.run(
            [sys.executable, "-c", program], env=environment, check=True, capture_output=True
        )
    spent: dict[str, float] = json.loads(process.stdout)
    return {**spent, "process, by the clock": time.perf_counter() - started}


def main(
    repeats: Annotated[int, typer.Option(help="Repeats of every measurement.")] = 5,
    output: Annotated[Path | None, typer.Option(help="Write the figures to a JSON file.")] = None,
) -> None:
    """Measure what compiling costs and print a table per game."""
    measured: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for _ in track(range(repeats), description="compiling", console=Console(stderr=True)):
        for game in registry.names():
            for use in USES:
                measured[game, use].append(compile_seconds(game, use))
    figures = {
        f"{game}: {use}": {
            part: statistics.median(spent[part] for spent in repeats_of_case)
            for part in repeats_of_case[0]
        }
        for (game, use), repeats_of_case in measured.items()
    }
    if output is not None:
        write_output(output, (json.dumps(figures, indent=2) + "\n").encode())
    for name, parts in figures.items():
        table = Table(name, "seconds")
        table.columns[1].justify = "right"
        for part, seconds in parts.items():
            table.add_row(part, f"{seconds:.1f}")
        Console().print(table)


if __name__ == "__main__":
    typer.run(main)
