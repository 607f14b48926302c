"""Killing a recording over and over: nothing that it reported is lost, nothing stands twice.

`python -m tests.arena.dataset_kills --times 50` kills it at random moments until that many have
struck, every other time while two processes play, and compares all files with those of an
undisturbed run, byte for byte; `--longest` is in seconds.
"""

import random
from pathlib import Path
from typing import Any

import polars as pl

from shakespeare_agents.arena.dataset import settings_of, write_dataset
from shakespeare_agents.arena.entrants import entrants_of
from shakespeare_env import registry
from shakespeare_env.datasets import read_games
from tests.arena.killing import attack, killed

GAME = "shakespeare"
PROGRAM = """
import sys
from pathlib import Path
from shakespeare_agents.workers import open_workers
from tests.arena.dataset_kills import record

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


def kill_often(folder: Path, games: int, times: int, seed: int, longest_s: float) -> int:
    """Start a recording again and again and kill it at random moments; how many kills struck."""
    draws = random.Random(seed)
    for kill in range(times):
        # As it begins, or once it has kept something.
        after = draws.choice((1, 3))
        reported, over = killed(PROGRAM, (folder, games, 1 + kill % 2), draws, longest_s, after)
        assert kept(folder) >= reported, f"{reported} games were reported"
        if over:
            return kill
    return times


def _strike(given: Any, place: Path) -> tuple[int, str]:
    struck = kill_often(place / "killed", given.games, given.times, given.seed, given.longest)
    before = kept(place / "killed")
    for folder in ("killed", "whole"):
        record(place / folder, given.games)
    whole = content(place / "whole")
    assert content(place / "killed") == whole, "the files differ"
    return struck, f"{before:,} of {given.games:,} games were kept, {len(whole)} files are equal"


if __name__ == "__main__":
    attack(_strike, times=50, games=6_000, longest=1.0)
