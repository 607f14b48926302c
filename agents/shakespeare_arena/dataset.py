"""Recordings of agents' games with the agents' estimates, which can be resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from shakespeare_agents.making import Entrant
from shakespeare_agents.workers import ProgressCallback, Workers
from shakespeare_arena.games.recording import Recording
from shakespeare_arena.games.referee import RefereedLineup
from shakespeare_arena.games.results import open_results
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.datasets.reading import MOST_GAMES


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
            Games finished before the error are kept.
        ValueError: a number is out of range, a variant does not allow this number of seats, a name
            cannot be printed, an agent has two names, or two agents share a name, counting those in
            the folder.
        TypeError: an agent has no digest by which a resumed recording could identify it.
        ModuleNotFoundError: Polars or filelock is not installed.
        Exception: an agent's estimate raised it; a note names the agent.
        WorkerError: workers are lost, or an agent differs from its copy on a worker.
    """
    checked_count("games", games, MOST_GAMES)
    recording = Recording(entrants, game, seed=seed, options=options, lineup_class=RefereedLineup)
    deals = recording.seats.deals_for(games)
    with open_results(folder, game) as results:
        recording.play(results, range(deals), on_progress, workers)
    return deals * recording.seats.games_per_deal
