"""An arena: rounds are planned and played until the order is settled or time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from shakespeare_agents.arena.contenders import contenders
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.games_job import GamesJob
from shakespeare_agents.arena.matchmaking import plan_round, round_games
from shakespeare_agents.arena.pace import Pace
from shakespeare_agents.arena.playing import play
from shakespeare_agents.arena.seating import Rules, Seating
from shakespeare_agents.arena.settling import look_at
from shakespeare_agents.arena.store import Plan, Store, opened
from shakespeare_agents.workers import Workers
from shakespeare_env import registry

if TYPE_CHECKING:
    import polars as pl

_TOGETHER_S, _SHARD_S = 10.0, 3.0
"""Seconds of games played together, here and on workers, which should end at the same time."""
_FIRST_ROUND = 24
"""Games per agent and table in the first round."""


LOST_IN_A_ROW = 10
"""The number of games lost by faults in a row after which an agent plays no more."""


class Ending(StrEnum):
    """Why an arena has stopped."""

    settled = "the order is settled"
    games = "its games are played"
    minutes = "its minutes are over"
    alone = "fewer than two agents go on playing"


@dataclass(frozen=True)
class Progress:
    """How far an arena is.

    Attributes:
        round: Number of the round, from 0.
        games: The games finished in all by the agents of the field.
        planned: The games finished once the round is over.
        results: The results of all games in its folder.
    """

    round: int
    games: int
    planned: int
    results: Callable[[], pl.DataFrame]


OnProgress = Callable[[Progress], None]
"""Called when a round begins and whenever games were kept."""


def run_arena(
    field: Field,
    folder: Path,
    *,
    threads: int = 1,
    on_progress: OnProgress | None = None,
    workers: Workers | None = None,
) -> Ending:
    """Play a field until its order is settled at every table or its games or minutes are spent.

    Results are kept in the folder, which may hold earlier ones; those of all agents count. A
    repeated or interrupted arena goes on; equal fields give equal games, unless minutes, clocks or
    programs decide. The programs and the Python that the field names are run
    (`Field.runs`).

    Workers (see `open_workers`) play the same games; without them this process does, on `threads`
    threads.

    Raises:
        ArenaError: an agent cannot be made, two are the same, or the folder cannot be used.
        DatasetError: the folder's results are damaged or of another box.
        ModuleNotFoundError: a package of the extra `arena` is missing.
        OSError: something cannot be written.
        WorkerError: workers are lost, or an agent is another one there.
    """
    rules_of_game = registry.game(field.game)
    with contenders(field, rules_of_game) as entrants, opened(folder, field.game) as store:
        if field.text:
            store.note_field(field.text)
        agents = {digest: one.agent for digest, one in entrants.items()}
        names = {digest: one.name for digest, one in entrants.items()}
        rules = Rules(field.game, field.variants, field.seed, agents, names, threads)
        if workers is None:
            return _Arena(field, rules, store, on_progress).run()
        job = GamesJob.of(rules, entrants, workers)
        return _ArenaOnWorkers(field, rules, store, on_progress, workers, job).run()


def sits_out(results: pl.DataFrame, digest: str) -> bool:
    """Whether an agent has lost its last `LOST_IN_A_ROW` games by faults of its own."""
    import polars as pl

    own = results.filter(pl.col("digests").list.contains(digest))
    # They are sorted by deal, since the order in which games were written is a matter of time.
    last = own.sort("deal", "rotation", "players", "key").tail(LOST_IN_A_ROW)
    lost = last.filter(pl.col("digests").list.get(pl.col("forfeited_by")) == digest)
    return lost.height == LOST_IN_A_ROW


class _OutOfTime(Exception):  # noqa: N818 - nothing is wrong
    """The minutes are over."""


class _Arena:
    _together_s = _TOGETHER_S

    def __init__(
        self, field: Field, rules: Rules, store: Store, on_progress: OnProgress | None
    ) -> None:
        self.field, self.rules, self.store = field, rules, store
        self._tell = on_progress
        self._until: float | None = None
        self._pace = Pace(store.results, self._together_s)
        self._games = self._counted()
        self._planned = self._games

    def run(self) -> Ending:
        try:
            while True:
                self._finish_round()
                ending = self._ending()
                if ending is not None:
                    return ending
                self._begin_round()
        except _OutOfTime:
            return Ending.minutes
        finally:
            self.store.tidy(most=1)

    def _finish_round(self) -> None:
        """Play what is missing of the last plan."""
        missing = self._missing()
        self._planned = self._games + len(missing)
        self._report()
        self._play(missing)
        self.store.tidy()

    def _play(self, seatings: Sequence[Seating]) -> None:
        for some in self._together(seatings):
            play(some, self.rules, self._keep, self._check_time)

    def _together(self, seatings: Sequence[Seating]) -> Iterator[Sequence[Seating]]:
        """Games to be played together, as many as the time of earlier games suggests."""
        while seatings:
            count = self._pace.first_of(seatings)
            yield seatings[:count]
            seatings = seatings[count:]

    def _begin_round(self) -> None:
        number = 0 if self.store.plan is None else self.store.plan.number + 1
        playing = self._playing()
        first = _FIRST_ROUND * len(playing) * len(self.field.players)
        matches = plan_round(
            self.store.results,
            agents=playing,
            tables=self.field.players,
            seed=self.field.seed,
            number=number,
            games=min(round_games(number, first), self.field.games - self._games),
            rotations=self.field.rotations,
            equal_within=self.field.equal_within,
            solo_equal_within=self.field.solo_equal_within,
        )
        self.store.begin(Plan(number, self.field.seed, tuple(matches)))

    def _ending(self) -> Ending | None:
        if self._until is not None and time.monotonic() >= self._until:
            return Ending.minutes
        if len(self._playing()) < 2:
            return Ending.alone
        if self._games >= self.field.games:
            return Ending.games
        if self.store.plan is None or self.store.plan.seed != self.field.seed:
            return None
        ladders = look_at(
            self._of_field(),
            agents=self._playing(),
            tables=self.field.players,
            look=self.store.plan.number + 1,
            equal_within=self.field.equal_within,
            solo_equal_within=self.field.solo_equal_within,
        )
        undecided = any(ladder.undecided() for ladder in ladders.values())
        return None if undecided else Ending.settled

    def _missing(self) -> list[Seating]:
        """The games of the last plan that are not in the store, of agents of the field.

        An agent that fails plays its round to the end, or an interruption would change the games.
        """
        plan, playing = self.store.plan, set(self.rules.agents)
        if plan is None or plan.seed != self.field.seed:
            return []
        seatings = [Seating(match, turn) for match in plan.matches for turn in match.rotations]
        return [
            one
            for one in seatings
            if set(one.digests) <= playing and self.rules.key(one) not in self.store.keys
        ]

    def _playing(self) -> list[str]:
        """The agents that go on playing."""
        return [digest for digest in self.rules.agents if not sits_out(self.store.results, digest)]

    def _of_field(self) -> pl.DataFrame:
        """The games of this field's agents at its tables."""
        import polars as pl

        agents, players = list(self.rules.agents), list(self.field.players)
        of_agents = pl.col("digests").list.eval(pl.element().is_in(agents)).list.all()
        return self.store.results.filter(of_agents, pl.col("players").is_in(players))

    def _counted(self) -> int:
        return self._of_field().height

    def _keep(self, rows: pl.DataFrame) -> None:
        self.store.append(rows)
        self._pace.note(rows)
        self._games += len(rows)
        self._report()

    def _report(self) -> None:
        if self._tell is not None:
            number = -1 if self.store.plan is None else self.store.plan.number
            results = lambda: self.store.results  # noqa: E731 - read when it is shown
            self._tell(Progress(number, self._games, self._planned, results))

    def _check_time(self, _decisions: int) -> None:
        if self._until is None and self.field.minutes is not None:
            # Time counts from the first move on, as the first use compiles the rules.
            self._until = time.monotonic() + 60 * self.field.minutes
        if self._until is not None and time.monotonic() >= self._until:
            raise _OutOfTime


class _ArenaOnWorkers(_Arena):
    _together_s = _SHARD_S

    def __init__(
        self,
        field: Field,
        rules: Rules,
        store: Store,
        on_progress: OnProgress | None,
        workers: Workers,
        job: GamesJob,
    ) -> None:
        super().__init__(field, rules, store, on_progress)
        self._workers, self._job = workers, job

    def _play(self, seatings: Sequence[Seating]) -> None:
        with closing(self._workers.run(self._job, self._together(seatings), self._note)) as found:
            for _, rows in found:
                self._keep(rows)
                self._check_time(0)

    def _note(self, decisions: int, _games: int) -> None:
        self._check_time(decisions)
