"""Killing a recording over and over: nothing that it reported is lost, nothing stands twice.

`python -m tests.arena.dataset_kills --times 50` kills it at random moments until so many have
struck, every other time while two processes play, and compares all files with those of an
undisturbed run, byte for byte.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import polars as pl
from rich.progress import track

from shakespeare_agents.arena.dataset import settings_of, write_dataset
from shakespeare_agents.arena.entrants import entrants_of
from shakespeare_env import registry
from shakespeare_env.datasets import Settings, read_games
from tests.arena.killing import killed, started

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


def settings(games: int) -> Settings:
    """Groups and files are small, so that kills strike in between."""
    return settings_of(GAME, _entrants(), games=games, seed=3, games_per_shard=64, deals_together=4)


def record(folder, games, tell=lambda decisions, games: None, **more):
    write_dataset(folder, settings(games), _entrants(), tell, **more)


def _entrants():
    return entrants_of(["random", "network"], registry.game(GAME))


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
    for kill in track(range(times), "killing", transient=True):
        process = started(PROGRAM, folder, games, 1 + kill % 2)
        # As it begins, or once it has kept something.
        after = draws.choice((1, 3))
        reported, over = killed(process, draws, longest_s, after)
        assert kept(folder) >= reported, f"{reported} games were reported"
        if over:
            return kill
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=6_000)
    parser.add_argument("--longest", type=float, default=1.0, help="seconds")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        struck = kill_often(place / "killed", given.games, given.times, given.seed, given.longest)
        before = kept(place / "killed")
        for folder in ("killed", "whole"):
            record(place / folder, given.games)
        whole = content(place / "whole")
        assert content(place / "killed") == whole, "the files differ"
        print(
            f"{struck} kills left {before:,} games of {given.games:,}; resumed, all "
            f"{len(whole)} files are those of an undisturbed run, byte for byte"
        )
        assert struck == given.times, "it was over too early: give more --games"


if __name__ == "__main__":
    main()
