"""Killing a recording over and over: nothing that it reported is lost, nothing stands twice.

`python -m tests.arena.attacks.dataset_kills --times 50` kills it at random moments until that many
kills have struck, every other time while two processes play, and compares all files with those of
an undisturbed run, byte for byte; `--longest` is in seconds.
"""

from pathlib import Path
from typing import Any

import polars as pl

from shakespeare_agents.arena.dataset import settings_of, write_dataset
from shakespeare_agents.arena.entrants import entrants_of
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_games
from tests.arena.attacks.killing import attack, kill_often

GAME = "shakespeare"
PROGRAM = """
import sys
from pathlib import Path
from shakespeare_agents.workers import open_workers
from tests.arena.attacks.dataset_kills import record

total = 0

def tell(decisions, games):
    global total
    total += games
    print(total, flush=True)

tell(0, 0)  # it is about to begin
with open_workers(int(sys.argv[3])) as workers:
    record(Path(sys.argv[1]), int(sys.argv[2]), tell, workers=workers)
print("over", flush=True)
"""


def record(folder, games, tell=lambda decisions, games: None, **more):
    """Groups and files are small, so that kills strike in between."""
    entrants = entrants_of(["random", "network"], registry.game(GAME))
    small: dict[str, Any] = {"games": games, "seed": 3, "games_per_shard": 64, "deals_together": 4}
    write_dataset(folder, settings_of(GAME, entrants, **small), entrants, tell, **more)


def content(folder: Path) -> dict[str, bytes]:
    """All files but the lock, which stays."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def kept(folder: Path) -> int:
    """The games on disk, in files that the manifest names and in parts of others."""
    if not (folder / "manifest.json").exists():
        return 0
    whole = read_games(folder, unfinished=True).select("game_id").collect()
    parts = [pl.read_parquet(path, columns=["game_id"]) for path in folder.glob("part-*")]
    assert whole["game_id"].is_unique().all()
    return pl.concat([whole, *parts]).n_unique()


def killed_and_whole(place: Path, games: int, **how: Any) -> tuple[int, str]:
    """Kill a recording often, as it begins or later, and compare it with an undisturbed one."""
    folder = place / "killed"
    words = lambda kill: (folder, games, 1 + kill % 2)  # noqa: E731
    struck = kill_often(PROGRAM, words, lambda: kept(folder), after=(1, 3), **how)
    before = kept(folder)
    for name in ("killed", "whole"):
        record(place / name, games)
    whole = content(place / "whole")
    assert content(folder) == whole, "the files differ"
    return struck, f"{before:,} of {games:,} games were kept, {len(whole)} files are equal"


def _strike(given: Any, place: Path) -> tuple[int, str]:
    how = {"times": given.times, "seed": given.seed, "longest_s": given.longest}
    return killed_and_whole(place, given.games, **how)


if __name__ == "__main__":
    attack(_strike, times=50, games=6_000, longest=1.0)
