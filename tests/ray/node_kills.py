"""Killing a node of a cluster in the middle, over and over: the results are those of one process.

`python -m tests.ray.node_kills --times 20` records a dataset and plays an arena in turn on two
nodes; an arena plays a fifth of `--games`. At a random moment of each run, `--longest` seconds of
play at most, one node is killed and another one added. A dataset's files are compared with those of
an undisturbed run in one process byte for byte, so are an arena's plans; its games are compared in
all but their seconds.
"""

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Timer
from typing import Any

from shakespeare_agents.arena.dataset import settings_of, write_dataset
from shakespeare_agents.arena.entrants import entrants_of
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.tournament import Progress, run_arena, running
from shakespeare_agents.workers import Tell, Workers, open_workers
from shakespeare_env.core import registry
from shakespeare_env.datasets.frames import parquet
from tests.arena.attacks import kills
from tests.arena.attacks.dataset_kills import content
from tests.arena.attacks.killing import attack
from tests.ray.two_nodes import TwoNodes, two_nodes

GAME = "shakespeare"
SHARD_S = 0.5
"""So short that most rounds of an arena give both nodes something to do."""
SLOW_TWIN = "import time\n" + kills.TWIN.replace(":\n", ":\n    time.sleep(0.0005)\n")
"""Takes its time, or an arena would spend most of its own between the rounds."""
Run = Callable[[Path, Workers | None, Callable[[], None]], dict[str, bytes]]
"""Plays into a folder and calls whenever games are kept; what is to be equal, by name."""


def dataset(games: int) -> Run:
    """A recording."""
    entrants = entrants_of(["heuristic", "network"], registry.game(GAME))
    size: dict[str, Any] = {"games": games, "games_per_shard": 512, "deals_together": 64}
    settings = settings_of(GAME, entrants, seed=3, **size)

    def run(folder: Path, workers: Workers | None, kept: Callable[[], None]) -> dict[str, bytes]:
        def tell(decisions: int, _games: int) -> None:
            if decisions:
                kept()

        write_dataset(folder, settings, entrants, tell, workers=workers)
        return content(folder)

    return run


def arena(place: Path, games: int) -> Run:
    """An arena whose field is in a folder; its agents are equal."""
    (place / "field.toml").write_text(kills.endless(games))
    (place / "twin.py").write_text(SLOW_TWIN)

    def run(folder: Path, workers: Workers | None, kept: Callable[[], None]) -> dict[str, bytes]:
        def tell(progress: Progress) -> None:
            if progress.games:
                kept()

        run_arena(Field.read(place / "field.toml"), folder, workers=workers, on_progress=tell)
        kills.check_unique(folder)
        plans = {path.name: path.read_bytes() for path in folder.glob("round-*.json")}
        return {**plans, "games": parquet(kills.games(folder).rechunk())}

    return run


class Strike:
    """The second node of a cluster, killed some time after the first games were kept."""

    def __init__(self, cluster: TwoNodes, after_s: float) -> None:
        self._cluster, self._killed = cluster, Event()
        self._timer = Timer(after_s, self._kill)
        self.struck = False

    def _kill(self) -> None:
        self._cluster.kill()
        self._killed.set()

    def kept(self) -> None:
        """Games are kept: from the first ones on the clock runs; a node killed is replaced."""
        if not (self._timer.is_alive() or self._killed.is_set()):
            self._timer.start()
        if self._killed.is_set() and not self.struck:
            self.struck = True
            self._cluster.add()  # Ray wants to do it in the main thread

    def end(self) -> bool:
        """The run is over, and the cluster gets two nodes again; whether it was struck before."""
        before = self.struck
        self._timer.cancel()
        self._timer.join()
        self.kept()
        return before


@dataclass(frozen=True)
class WhoWorks:
    """Its shards take some seconds and name the process that did them."""

    def start(self) -> Callable[[float, Tell], int]:
        return self._work

    def _work(self, seconds: float, _tell: Tell) -> int:
        time.sleep(seconds)
        return os.getpid()


def struck(
    run: Run, folder: Path, cluster: TwoNodes, after_s: float
) -> tuple[dict[str, bytes], bool]:
    """What a run gives on a cluster that loses a node, and whether it did in the middle."""
    with open_workers(ray=cluster.address) as workers:
        cluster.wait()
        seen: set[int] = set()
        while len(seen) < 2:  # until processes of both nodes work
            seen |= {process for _, process in workers.run(WhoWorks(), [0.2] * 4)}
        strike = Strike(cluster, after_s)
        found = run(folder, workers, strike.kept)
        return found, strike.end()


def _strike(given: Any, place: Path) -> tuple[int, str]:
    draws, hits = random.Random(given.seed), 0
    running.SHARD_S = SHARD_S
    runs = {"dataset": dataset(given.games), "arena": arena(place, given.games // 5)}
    whole = {what: run(place / f"whole {what}", None, lambda: None) for what, run in runs.items()}
    with two_nodes() as cluster:
        for number in range(given.times):
            what = list(runs)[number % len(runs)]
            after_s = draws.uniform(0, given.longest)
            found, hit = struck(runs[what], place / f"{what} {number}", cluster, after_s)
            hits += hit
            assert found == whole[what], f"{what} {number} differs"
            late = "" if hit else ", too late"
            print(f"{number + 1:>3} {what:<8} killed after {after_s:4.1f} s{late}", flush=True)
    return hits, "all results are equal"


if __name__ == "__main__":
    attack(_strike, times=20, games=8_000, longest=8.0)
