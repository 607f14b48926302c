"""Killing a node of a cluster in the middle, over and over: the results are those of one process.

`python -m tests.ray.node_kills --times 20` records a dataset and plays an arena in turn on two
nodes. At a random moment of each run one of them is killed and another one added. A dataset's files
are compared with those of an undisturbed run in one process byte for byte, so are an arena's plans;
its games are compared in all but their seconds.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Timer

from shakespeare_agents.arena import tournament
from shakespeare_agents.arena.dataset import settings_of, write_dataset
from shakespeare_agents.arena.entrants import entrants_of
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.tournament import Progress, run_arena
from shakespeare_agents.workers import Tell, Workers, open_workers
from shakespeare_env import registry
from shakespeare_env.datasets.frames import parquet
from tests.arena import kills
from tests.arena.dataset_kills import content
from tests.ray.two_nodes import TwoNodes, two_nodes

GAME = "shakespeare"
FIELD = "field.toml"
SHARD_S = 0.5
"""So short that most rounds of an arena give both nodes something to do."""
SLOW_TWIN = "import time\n" + kills.TWIN.replace(":\n", ":\n    time.sleep(0.0005)\n")
"""Takes its time, or an arena would spend most of its own between the rounds."""
Run = Callable[[Path, Workers | None, Callable[[], None]], dict[str, bytes]]
"""Plays into a folder and calls whenever games are kept; what is to be equal, by name."""


def dataset(games: int) -> Run:
    """A recording."""
    entrants = entrants_of(["heuristic", "network"], registry.game(GAME))
    settings = settings_of(
        GAME, entrants, games=games, seed=3, games_per_shard=512, deals_together=64
    )

    def run(folder: Path, workers: Workers | None, kept: Callable[[], None]) -> dict[str, bytes]:
        def tell(decisions: int, _games: int) -> None:
            if decisions:
                kept()

        write_dataset(folder, settings, entrants, tell, workers=workers)
        return content(folder)

    return run


def arena(place: Path, games: int) -> Run:
    """An arena whose field is in a folder; nothing will ever tell its agents apart."""
    (place / FIELD).write_text(kills.endless(games))
    (place / "twin.py").write_text(SLOW_TWIN)

    def run(folder: Path, workers: Workers | None, kept: Callable[[], None]) -> dict[str, bytes]:
        field = Field.read(place / FIELD)

        def tell(progress: Progress) -> None:
            if progress.games:
                kept()

        run_arena(field, folder, workers=workers, on_progress=tell)
        kills.check_unique(folder)
        plans = {path.name: path.read_bytes() for path in folder.glob("round-*.json")}
        return {**plans, "games": parquet(kills.games(folder).rechunk())}

    return run


class Losses(logging.Handler):
    """Counts the shards that were lost."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "was lost" in record.getMessage()


class Strike:
    """The second node of a cluster, killed some time after the first games were kept.

    Attributes:
        struck: Whether that was before the end.
    """

    def __init__(self, cluster: TwoNodes, after_s: float) -> None:
        self._cluster, self._added = cluster, False
        self._killed = Event()
        self._timer = Timer(after_s, self._kill)
        self.struck = False

    def _kill(self) -> None:
        self._cluster.kill()
        self._killed.set()

    def kept(self) -> None:
        """Games are kept: from the first ones on the clock runs; a node killed is replaced."""
        if not (self._timer.is_alive() or self._killed.is_set()):
            self._timer.start()
        if self._killed.is_set() and not self._added:
            self.struck = self._added = True
            self._cluster.add()  # Ray wants to do it in the main thread

    def end(self) -> None:
        """The run is over: it has two nodes again."""
        self._timer.cancel()
        self._timer.join()
        self.kept()


@dataclass(frozen=True)
class WhoWorks:
    """Its shards, so many seconds long, tell which process did them."""

    def start(self) -> Callable[[float, Tell], int]:
        return self._work

    def _work(self, seconds: float, _tell: Tell) -> int:
        time.sleep(seconds)
        return os.getpid()


def wait_for_both(workers: Workers) -> None:
    """Wait until processes of both nodes work."""
    seen: set[int] = set()
    while len(seen) < 2:
        seen |= {process for _, process in workers.run(WhoWorks(), [0.2] * 4)}


def struck(
    run: Run, folder: Path, cluster: TwoNodes, after_s: float
) -> tuple[dict[str, bytes], bool]:
    """What a run gives on a cluster that loses a node, and whether it did in the middle."""
    with open_workers(ray=cluster.address) as workers:
        cluster.wait()
        wait_for_both(workers)
        strike = Strike(cluster, after_s)
        found = run(folder, workers, strike.kept)
        in_the_middle = strike.struck
        strike.end()
    return found, in_the_middle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--games", type=int, default=8_000, help="of a dataset; an arena plays a fifth"
    )
    parser.add_argument("--longest", type=float, default=8.0, help="seconds of play")
    given = parser.parse_args()
    draws = random.Random(given.seed)
    losses = Losses()
    logging.getLogger("shakespeare_agents").addHandler(losses)
    logging.getLogger("shakespeare_agents").propagate = False
    tournament._ArenaOnWorkers._together_s = SHARD_S
    with tempfile.TemporaryDirectory() as name, two_nodes() as cluster:
        place = Path(name)
        runs = {"dataset": dataset(given.games), "arena": arena(place, given.games // 5)}
        whole = {
            what: run(place / f"whole {what}", None, lambda: None) for what, run in runs.items()
        }
        hits = 0
        for number in range(given.times):
            what = list(runs)[number % len(runs)]
            folder, before = place / f"{what} {number}", losses.count
            after_s = draws.uniform(0, given.longest)
            found, hit = struck(runs[what], folder, cluster, after_s)
            lost = losses.count - before
            hits += hit
            assert found == whole[what], f"{what} {number} differs"
            print(
                f"{number + 1:>3} {what:<8} killed {after_s:4.1f} s after its first games"
                f"{'' if hit else ', too late'}; {lost} shards lost; "
                f"{len(found)} equal",
                flush=True,
            )
        print(
            f"{hits} of {given.times} runs lost a node in the middle, and {losses.count} shards "
            "with them; all results are equal"
        )
        assert hits == given.times, "some were over too early: give more --games"


if __name__ == "__main__":
    main()
