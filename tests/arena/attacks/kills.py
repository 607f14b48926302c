"""Killing an arena over and over: nothing that it reported is lost, nothing stands twice.

`python -m tests.arena.attacks.kills --times 100` kills it at random moments until that many kills
have struck, and compares what is left with an undisturbed run; `--longest` is in seconds of play.
"""

from pathlib import Path
from typing import Any

import polars as pl

from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.tournament import run_arena
from shakespeare_env.datasets.results_reading import read_results, results_files
from tests.arena.attacks.killing import attack, kill_often

PROGRAM = """
import sys
from pathlib import Path
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.games import playing
from shakespeare_agents.arena.tournament import run_arena
from shakespeare_agents.workers import open_workers

playing.KEPT_EVERY_S = 0.0

def tell(progress):
    print(progress.games, flush=True)

with open_workers(int(sys.argv[3])) as workers:
    run_arena(Field.read(sys.argv[1]), Path(sys.argv[2]), on_progress=tell, workers=workers)
print("over", flush=True)
"""
TWIN = "def act(observations, masks, rng):\n    return rng.choose(masks)\n"
"""Plays like `random`, from which no number of games can separate it."""


def endless(games: int) -> str:
    """A field that plays all its games, as its agents are equal; needs `twin.py`."""
    agents = 'agents = ["random", "twin.py:act"]\nplayers = [2, 4]\n'
    return f"{agents}equal_within = 1e-6\ngames = {games}\n"


def games(folder: Path) -> pl.DataFrame:
    """All that is equal in two runs."""
    return read_results(folder).select(pl.exclude("seconds")).sort("key")


def check_unique(folder: Path) -> int:
    """Rows of one key are copies that a kill left behind, and count once: as many as returned."""
    read = read_results(folder)
    rows = pl.concat([read, *(pl.read_parquet(path) for path in results_files(folder))])
    assert len(rows.unique()) == rows["key"].n_unique() == len(read)
    return len(read)


def killed_and_whole(place: Path, most: int, workers: int = 1, **how: Any) -> tuple[int, int]:
    """Kill an arena often and compare with one that nothing disturbs: kills, and games."""
    field, folder = place / "field.toml", place / "killed"
    field.write_text(endless(most))
    (place / "twin.py").write_text(TWIN)
    words = field, folder, workers
    struck = kill_often(PROGRAM, lambda _: words, lambda: check_unique(folder), **how)
    for name in ("killed", "whole"):
        run_arena(Field.read(field), place / name)
    assert games(folder).equals(games(place / "whole")), "the games differ"
    return struck, len(games(folder))


def _strike(given: Any, place: Path) -> tuple[int, str]:
    how = {"times": given.times, "seed": given.seed, "longest_s": given.longest}
    struck, count = killed_and_whole(place, given.games, given.workers, **how)
    return struck, f"{count:,} games, equal to the undisturbed ones"


if __name__ == "__main__":
    attack(_strike, times=100, games=15_000, longest=0.3, workers=1)
