"""`shakespeare dataset`: games of agents as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_agents.cli.playing import counted_games
from shakespeare_env.cli import choices
from shakespeare_env.datasets.reading import GAMES_IN_A_SHARD, MOST_IN_A_SHARD
from shakespeare_env.errors import DatasetError, agent_notes


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
    from shakespeare_arena.dataset import settings_of, write_dataset

    game = choices.find_game(game_name)
    entrants = lineup_options.make_entrants(game, named, players)
    variants = choices.variants_at(game, option, len(entrants))
    try:
        settings = settings_of(
            game.name, entrants, games=games, seed=seed, variants=variants, games_per_shard=shard
        )
    except (ValueError, TypeError, OSError) as fault:
        choices.give_up(str(fault))
    total = [0, 0]
    try:
        with workers_options.chosen(workers, ray) as crew, counted_games(settings.games) as show:

            def on_progress(decisions: int, games: int) -> None:
                total[:] = total[0] + decisions, total[1] + games
                show(*total)

            write_dataset(out, settings, entrants, on_progress, threads=threads, workers=crew)
    except (DatasetError, ModuleNotFoundError, OSError) as fault:
        if agent_notes(fault):
            raise
        cut_short = f"{out} cannot be written ({fault}); the same command resumes it"
        choices.give_up(cut_short if isinstance(fault, OSError) else str(fault))
    except KeyboardInterrupt:
        choices.interrupted("Unfinished. ")
    typer.echo(f"{out}: {total[1]:,} games, {total[0]:,} decisions, files: {settings.shards}.")
