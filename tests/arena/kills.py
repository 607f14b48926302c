"""Killing an arena over and over: nothing that it reported is lost, nothing stands twice.

`python -m tests.arena.kills --times 100` kills it at random moments until so many have struck, and
compares what is left with an undisturbed run.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import polars as pl
from rich.progress import track

from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.tournament import run_arena
from shakespeare_env.datasets.results_reading import read_results, results_files
from tests.arena.killing import killed, started

PROGRAM = """
import sys
from pathlib import Path
from shakespeare_agents.arena import playing
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.tournament import run_arena
from shakespeare_agents.workers import open_workers

playing.KEPT_EVERY_S = 0.0

def tell(progress):
    print(progress.games, flush=True)

field, folder, workers = Field.read(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
if workers == 1:
    run_arena(field, folder, on_progress=tell)
else:
    with open_workers(workers) as crew:
        run_arena(field, folder, on_progress=tell, workers=crew)
print("over", flush=True)
"""
TWIN = "def act(observations, masks, rng):\n    return rng.choose(masks)\n"
"""Plays like `random`, from which nothing will ever tell it."""
UNTIMED = pl.exclude("seconds")
"""All that is equal in two runs."""


def endless(games: int) -> str:
    """A field that plays all its games, as nothing tells its agents apart; needs `twin.py`."""
    agents = 'agents = ["random", "twin.py:act"]\nplayers = [2, 4]\n'
    return f"{agents}equal_within = 1e-6\ngames = {games}\n"


def games(folder: Path) -> pl.DataFrame:
    return read_results(folder).select(UNTIMED).sort("key")


def kill_often(
    field: Path, folder: Path, times: int, seed: int, longest_s: float, workers: int = 1
) -> int:
    """Start an arena again and again and kill it at random moments; how many kills struck."""
    draws = random.Random(seed)
    for kill in track(range(times), "killing", transient=True):
        process = started(PROGRAM, field, folder, workers)
        reported, over = killed(process, draws, longest_s)
        assert len(games(folder)) >= reported, f"{reported} games were reported"
        check_unique(folder)
        if over:
            return kill
    return times


def check_unique(folder: Path) -> None:
    """Rows of one key are copies that a kill left behind, and count once."""
    read = read_results(folder)
    rows = pl.concat([read, *(pl.read_parquet(path) for path in results_files(folder))])
    assert len(rows.unique()) == rows["key"].n_unique() == len(read)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=15_000)
    parser.add_argument("--longest", type=float, default=0.3, help="seconds of play")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        field = place / "field.toml"
        field.write_text(endless(given.games))
        (place / "twin.py").write_text(TWIN)
        killing = given.times, given.seed, given.longest, given.workers
        struck = kill_often(field, place / "killed", *killing)
        for folder in ("killed", "whole"):
            run_arena(Field.read(field), place / folder)
        killed, whole = games(place / "killed"), games(place / "whole")
        assert killed.equals(whole), "the games differ"
        print(f"{struck} kills; {len(whole):,} games, equal to the undisturbed ones")
        assert struck == given.times, "it was over too early: give more --games"


if __name__ == "__main__":
    main()
