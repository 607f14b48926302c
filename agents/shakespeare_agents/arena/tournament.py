"""An arena: rounds are planned and played until the order is settled or time is up."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakespeare_agents.arena.field import Contender, Field
from shakespeare_agents.arena.matchmaking import plan_round, round_games
from shakespeare_agents.arena.playing import play
from shakespeare_agents.arena.programs import Limits, Program, ProgramAgent, program_digest
from shakespeare_agents.arena.seating import Rules, Seating
from shakespeare_agents.arena.settling import look_at
from shakespeare_agents.arena.store import Plan, Store, opened
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.registry import make
from shakespeare_env import registry
from shakespeare_env.agent import AnyAgent
from shakespeare_env.errors import ArenaError, ShakespeareEnvError
from shakespeare_env.game import Game

if TYPE_CHECKING:
    import polars as pl

_TOGETHER_S = 10.0
"""Games played together take about as long."""
_MOST_TOGETHER = 16_384
"""Games."""
_GUESS_S = 0.25
"""What a game of an agent may take that has not played yet: the first are few, and soon over."""
_FIRST_ROUND = 24
"""Games per agent and table."""


LOST_IN_A_ROW = 10
"""An agent that loses so many games by faults plays no more."""


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
        games: Finished in all, by the agents of the field.
        planned: Finished when the round is over.
        results: Of all games in its folder.
    """

    round: int
    games: int
    planned: int
    results: Callable[[], pl.DataFrame]


OnProgress = Callable[[Progress], None]
"""Called when a round begins and whenever games were kept."""


def run_arena(
    field: Field, folder: Path, *, threads: int = 1, on_progress: OnProgress | None = None
) -> Ending:
    """Play a field until its order is settled at 95 % or its games or minutes are spent.

    Results are kept in the folder, which may hold earlier ones; those of all agents count. Played
    again, or after an interruption at any moment, it goes on; equal fields give equal games, unless
    minutes, clocks or programs decide. The programs and the Python that the field names are run
    (`Field.runs`).

    Raises:
        ArenaError: an agent cannot be made, two are the same, or the folder cannot be used.
        DatasetError: the folder's results are damaged or of another box.
        ModuleNotFoundError: a package of the extra `arena` is missing.
        OSError: something cannot be written.
    """
    rules_of_game = registry.game(field.game)
    with contenders(field, rules_of_game) as (agents, names), opened(folder, field.game) as store:
        if field.text:
            store.note_field(field.text)
        rules = Rules(field.game, field.variants, field.seed, agents, names, threads)
        return _Arena(field, rules, store, on_progress).run()


@contextmanager
def contenders(field: Field, game: Game) -> Iterator[tuple[dict[str, AnyAgent], dict[str, str]]]:
    """The agents of a field and their names, by digest; programs end with the block.

    Raises:
        ArenaError: one cannot be made, or two play alike.
    """
    agents: dict[str, AnyAgent] = {}
    names: dict[str, str] = {}
    with ExitStack() as stack:
        for contender in field.agents:
            digest, agent = _made(contender, field, game)
            if digest in names:
                raise ArenaError(
                    f"{contender.label!r} is the same agent as {names[digest]!r}; name one of them"
                )
            stack.callback(getattr(agent, "close", lambda: None))
            agents[digest], names[digest] = agent, contender.label
        yield agents, names


def _made(contender: Contender, field: Field, game: Game) -> tuple[str, Any]:
    try:
        if contender.program is not None:
            program = Program(contender.program, Limits(**contender.limits), field.folder)
            _check_there(program)
            return program_digest(program), ProgramAgent(program)
        agent = make(contender.agent, game)
        return agent_digest(contender.agent, agent, game), agent
    except (ShakespeareEnvError, ValueError, TypeError, ImportError) as fault:
        raise ArenaError(f"the agent {contender.label!r}: {fault}") from fault


def sits_out(results: pl.DataFrame, digest: str) -> bool:
    """Whether an agent has lost its last `LOST_IN_A_ROW` games by faults of its own."""
    import polars as pl

    own = results.filter(pl.col("digests").list.contains(digest))
    # By deals: in which order games were written is a matter of time.
    last = own.sort("deal", "rotation", "players", "key").tail(LOST_IN_A_ROW)
    lost = last.filter(pl.col("digests").list.get(pl.col("forfeited_by")) == digest)
    return lost.height == LOST_IN_A_ROW


def _check_there(program: Program) -> None:
    """Refuse a program that can never be started, before others play for nothing."""
    name = program.argv[0]
    found = (program.folder / name).exists() if os.path.dirname(name) else shutil.which(name)
    if not found:
        raise ValueError(f"there is no program {name!r}; give its path, or install it")


class _OutOfTime(Exception):  # noqa: N818 - nothing is wrong
    """The minutes are over."""


class _Arena:
    def __init__(
        self, field: Field, rules: Rules, store: Store, on_progress: OnProgress | None
    ) -> None:
        self.field, self.rules, self.store = field, rules, store
        self._tell = on_progress
        self._until: float | None = None
        self._pace = _Pace(store.results)
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
        while missing:
            together = self._pace.first_of(missing)
            play(missing[:together], self.rules, self._keep, self._check_time)
            missing = missing[together:]
        self.store.tidy()

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
        look = look_at(
            self._of_field(),
            agents=self._playing(),
            tables=self.field.players,
            look=self.store.plan.number + 1,
            equal_within=self.field.equal_within,
            solo_equal_within=self.field.solo_equal_within,
        )
        return Ending.settled if look.is_settled() else None

    def _missing(self) -> list[Seating]:
        """The games of the last plan that are not in the store, of agents of the field.

        Who fails in a round plays it to its end, or an interruption would change its games.
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
            # From the first move on: before it the first use compiles the rules.
            self._until = time.monotonic() + 60 * self.field.minutes
        if self._until is not None and time.monotonic() >= self._until:
            raise _OutOfTime


class _Pace:
    """How long agents take for a game, to play about as many together as take a given time."""

    def __init__(self, results: pl.DataFrame) -> None:
        self._seconds: Counter[str] = Counter()
        self._games: Counter[str] = Counter()
        self.note(results)

    def note(self, rows: pl.DataFrame) -> None:
        """Some games are over."""
        import polars as pl

        seats = rows.select("digests", "seconds").explode("digests", "seconds")
        of_each = seats.group_by("digests").agg(pl.col("seconds").sum(), games=pl.len())
        for digest, seconds, games in of_each.iter_rows():
            self._seconds[digest] += seconds
            self._games[digest] += games

    def first_of(self, seatings: Sequence[Seating]) -> int:
        """How many of some games, at least one, to play together."""
        total = 0.0
        for number, one in enumerate(seatings[:_MOST_TOGETHER]):
            total += sum(map(self._expected, one.digests))
            if total > _TOGETHER_S:
                return max(number, 1)
        return min(len(seatings), _MOST_TOGETHER)

    def _expected(self, digest: str) -> float:
        games = self._games[digest]
        return self._seconds[digest] / games if games else _GUESS_S
