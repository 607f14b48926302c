"""`shakespeare dataset`: games of agents as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_agents.cli.options import lineup as lineup_options
from shakespeare_agents.cli.options import workers as workers_options
from shakespeare_agents.cli.options.progress import counted_games
from shakespeare_env.cli import choices
from shakespeare_env.datasets.manifest import GAMES_IN_A_SHARD, MOST_IN_A_SHARD, Manifest, Settings
from shakespeare_env.errors import DatasetError, agent_notes

if TYPE_CHECKING:
    from shakespeare_agents.arena import Entrant
    from shakespeare_agents.workers import Workers


def dataset(
    named: lineup_options.AgentNames = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Resumed if unfinished.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    players: lineup_options.Players = None,
    games: lineup_options.Games = 1000,
    seed: lineup_options.Seed = 0,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    option: choices.Variants = None,
    shard: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_IN_A_SHARD, help="Games per file, rounded up; changes no row."
        ),
    ] = GAMES_IN_A_SHARD,
    threads: lineup_options.Threads = 1,
    workers: workers_options.Processes = 1,
    ray: workers_options.Ray = None,
) -> None:
    """Record games of agents as Parquet: their moves, and what the agents expected of them."""
    # Here and below, slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.arena.dataset import open_dataset, settings_of

    game = choices.find_game(game_name)
    entrants = lineup_options.make_entrants(game, named, players)
    variants = choices.variants_at(game, option, len(entrants))
    try:
        settings = settings_of(
            game.name, entrants, games=games, seed=seed, variants=variants, games_per_shard=shard
        )
    except ValueError as fault:
        choices.give_up(str(fault))
    try:
        with workers_options.chosen(workers, ray) as crew:
            found = open_dataset(out, settings)
            if found.is_complete:
                typer.echo(f"{out} is complete: {_contents(found)}.")
                return
            written = _write(out, settings, entrants, threads, crew)
    except (DatasetError, ModuleNotFoundError, OSError) as fault:
        if agent_notes(fault):
            raise
        cut_short = f"{out} cannot be written ({fault}); the same command resumes it"
        choices.give_up(cut_short if isinstance(fault, OSError) else str(fault))
    except KeyboardInterrupt:
        choices.interrupted("Unfinished. ")
    typer.echo(f"{out}: {_contents(written)}.")


def _write(
    out: Path, settings: Settings, entrants: list[Entrant], threads: int, workers: Workers | None
) -> Manifest:
    from shakespeare_agents.arena.dataset import write_dataset

    total = [0, 0]
    with counted_games(settings.games) as show:

        def on_progress(decisions: int, games: int) -> None:
            total[:] = total[0] + decisions, total[1] + games
            show(*total)

        return write_dataset(out, settings, entrants, on_progress, threads=threads, workers=workers)


def _contents(manifest: Manifest) -> str:
    games, decisions = manifest.finished_games, manifest.finished_decisions
    return f"{games:,} games, {decisions:,} decisions, files: {len(manifest.shards)}"
