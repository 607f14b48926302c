"""Games whose rows are written to a folder of results while they are played."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial

import numpy as np

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import Entrant
from shakespeare_agents.travel import AgentSet, AgentSources, workers_for_stored_games
from shakespeare_agents.workers import ProgressCallback, Workers, cumulative
from shakespeare_arena.games.deals import DealTable, FinalScores, seatings_of
from shakespeare_arena.games.playing import GamesJob, shards_of
from shakespeare_arena.games.results import ResultsFolder
from shakespeare_arena.games.rows import Row, play_recorded, results_frame
from shakespeare_arena.games.seating import RunSettings, Seating, SeatPlan
from shakespeare_env.core import registry
from shakespeare_env.core.rng import check_seed
from shakespeare_env.errors import ArenaError
from shakespeare_env.play.lineup import Lineup

WRITE_EVERY_S = 3.0
"""The seconds after which finished games are written. A killed process loses those not written."""


class GamesWriter:
    """A writer of games as they end, for the length of a `with` block.

    Games are written every few seconds, and at the end of the block, however it ends.

    Args:
        results: The folder.
        sources: The sources of the agents' code, which must not change while they play.

    Attributes:
        written: The number of games written so far.

    Raises:
        WorkerError: a source has changed. Games played since the last check are not written.
        OSError: the folder cannot be written.
    """

    def __init__(self, results: ResultsFolder, sources: AgentSources) -> None:
        self.written = 0
        self._results = results
        self._sources = sources
        self._waiting: list[Row] = []
        self._last = time.monotonic()

    def __enter__(self) -> GamesWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()

    def add(self, rows: Iterable[Row]) -> None:
        """Add finished games, and write those that wait if it is time."""
        self._waiting += rows
        if time.monotonic() - self._last >= WRITE_EVERY_S:
            self._write()

    def _write(self) -> None:
        waiting = self._waiting
        self._waiting = []
        if waiting:
            self._sources.check_unchanged()
            self._results.append(results_frame(waiting))
            self.written += len(waiting)
        self._last = time.monotonic()


class Recording:
    """Deals that agents play as in `evaluate`, and whose games are kept in a folder of results.

    Args:
        entrants: An agent per seat. Equal agents are copies.
        game: The game's name.
        seed: Decides the deals and the agents' draws.
        options: The variants.
        lineup_class: `RefereedLineup` or `Lineup` (see `play_recorded`).

    Attributes:
        seats: The seats in every game of every deal.

    Raises:
        ValueError: a variant does not allow this number of seats, a name cannot be printed, an
            agent has two names, or two agents share a name.
        TypeError: an agent has no digest by which a resumed recording could identify it.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        game: str,
        *,
        seed: int,
        options: Mapping[str, bool] | None,
        lineup_class: type[Lineup],
    ) -> None:
        loaded = registry.game(game)
        loaded.option_bits(options or {}, [loaded.check_players(len(entrants))])
        self._entrants = entrants
        self._digests = tuple(
            agent_digest(entrant.given, entrant.agent, loaded) for entrant in entrants
        )
        names = _names_by_digest(self._digests, entrants)
        self._agents = [(name, digest) for digest, name in names.items()]
        _check_names(self._agents)
        variants = tuple(sorted(name for name, is_on in (options or {}).items() if is_on))
        self._settings = RunSettings(game, variants, int(check_seed(seed)), agents={}, names=names)
        play = partial(play_recorded, lineup_class=lineup_class, estimates=True)
        self._job = GamesJob(AgentSet(loaded, entrants), self._digests, self._settings, play)
        self.seats = SeatPlan(self._digests, seed)

    def play(
        self,
        results: ResultsFolder,
        deals: range,
        on_progress: ProgressCallback | None = None,
        workers: Workers | None = None,
    ) -> int:
        """Play those games of some deals that a folder lacks, and write them in their order.

        Args:
            results: The folder.
            deals: The deals.
            on_progress: Called with the decisions made and the games kept so far, after every step.
            workers: The workers that play the games, by default this process.

        Returns:
            The number of these games.
        """
        seats_played = results.results.select("agents", "digests").explode("agents", "digests")
        _check_names([*seats_played.unique().iter_rows(), *self._agents])
        report = cumulative(on_progress)
        missing = sum(1 for _ in self._missing(results, deals))
        report(0, len(deals) * self.seats.games_per_deal - missing)  # those of earlier runs
        ordered = _InOrder(self._missing(results, deals))
        reported = 0
        sources = AgentSources(entrant.given for entrant in self._entrants)
        with workers_for_stored_games(workers, self._entrants) as opened_workers:
            shards = shards_of(
                self._missing(results, deals), missing, opened_workers, self._job.agents.entrants
            )
            with (
                closing(opened_workers.run(self._job, shards)) as progress,
                GamesWriter(results, sources) as writer,
            ):
                for step in progress:
                    writer.add(ordered.add(step.result or []))
                    report(step.decisions, writer.written - reported)
                    reported = writer.written
        report(0, missing - reported)
        return missing

    def play_into(
        self,
        results: ResultsFolder,
        table: DealTable,
        on_progress: ProgressCallback | None = None,
        workers: Workers | None = None,
    ) -> int:
        """Play those games of a table's deals that a folder lacks, and return their number.

        All games of the folder are added to the table, also after an interruption. The arguments
        are those of `play`.

        Raises:
            ArenaError: an agent has forfeited one of the games.
        """
        self._fill(table, results)  # if these results cannot be used, no games are played
        try:
            return self.play(results, table.deals, on_progress, workers)
        finally:
            self._fill(table, results)

    def _fill(self, table: DealTable, results: ResultsFolder) -> None:
        """Add the games that a folder holds to a table."""
        games = seatings_of(self.seats, table.deals, self._digests)
        keys = {self._settings.key(game) for game in games}
        own = results.results.filter([key in keys for key in results.results["key"]])
        for row in own.drop_nulls("forfeited_by").iter_rows(named=True):
            name = row["agents"][row["forfeited_by"]]
            raise ArenaError(
                f"{results.folder}: {name} has forfeited one of these games "
                f"({row['fault_details']}), so they cannot be evaluated; give another folder"
            )
        if own.height:
            table.add(
                FinalScores(
                    deals=own["deal"].to_numpy(),
                    rotations=own["rotation"].to_numpy(),
                    scores=np.array(own["scores"].to_list()),
                    winners=np.array(own["places"].to_list()) == 1,
                )
            )

    def _missing(self, results: ResultsFolder, deals: range) -> Iterator[Seating]:
        """Yield the games of some deals that a folder did not hold at the time of this call."""
        keys = frozenset(results.keys)
        games = seatings_of(self.seats, deals, self._digests)
        if not keys:
            return games
        return (game for game in games if self._settings.key(game) not in keys)


