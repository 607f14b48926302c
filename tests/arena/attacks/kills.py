"""Killing an arena over and over: nothing that it reported is lost, nothing stands twice.

`python -m tests.arena.attacks.kills --times 100` kills it at random moments until that many kills
have struck, and compares what is left with an undisturbed run; `--longest` is in seconds of play.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Timer

import polars as pl

from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.games import playing
from shakespeare_agents.arena.tournament import run_arena
from shakespeare_env.datasets.results_reading import read_results, results_files

PROGRAM = "import sys; from tests.arena.attacks.kills import report; report(*sys.argv[1:])"
TWIN = "def act(observations, masks, rng):\n    return rng.choose(masks)\n"
"""Plays like `random`, from which no number of games can separate it."""
FIELD = """
agents = ["random", "twin.py:act"]
players = [2, 4]
equal_within = 1e-6
games = {games}
"""


def report(field: str, folder: str) -> None:
    """Play and print how many games are kept, then `over`."""
    playing.KEPT_EVERY_S = 0.0
    tell = lambda progress: print(progress.games, flush=True)  # noqa: E731
    run_arena(Field.read(field), Path(folder), on_progress=tell)
    print("over", flush=True)


def games(folder: Path) -> pl.DataFrame:
    """All that is equal in two runs."""
    return read_results(folder).select(pl.exclude("seconds")).sort("key")


def kept(folder: Path) -> int:
    """Rows of one key are copies that a kill left behind, and count once: as many as returned."""
    read = read_results(folder)
    rows = pl.concat([read, *(pl.read_parquet(path) for path in results_files(folder))])
    assert len(rows.unique()) == rows["key"].n_unique() == len(read)
    return len(read)


def killed_and_whole(place: Path, most: int, *, times: int, seed: int, longest: float) -> int:
    """Kill an arena often and compare it with one that nothing disturbs: how many kills struck."""
    field, folder, draws = place / "field.toml", place / "killed", random.Random(seed)
    field.write_text(FIELD.format(games=most))
    (place / "twin.py").write_text(TWIN)
    command = [sys.executable, "-c", PROGRAM, str(field), str(folder)]
    struck = 0
    while struck < times:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            first = process.stdout.readline()
            timer = Timer(draws.uniform(0, longest), process.kill)
            timer.start()
            lines = [line.strip() for line in (first, *process.stdout)]
            timer.cancel()
        reported = max([0, *(int(line) for line in lines if line.isdigit())])
        assert kept(folder) >= reported, f"{reported} games were reported"
        if "over" in lines:
            break
        struck += 1
    for name in ("killed", "whole"):
        run_arena(Field.read(field), place / name)
    assert games(folder).equals(games(place / "whole")), "the games differ"
    return struck


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in {"times": 100, "seed": 0, "games": 15_000, "longest": 0.3}.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    given = parser.parse_args()
    how = {"times": given.times, "seed": given.seed, "longest": given.longest}
    with tempfile.TemporaryDirectory() as name:
        struck = killed_and_whole(Path(name), given.games, **how)
    print(f"{struck} kills; all games are equal to the undisturbed ones")
    assert struck == given.times, "it was over too early: give more --games"


if __name__ == "__main__":
    main()
