"""`shakespeare dataset`: games of agents as tables, for statistics and for learning from."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import agents
from shakespeare_env.batch import MOST_THREADS
from shakespeare_env.cli.choices import (
    DEFAULT_GAME,
    GameName,
    Variants,
    find_game,
    give_up,
    switched_on,
)
from shakespeare_env.cli.seating import around_the_table, made_by_name
from shakespeare_env.datasets.manifest import Manifest, Settings
from shakespeare_env.errors import DatasetError
from training.dataset import begin, settings_of, write_dataset
from training.evaluate import Seated

_MOST_GAMES = 100_000_000
_MOST_IN_A_SHARD = 10_000
"""A shard is in memory at once, some megabytes for each of its games at the longest."""
_INTERRUPTED = 130
"""Exit code of a command that Ctrl-C has ended, as shells have it."""


def dataset(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT",
            help=f"Who plays: {', '.join(agents.names())}, or the folder of a checkpoint; with "
            "options, as in network,greedy=false. Of several the last one fills the remaining "
            "seats; one alone plays against the default agent.",
            show_default="the default agent",
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Folder of the dataset; one that was left unfinished is gone on with.",
            show_default=False,
        ),
    ] = ...,  # type: ignore[assignment]
    players: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Seats at the table.",
            show_default="as many as agents are named, or all there can be if fewer than two are",
        ),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            min=1,
            max=_MOST_GAMES,
            help="Games, rounded up to a multiple of the seats: each deal is played once for each "
            "seat, with the whole table moved on by one seat in between.",
        ),
    ] = 1000,
    seed: Annotated[
        int, typer.Option(min=0, max=2**64 - 1, help="Of the deals and the agents' draws.")
    ] = 0,
    game_name: GameName = DEFAULT_GAME,
    option: Variants = None,
    shard: Annotated[
        int,
        typer.Option(
            min=1,
            max=_MOST_IN_A_SHARD,
            help="Games in a file, rounded up to what is played together; changes no row.",
        ),
    ] = 256,
    threads: Annotated[
        int, typer.Option(min=1, max=MOST_THREADS, help="Threads that step the games.")
    ] = 1,
) -> None:
    """Record games of agents as Parquet: a table of games and one of decisions."""
    game = find_game(game_name)
    names = around_the_table(game, named or [], players)
    variants = switched_on(game, option or [])
    try:
        game.option_bits(variants, [len(names)])
    except ValueError as error:  # a variant that needs more seats
        raise typer.BadParameter(str(error), param_hint="--option") from error
    made = made_by_name(names, game)
    settings = settings_of(
        game.name,
        [Seated(name, agent) for name, agent in zip(names, made, strict=True)],
        games=games,
        seed=seed,
        variants=variants,
        games_per_shard=shard,
    )
    try:
        found = begin(out, settings)
        if found.is_complete:
            typer.echo(f"{out} is complete: {_contents(found)}.")
            return
        written = _write(out, settings, made, found, threads)
    except (DatasetError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    except OSError as fault:
        give_up(f"{out} cannot be written ({fault}); the same command goes on where it was left")
    except KeyboardInterrupt:
        command = shlex.join(["shakespeare", *sys.argv[1:]])
        typer.echo(f"Left unfinished. To go on: {command}", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    typer.echo(f"{out}: {_contents(written)}.")


def _write(
    out: Path, settings: Settings, made: list[agents.AnyAgent], found: Manifest, threads: int
) -> Manifest:
    """Play and write, with a bar on the error stream that says how far it is."""
    with Progress(
        TextColumn("{task.fields[decisions]:,} decisions"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        decisions = _decisions(found)
        task = progress.add_task(
            "recording", total=settings.games, completed=found.finished_games, decisions=decisions
        )

        def on_game(more: int) -> None:
            nonlocal decisions
            decisions += more
            progress.update(task, advance=1, decisions=decisions)

        return write_dataset(out, settings, made, on_game, threads=threads)


def _contents(manifest: Manifest) -> str:
    """How much there is in a dataset."""
    games, shards = manifest.finished_games, len(manifest.shards)
    return f"{games:,} games, {_decisions(manifest):,} decisions, shards: {shards}"


def _decisions(manifest: Manifest) -> int:
    return sum(shard["decisions"].rows for shard in manifest.shards)
