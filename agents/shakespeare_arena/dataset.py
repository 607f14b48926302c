"""Recording games with what their agents expected of them, resumably, by any workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import Entrant
from shakespeare_agents.travel import agent_set
from shakespeare_agents.workers import ProgressCallback, Workers, cumulative, in_order
from shakespeare_arena.playing import Games, play
from shakespeare_arena.results import ResultsFolder, opened
from shakespeare_arena.seating import RunSettings, Seating, SeatPlan
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.reading import MOST_GAMES
from shakespeare_env.play.agent import Searcher

_DEALS_TOGETHER, _SEARCHED_TOGETHER = 128, 4
"""Deals in a shard, which is lost if it is interrupted: searched games take seconds."""


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
    """Play the games that a folder of results lacks, and return the number of all those wanted.

    They follow the games that the folder holds, in the order of their deals, whoever works and
    however often it is interrupted. No game changes its number: a recording that is made longer
    goes on where it ended, and games of another seed or of other agents follow at the end.

    Args:
        folder: One of results of the game, or a new or empty one.
        entrants: An agent per seat; the deals are played as by `evaluate`. Equal agents are copies.
        game: Its name.
        games: Rounded up to whole deals.
        seed: Decides the deals and the agents' draws.
        options: Variants.
        on_progress: Called with the decisions made and the games kept so far.
        workers: They play the games (see `open_workers`); by default this process.

    Raises:
        ArenaError, DatasetError, OSError: as of `results.opened`; what is kept stays.
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
    for entrant in entrants:
        if not (entrant.name and entrant.name.isprintable()):
            raise ValueError(f"{entrant.name!r} cannot be written: give agents printable names")
    digests = tuple(agent_digest(entrant.given, entrant.agent, rules) for entrant in entrants)
    names: dict[str, str] = {}
    for digest, entrant in zip(digests, entrants, strict=True):
        name = names.setdefault(digest, entrant.name)
        if name != entrant.name:
            raise ValueError(
                f"{entrant.name!r} is the same agent as {name!r}: give all its seats one name"
            )
    _check_names(zip(names.values(), names, strict=True))
    variants = tuple(sorted(name for name, on in (options or {}).items() if on))
    how = RunSettings(game, variants, int(check_seed(seed)), {}, names)
    job = Games(agent_set(entrants, rules), digests, how, partial(play, estimates=True))
    searches = any(isinstance(entrant.agent, Searcher) for entrant in entrants)
    together = _SEARCHED_TOGETHER if searches else _DEALS_TOGETHER
    seats = SeatPlan(digests, seed)
    deals = -(-games // seats.games)
    tell = cumulative(on_progress)

    def lacking(store: ResultsFolder) -> Iterator[list[Seating]]:
        for first in range(0, deals, together):
            block = range(first, min(first + together, deals))
            wanted = seats.seatings(block, digests)
            left = [seating for seating in wanted if how.key(seating) not in store.keys]
            tell(0, len(wanted) - len(left))
            if left:
                yield left

    with opened(folder, game) as store:
        played_by = store.results.select("agents", "digests").explode("agents", "digests").unique()
        _check_names([*played_by.iter_rows(), *zip(names.values(), names, strict=True)])
        with closing((workers or Workers()).run(job, lacking(store))) as shards:
            for rows in in_order(shards):
                store.append(rows)
                tell(int(rows["actions"].list.len().sum()), rows.height)
    return deals * seats.games


def _check_names(agents: Iterable[tuple[str, str]]) -> None:
    """Names and digests: whoever reads the games tells agents apart by their names alone."""
    digests: dict[str, str] = {}
    for name, digest in agents:
        if digests.setdefault(name, digest) != digest:
            raise ValueError(
                f"two agents are called {name!r}, perhaps since one has changed: give each a name "
                "of its own, or record into a new folder"
            )