class _InOrder:
    """Finished games that wait until all games before them are finished."""

    def __init__(self, expected: Iterator[Seating]) -> None:
        self._expected = ((game.match.deal, game.rotation) for game in expected)
        self._next = next(self._expected, None)
        self._waiting: dict[tuple[int, int], Row] = {}

    def add(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Add games, and yield those whose turn it is."""
        for row in rows:
            self._waiting[row["deal"], row["rotation"]] = row
        while self._next in self._waiting:
            yield self._waiting.pop(self._next)
            self._next = next(self._expected, None)


def _names_by_digest(digests: Sequence[str], entrants: Sequence[Entrant]) -> dict[str, str]:
    """Return agents' names by digest. Raise ValueError unless each has one printable name."""
    for entrant in entrants:
        if not (entrant.name and entrant.name.isprintable()):
            raise ValueError(f"{entrant.name!r} cannot be written: give agents printable names")
    names: dict[str, str] = {}
    for digest, entrant in zip(digests, entrants, strict=True):
        name = names.setdefault(digest, entrant.name)
        if name != entrant.name:
            raise ValueError(
                f"{entrant.name!r} is the same agent as {name!r}: give all its seats one name"
            )
    return names


def _check_names(agents: Iterable[tuple[str, str]]) -> None:
    """Refuse a name with two digests, since readers of games know agents by name alone."""
    digests: dict[str, str] = {}
    for name, digest in agents:
        if digests.setdefault(name, digest) != digest:
            raise ValueError(
                f"two agents are called {name!r}, perhaps because one has changed: give each a "
                "name of its own, or record into a new folder"
            )
