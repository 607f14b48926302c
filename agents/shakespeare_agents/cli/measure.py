"""`shakespeare measure`: an agent's strength, in playouts of a search that is as strong."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from shakespeare_agents.cli import lineup_options, workers_options
from shakespeare_agents.cli.completion import complete_agent
from shakespeare_agents.cli.out_file import check_writable, save_result
from shakespeare_agents.cli.progress import games_progress
from shakespeare_env.cli import choices
from shakespeare_env.errors import CheckpointError


def measure(
    agent: Annotated[
        str,
        typer.Argument(
            metavar=lineup_options.AGENT,
            autocompletion=complete_agent,
            help=f"Who is measured: {lineup_options.WHO}",
        ),
    ],
    players: Annotated[
        list[int] | None,
        typer.Option(
            "--players",
            help="Seats at the table; several times for several tables.",
            show_default="every table of two seats or more",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1e6,
            help="Of play, shared among the tables; at each at least one deal is played.",
            show_default="5, or no limit with --games",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000_000,
            help="At each table at most, rounded up to whole deals; without --minutes the same "
            "seed gives the same games.",
            show_default="as many as there is time for",
        ),
    ] = None,
    seed: lineup_options.Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Write the results to this file as JSON."),
    ] = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    option: choices.Variants = None,
    threads: lineup_options.Threads = 1,
    workers: workers_options.Processes = 1,
    ray: workers_options.Ray = None,
) -> None:
    """Place an agent on a fixed scale: how many playouts make search as strong, at each table."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.arena.measure import measure as place
    from shakespeare_agents.arena.measure import tables_of

    if minutes is not None and math.isnan(minutes):  # Typer's range check lets it pass
        raise typer.BadParameter(f"{minutes} is not a duration", param_hint="--minutes")
    game = choices.find_game(game_name)
    try:
        tables = tables_of(game, players)
    except ValueError as fault:
        raise typer.BadParameter(str(fault), param_hint="--players") from fault
    variants = choices.variants_at(game, option, max(tables))
    entrant = lineup_options.make_entrants(game, [agent, agent], max(tables))[0]
    if out is not None:
        check_writable(out)
    with workers_options.chosen(workers, ray) as crew, games_progress() as progress:
        task = progress.add_task("playing", total=None, decisions=0)
        try:
            result = place(
                entrant,
                game.name,
                players=tables,
                minutes=minutes,
                games=games,
                seed=seed,
                options=variants,
                threads=threads,
                on_progress=lambda decisions, finished: progress.update(
                    task, completed=finished, decisions=decisions
                ),
                workers=crew,
            )
        except CheckpointError as fault:
            choices.give_up(str(fault))
    Console().print(result.table())
    if out is not None:
        save_result(result, out)
