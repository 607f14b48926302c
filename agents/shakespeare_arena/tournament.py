"""The rounds of an arena, planned and played until the order is settled or time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path

from shakespeare_agents.storage import write_atomically
from shakespeare_agents.travel import AgentSet, AgentSources, workers_for_stored_games
from shakespeare_agents.workers import Workers
from shakespeare_arena.config import ArenaConfig, open_contenders
from shakespeare_arena.games.playing import GamesJob, shards_of
from shakespeare_arena.games.recording import GamesWriter
from shakespeare_arena.games.results import CONFIG_NAME, ResultsFolder, RoundPlan, open_results
from shakespeare_arena.games.rows import Row, play_recorded
from shakespeare_arena.games.seating import RunSettings, Seating
from shakespeare_arena.matchmaking import GROWTH, Ladder, ladders_at_look, plan_round
from shakespeare_env.core import registry
from shakespeare_env.extras import requires_extra

with requires_extra("arena", "the arena needs"):
    import polars as pl

_FIRST_ROUND = 24  # games per agent and table in the first round
LOST_IN_A_ROW = 10
"""The number of games lost by faults in a row after which an agent plays no more."""

RoundProgress = Callable[[int, int, int, int], None]
"""Progress callback, called when a round begins and after every step of it.

The arguments are the number of the round, from 0 (-1 before the first is planned); the games of the
arena's agents that are kept, in all rounds; the games that will be kept when the round is over; and
the decisions made in this run.
"""


class Ending(StrEnum):
    """The reason why an arena has stopped."""

    settled = "the order is settled"
    games = "its games are played"
    minutes = "its minutes are over"
    alone = "fewer than two agents go on playing"


def run_arena(
    config: ArenaConfig,
    folder: Path,
    *,
    on_progress: RoundProgress | None = None,
    workers: Workers | None = None,
) -> Ending:
    """Play until the agents' order is settled at every table, or games or minutes are spent.

    Results are kept in the folder. If it already holds results, they count too, even those of
    agents that are not in the configuration. Calling this again resumes an arena. An interruption
    loses only the games in progress. Equal configurations give equal games, unless a time
    limit, an agent's use of the clock or an external program influences them. The programs
    and the Python code that the configuration names are run (see `ArenaConfig.untrusted_code`).

    Args:
        config: The agents, the tables, and when to stop.
        folder: The folder of results.
        on_progress: Called during rounds.
        workers: The workers that play the games (see `open_workers`), by default this process.
            The games do not depend on the choice of workers.

    Raises:
        ArenaError: an agent cannot be made, two are the same, or the folder cannot be used.
        DatasetError: the folder's results are damaged, or of another box (the file of the game's
            cards and numbers).
        ModuleNotFoundError: a package of the extra `arena` is missing.
        OSError: something cannot be written.
        WorkerError: workers are lost, or an agent differs from its copy on a worker.
    """
    game = registry.game(config.game)
    folder = folder.resolve()
    with open_contenders(config, game) as entrants, open_results(folder, config.game) as results:
        if config.text:
            write_atomically(folder / CONFIG_NAME, config.text.encode())
        names = {digest: entrant.name for digest, entrant in entrants.items()}
        # `GamesJob` fills in `agents`, which it sends to workers apart from the settings.
        settings = RunSettings(config.game, config.variants, config.seed, agents={}, names=names)
        playing = list(entrants.values())
        job = GamesJob(AgentSet(game, playing), tuple(entrants), settings, play_recorded)
        # The digest of an agent named as Python code is made of its files. So these must not change
        # while it plays (`AgentSources`), and by default it plays in a new process, which imports
        # them as they are now (`workers_for_stored_games`).
        sources = AgentSources(entrant.given for entrant in playing)
        with workers_for_stored_games(workers, playing) as opened_workers:
            return _Arena(config, job, results, on_progress, opened_workers, sources).run()


def sits_out(results: pl.DataFrame, digest: str) -> bool:
    """Return whether an agent has lost its last `LOST_IN_A_ROW` games by faults of its own."""
    own = results.filter(pl.col("digests").list.contains(digest))
    # Games are written in an order that depends on timing, so they are sorted by deal here.
    last = own.sort("deal", "rotation", "players", "key").tail(LOST_IN_A_ROW)
    lost = last.filter(pl.col("digests").list.get(pl.col("forfeited_by")) == digest)
    return lost.height == LOST_IN_A_ROW


class _OutOfTime(Exception):  # noqa: N818 - nothing is wrong
    """The minutes are over."""


class _Arena:
    """One run of an arena: plans rounds, plays them, and decides when to stop."""

    def __init__(
        self,
        config: ArenaConfig,
        job: GamesJob[list[Row]],
        results: ResultsFolder,
        on_progress: RoundProgress | None,
        workers: Workers,
        sources: AgentSources,
    ) -> None:
        self._config = config
        self._job = job
        self._folder = results
        self._on_progress = on_progress
        self._workers = workers
        self._sources = sources
        self._until: float | None = None  # the time to stop, on the monotonic clock
        self._decisions = 0  # made in this run
        # The games that count so far, and those that will count when the round is over.
        self._games = self._games_of_config().height
        self._planned = self._games

    def run(self) -> Ending:
        try:
            while True:
                missing = self._missing()
                self._planned = self._games + len(missing)
                self._report_progress()
                self._play(missing)
                ending = self._ending()
                if ending is not None:
                    return ending
                self._begin_round()
        except _OutOfTime:
            return Ending.minutes

    def _play(self, seatings: Sequence[Seating]) -> None:
        shards = shards_of(seatings, len(seatings), self._workers, self._job.agents.entrants)
        before = self._games
        with (
            closing(self._workers.run(self._job, shards)) as progress,
            GamesWriter(self._folder, self._sources) as writer,
        ):
            for step in progress:
                writer.add(step.result or [])
                self._games = before + writer.written
                self._decisions += step.decisions
                self._report_progress()
                self._check_time()
        self._games = before + len(seatings)
        self._report_progress()

    def _begin_round(self) -> None:
        last = self._folder.last_plan
        number = 0 if last is None else last.number + 1
        playing = self._playing()
        in_first_round = _FIRST_ROUND * len(playing) * len(self._config.players)
        games = round(in_first_round * GROWTH**number)
        matches = plan_round(
            self._folder.results,
            self._ladders(self._folder.results, playing, number + 1),
            agents=playing,
            seed=self._config.seed,
            number=number,
            games=min(games, self._config.games - self._games),
        )
        self._folder.begin_round(RoundPlan(number, self._config.seed, tuple(matches)))

    def _ending(self) -> Ending | None:
        if self._until is not None and time.monotonic() >= self._until:
            return Ending.minutes
        playing = self._playing()
        if len(playing) < 2:
            return Ending.alone
        if self._games >= self._config.games:
            return Ending.games
        # As long as no round was planned with this seed, there is nothing to judge.
        plan = self._folder.last_plan
        if plan is None or plan.seed != self._config.seed:
            return None
        ladders = self._ladders(self._games_of_config(), playing, plan.number + 1)
        undecided = any(ladder.undecided() for ladder in ladders.values())
        return None if undecided else Ending.settled

    def _ladders(self, games: pl.DataFrame, playing: list[str], look: int) -> dict[int, Ladder]:
        """Return the ladders by number of seats.

        The games are tested after every round, and each of these tests is called a look. `look` is
        its number, from 1, by which the test corrects for the tests before it.
        """
        return ladders_at_look(
            games,
            agents=playing,
            tables=self._config.players,
            look=look,
            equal_within=self._config.equal_within,
            solo_equal_within=self._config.solo_equal_within,
        )

    def _missing(self) -> list[Seating]:
        """Return the games of the last plan between the arena's agents that were not played yet.

        An agent that sits out still finishes its round. Otherwise the games would depend on when
        the arena was interrupted.
        """
        plan = self._folder.last_plan
        if plan is None or plan.seed != self._config.seed:
            return []
        contenders = set(self._job.digests)
        missing = []
        for match in plan.matches:
            if set(match.lineup) <= contenders:
                games = [Seating(match, rotation) for rotation in match.rotations]
                missing += [
                    seating
                    for seating in games
                    if self._job.settings.key(seating) not in self._folder.keys
                ]
        return missing

    def _playing(self) -> list[str]:
        results = self._folder.results
        return [digest for digest in self._job.digests if not sits_out(results, digest)]

    def _games_of_config(self) -> pl.DataFrame:
        """Return the games between the arena's agents at its tables."""
        agents = list(self._job.digests)
        is_of_agents = pl.col("digests").list.eval(pl.element().is_in(agents)).list.all()
        is_at_table = pl.col("players").is_in(list(self._config.players))
        return self._folder.results.filter(is_of_agents, is_at_table)

    def _report_progress(self) -> None:
        if self._on_progress is not None:
            plan = self._folder.last_plan
            number = -1 if plan is None else plan.number
            self._on_progress(number, self._games, self._planned, self._decisions)

    def _check_time(self) -> None:
        if self._until is None and self._config.minutes is not None:
            # Time counts from the first move on, since rules are compiled before it.
            self._until = time.monotonic() + 60 * self._config.minutes
        if self._until is not None and time.monotonic() >= self._until:
            raise _OutOfTime
