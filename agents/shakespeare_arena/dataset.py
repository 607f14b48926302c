"""Datasets of recorded games, with the agents' estimates; a recording can be resumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import Entrant
from shakespeare_agents.travel import agent_set
from shakespeare_agents.workers import ProgressCallback, Workers, cumulative, in_shard_order
from shakespeare_arena.playing import GamesJob, play
from shakespeare_arena.results import ResultsFolder, open_results
from shakespeare_arena.seating import RunSettings, Seating, SeatPlan
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.reading import MOST_GAMES
from shakespeare_env.play.agent import Searcher

_DEALS_PER_SHARD = 128
"""Deals played together, which an interruption loses."""
_SEARCHED_DEALS_PER_SHARD = 4
"""Deals played together if an agent searches, since its games take seconds."""


def write_dataset(
    folder: Path,
    entrants: Sequence[Entrant],
    game: str = registry.DEFAULT,
    *,
    games: int,
    seed: int = 0,
    options: Mapping[str, bool] | None = None,
    on_progress: ProgressCallback | None = None,
    workers: Workers | None = None,
) -> int:
    """Play the games that a folder of results lacks, and return the number of all games wanted.

    New games follow those in the folder, in the order of their deals, whichever workers play them
    and however often they are interrupted. No game changes its number: a recording that is made
    longer goes on where it ended, and games of another seed or of other agents follow at the end.

    Args:
        folder: A folder of results of the game, or a new or empty one.
        entrants: An agent per seat; the deals are played as by `evaluate`. Equal agents are copies.
        game: The game's name.
        games: The number of games, rounded up to whole deals.
        seed: Decides the deals and the agents' draws.
        options: The variants.
        on_progress: Called with the decisions made and the games kept so far.
        workers: The workers that play the games (see `open_workers`), by default this process.

    Raises:
        ArenaError, DatasetError, OSError: `results.open_results` raises it. Results that are kept
            already stay as they are.
        ValueError: a number is out of range, a variant does not allow this number of seats, an
            agent has two names, or a name cannot be printed or is of two agents, of the folder's
            too.
        TypeError: an agent cannot be known again when the recording is resumed.
        ModuleNotFoundError: Polars or filelock is not installed.
        Exception: an agent's estimate raised it; a note names the agent.
        WorkerError: workers are lost, or an agent is another one there.
    """
    rules = registry.game(game)
    rules.option_bits(options or {}, [rules.check_players(len(entrants))])
    checked_count("games", games, MOST_GAMES)
    digests = tuple(agent_digest(entrant.given, entrant.agent, rules) for entrant in entrants)
    names = _names_by_digest(digests, entrants)
    named = [(name, digest) for digest, name in names.items()]
    _check_names(named)

    variants = tuple(sorted(name for name, is_on in (options or {}).items() if is_on))
    settings = RunSettings(game, variants, int(check_seed(seed)), {}, names)
    job = GamesJob(agent_set(entrants, rules), digests, settings, partial(play, estimates=True))
    seats = SeatPlan(digests, seed)
    deals = seats.deals_for(games)
    searches = any(isinstance(entrant.agent, Searcher) for entrant in entrants)
    together = _SEARCHED_DEALS_PER_SHARD if searches else _DEALS_PER_SHARD
    report = cumulative(on_progress)

    def missing(results: ResultsFolder) -> Iterator[list[Seating]]:
        for first in range(0, deals, together):
            block = range(first, min(first + together, deals))
            wanted = seats.seatings(block, digests)
            left = [seating for seating in wanted if settings.key(seating) not in results.keys]
            report(0, len(wanted) - len(left))
            if left:
                yield left

    with open_results(folder, game) as results:
        seen = results.results.select("agents", "digests").explode("agents", "digests").unique()
        _check_names([*seen.iter_rows(), *named])
        with closing((workers or Workers()).run(job, missing(results))) as shards:
            for rows in in_shard_order(shards):
                results.append(rows)
                report(int(rows["actions"].list.len().sum()), rows.height)
    return deals * seats.games_per_deal


def _names_by_digest(digests: Sequence[str], entrants: Sequence[Entrant]) -> dict[str, str]:
    """Return agents' names by digest; ValueError unless each has one printable name."""
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
    """Refuse a name of two digests: readers of the games tell agents apart by their names alone."""
    digests: dict[str, str] = {}
    for name, digest in agents:
        if digests.setdefault(name, digest) != digest:
            raise ValueError(
                f"two agents are called {name!r}, perhaps since one has changed: give each a name "
                "of its own, or record into a new folder"
            )
