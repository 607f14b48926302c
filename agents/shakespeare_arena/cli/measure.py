"""`shakespeare measure`: an agent's strength, in playouts of a search that is as strong."""

from __future__ import annotations

from typing import Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli import playing as workers_options
from shakespeare_agents.cli.playing import ResultFile, counted_games, show_result
from shakespeare_env.cli import choices
from shakespeare_env.errors import CheckpointError


def measure(
    agent: lineup_options.AgentName,
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
            help="Of play, shared among the tables; at each at least one deal is played.",
            show_default="5, or no limit with --games",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="At each table at most, rounded up to whole deals; without --minutes the same "
            "seed gives the same games.",
            show_default="as many as there is time for",
        ),
    ] = None,
    seed: lineup_options.Seed = 0,
    out: ResultFile = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    option: choices.Variants = None,
    threads: lineup_options.Threads = 1,
    workers: workers_options.Processes = 1,
    ray: workers_options.Ray = None,
) -> None:
    """Place an agent on a fixed scale: how many playouts make search as strong, at each table."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_arena.measure import measure as place
    from shakespeare_arena.measure import tables_of

    game = choices.find_game(game_name)
    with choices.usage_errors("--players"):
        tables = tables_of(game, players)
    variants = choices.variants_at(game, option, max(tables))
    entrant = lineup_options.make_entrants(game, [agent, agent], max(tables))[0]
    choices.check_writable(out)
    with workers_options.chosen(workers, ray) as crew, counted_games(None) as on_progress:
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
                on_progress=on_progress,
                workers=crew,
            )
        except (CheckpointError, ValueError) as fault:
            choices.give_up(str(fault))
    show_result(result, out)
