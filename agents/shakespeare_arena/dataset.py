"""Recordings of agents' games with the agents' estimates, which can be resumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import Entrant
from shakespeare_agents.travel import AgentSources, agent_set, workers_for_stored_games
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
"""The deals of a shard, which are lost if it is interrupted."""
_SEARCHED_DEALS_PER_SHARD = 4
"""The deals of a shard if an agent searches, since its games take seconds."""


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
    """Record games into a folder of results, and return the number of games of the recording.

    Games that are in the folder already are not played again. New games follow those in the folder,
    in the order of their deals, whichever workers play them and however often they are interrupted.
    No game changes its place: a longer recording goes on where a shorter one ended, and games of
    another seed or of other agents follow at the end.

    Args:
        folder: A folder of results of the game, or a new or empty one.
        entrants: An agent per seat. Equal agents are copies. Deals are played as in `evaluate`.
        game: The game's name.
        games: The number of games, rounded up to whole deals.
        seed: Decides the deals and the agents' draws.
        options: The variants.
        on_progress: Called with the decisions made and the games kept so far.
        workers: The workers that play the games (see `open_workers`), by default this process.

    Raises:
        ArenaError, DatasetError, OSError: the folder cannot be used (see `results.open_results`).
            Games written before the error are kept.
        ValueError: a number is out of range, a variant does not allow this number of seats, a name
            cannot be printed, an agent has two names, or two agents share a name, counting those in
            the folder.
        TypeError: an agent has no digest by which a resumed recording could identify it.
        ModuleNotFoundError: Polars or filelock is not installed.
        Exception: an agent's estimate raised it; a note names the agent.
        WorkerError: workers are lost, or an agent differs from its copy on a worker.
    """
    contract = registry.game(game)  # the `Game`, of which `game` is the name
    contract.option_bits(options or {}, [contract.check_players(len(entrants))])
    checked_count("games", games, MOST_GAMES)
    digests = tuple(agent_digest(entrant.given, entrant.agent, contract) for entrant in entrants)
    names = _names_by_digest(digests, entrants)
    new_agents = [(name, digest) for digest, name in names.items()]
    _check_names(new_agents)

    variants = tuple(sorted(name for name, is_on in (options or {}).items() if is_on))
    settings = RunSettings(game, variants, int(check_seed(seed)), agents={}, names=names)
    job = GamesJob(agent_set(entrants, contract), digests, settings, partial(play, estimates=True))
    seats = SeatPlan(digests, seed)
    deals = seats.deals_for(games)
    searches = any(isinstance(entrant.agent, Searcher) for entrant in entrants)
    deals_per_shard = _SEARCHED_DEALS_PER_SHARD if searches else _DEALS_PER_SHARD
    report = cumulative(on_progress)

    sources = AgentSources(entrant.given for entrant in entrants)

    def missing(results: ResultsFolder) -> Iterator[list[Seating]]:
        for first in range(0, deals, deals_per_shard):
            shard = range(first, min(first + deals_per_shard, deals))
            wanted = seats.seatings(shard, digests)
            unplayed = [seating for seating in wanted if settings.key(seating) not in results.keys]
            report(0, len(wanted) - len(unplayed))  # games of earlier runs count as kept
            if unplayed:
                yield unplayed

    with open_results(folder, game) as results:
        seats_played = results.results.select("agents", "digests").explode("agents", "digests")
        _check_names([*seats_played.unique().iter_rows(), *new_agents])
        with (
            workers_for_stored_games(workers, entrants) as opened_workers,
            closing(opened_workers.run(job, missing(results))) as shards,
        ):
            for rows in in_shard_order(shards):
                sources.check_unchanged()
                results.append(rows)
                report(int(rows["actions"].list.len().sum()), rows.height)
    return deals * seats.games_per_deal


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
