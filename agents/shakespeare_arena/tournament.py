"""An arena: rounds are planned and played until the order is settled or time is up."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path

from shakespeare_agents.storage import write_atomically
from shakespeare_agents.travel import agent_set
from shakespeare_agents.workers import Workers
from shakespeare_arena.field import Field, contenders
from shakespeare_arena.matchmaking import GROWTH, Ladder, look_at, plan_round
from shakespeare_arena.playing import Games, play
from shakespeare_arena.results import FIELD_NAME, ResultsFolder, RoundPlan, opened
from shakespeare_arena.seating import RunSettings, Seating
from shakespeare_env.core import registry
from shakespeare_env.extras import needing

with needing("arena", "the arena needs"):
    import polars as pl

SHARD_S = 3.0
"""Seconds of games played together, which an interruption loses."""
_MOST_TOGETHER = 16_384  # the most games played together
_GUESS_S = 0.25  # seconds that a game of a new agent is assumed to take; its first batch is small
_FIRST_ROUND = 24  # games per agent and table in the first round
LOST_IN_A_ROW = 10
"""The number of games lost by faults in a row after which an agent plays no more."""

OnProgress = Callable[[int, int, int], None]
"""Called when a round begins and whenever games were kept: with the number of the round, from 0,
the games finished in all by the agents of the field, and those once the round is over."""


class Ending(StrEnum):
    """Why an arena has stopped."""

    settled = "the order is settled"
    games = "its games are played"
    minutes = "its minutes are over"
    alone = "fewer than two agents go on playing"


def run_arena(
    field: Field,
    folder: Path,
    *,
    on_progress: OnProgress | None = None,
    workers: Workers | None = None,
) -> Ending:
    """Play a field until its order is settled at every table or its games or minutes are spent.

    Results are kept in the folder, which may hold earlier ones; those of all agents count. A
    repeated or interrupted arena goes on; equal fields give equal games, unless minutes, clocks or
    programs decide. The programs and the Python that the field names are run (`Field.runs`).

    Workers (see `open_workers`) play the same games; without them this process does. What was
    played together in the last seconds is lost if it is interrupted.

    Raises:
        ArenaError: an agent cannot be made, two are the same, or the folder cannot be used.
        DatasetError: the folder's results are damaged or of another box.
        ModuleNotFoundError: a package of the extra `arena` is missing.
        OSError: something cannot be written.
        WorkerError: workers are lost, or an agent is another one there.
    """
    game = registry.game(field.game)
    folder = folder.resolve()
    with contenders(field, game) as entrants, opened(folder, field.game) as store:
        if field.text:
            write_atomically(folder / FIELD_NAME, field.text.encode())
        names = {digest: entrant.name for digest, entrant in entrants.items()}
        rules = RunSettings(field.game, field.variants, field.seed, {}, names)
        job = Games(agent_set(list(entrants.values()), game), tuple(entrants), rules, play)
        return _Arena(field, job, store, on_progress, workers or Workers()).run()


def sits_out(results: pl.DataFrame, digest: str) -> bool:
    """Whether an agent has lost its last `LOST_IN_A_ROW` games by faults of its own."""
    own = results.filter(pl.col("digests").list.contains(digest))
    # They are sorted by deal, since the order in which games were written is a matter of time.
    last = own.sort("deal", "rotation", "players", "key").tail(LOST_IN_A_ROW)
    lost = last.filter(pl.col("digests").list.get(pl.col("forfeited_by")) == digest)
    return lost.height == LOST_IN_A_ROW


class _OutOfTime(Exception):  # noqa: N818 - nothing is wrong
    """The minutes are over."""


class _Arena:
    def __init__(
        self,
        field: Field,
        job: Games[pl.DataFrame],
        store: ResultsFolder,
        on_progress: OnProgress | None,
        workers: Workers,
    ) -> None:
        self.field, self.job, self.store = field, job, store
        self._tell, self._workers = on_progress or (lambda *_: None), workers
        self._until: float | None = None
        self._seconds: Counter[str] = Counter()
        self._times: Counter[str] = Counter()
        self._note_pace(store.results)
        self._games = self._planned = self._of_field().height

    def run(self) -> Ending:
        try:
            while True:
                missing = self._missing()
                self._planned = self._games + len(missing)
                self._report()
                self._play(missing)
                ending = self._ending()
                if ending is not None:
                    return ending
                self._begin_round()
        except _OutOfTime:
            return Ending.minutes

    def _play(self, seatings: Sequence[Seating]) -> None:
        shards = self._together(seatings)
        with closing(self._workers.run(self.job, shards, lambda *_: self._check_time())) as shard:
            for _, rows in shard:
                self.store.append(rows)
                self._note_pace(rows)
                self._games += len(rows)
                self._report()
                self._check_time()

    def _together(self, seatings: Sequence[Seating]) -> Iterator[Sequence[Seating]]:
        """Games to be played together, as many as the time of earlier games suggests."""
        while seatings:
            total, count = 0.0, 0
            for seating in seatings[:_MOST_TOGETHER]:
                for digest in seating.digests:
                    games = self._times[digest]
                    total += self._seconds[digest] / games if games else _GUESS_S
                if count and total > SHARD_S:
                    break
                count += 1
            yield seatings[:count]
            seatings = seatings[count:]

    def _note_pace(self, rows: pl.DataFrame) -> None:
        seats = rows.select("digests", "seconds").explode("digests", "seconds")
        of_each = seats.group_by("digests").agg(pl.col("seconds").sum(), games=pl.len())
        for digest, seconds, games in of_each.iter_rows():
            self._seconds[digest] += seconds
            self._times[digest] += games

    def _begin_round(self) -> None:
        number = 0 if self.store.plan is None else self.store.plan.number + 1
        playing = self._playing()
        first = _FIRST_ROUND * len(playing) * len(self.field.players)
        matches = plan_round(
            self.store.results,
            self._look_at(self.store.results, playing, number + 1),
            agents=playing,
            seed=self.field.seed,
            number=number,
            games=min(round(first * GROWTH**number), self.field.games - self._games),
        )
        self.store.begin(RoundPlan(number, self.field.seed, tuple(matches)))

    def _ending(self) -> Ending | None:
        if self._until is not None and time.monotonic() >= self._until:
            return Ending.minutes
        playing, plan = self._playing(), self.store.plan
        if len(playing) < 2:
            return Ending.alone
        if self._games >= self.field.games:
            return Ending.games
        if plan is None or plan.seed != self.field.seed:
            return None
        ladders = self._look_at(self._of_field(), playing, plan.number + 1)
        undecided = any(ladder.undecided() for ladder in ladders.values())
        return None if undecided else Ending.settled

    def _look_at(self, games: pl.DataFrame, playing: list[str], look: int) -> dict[int, Ladder]:
        return look_at(
            games,
            agents=playing,
            tables=self.field.players,
            look=look,
            equal_within=self.field.equal_within,
            solo_equal_within=self.field.solo_equal_within,
        )

    def _missing(self) -> list[Seating]:
        """The games of the last plan that are not in the store, of agents of the field.

        An agent that fails plays its round to the end, or an interruption would change the games.
        """
        plan, playing = self.store.plan, set(self.job.digests)
        if plan is None or plan.seed != self.field.seed:
            return []
        return [
            seating
            for match in plan.matches
            if set(match.lineup) <= playing
            for seating in (Seating(match, rotation) for rotation in match.rotations)
            if self.job.rules.key(seating) not in self.store.keys
        ]

    def _playing(self) -> list[str]:
        return [digest for digest in self.job.digests if not sits_out(self.store.results, digest)]

    def _of_field(self) -> pl.DataFrame:
        agents, players = list(self.job.digests), list(self.field.players)
        of_agents = pl.col("digests").list.eval(pl.element().is_in(agents)).list.all()
        return self.store.results.filter(of_agents, pl.col("players").is_in(players))

    def _report(self) -> None:
        number = -1 if self.store.plan is None else self.store.plan.number
        self._tell(number, self._games, self._planned)

    def _check_time(self) -> None:
        if self._until is None and self.field.minutes is not None:
            # Time counts from the first move on, as the first use compiles the rules.
            self._until = time.monotonic() + 60 * self.field.minutes
        if self._until is not None and time.monotonic() >= self._until:
            raise _OutOfTime
