"""`shakespeare solo-suite`: how far an agent is from a strong one on fixed deals played alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from shakespeare_agents.cli import lineup_options
from shakespeare_agents.cli.completion import complete_agent
from shakespeare_agents.cli.out_file import check_writable, save_result
from shakespeare_agents.cli.progress import games_progress
from shakespeare_env.cli import choices
from shakespeare_env.errors import BoxError


def solo_suite(
    agent: Annotated[
        str,
        typer.Argument(
            metavar=lineup_options.AGENT,
            autocompletion=complete_agent,
            help=f"Who plays: {lineup_options.WHO}",
        ),
    ],
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=lineup_options.MOST_SEED,
            help="Seed of the agent's draws; the deals stay the same.",
        ),
    ] = 0,
    worst: Annotated[
        int, typer.Option(min=0, max=1000, help="List so many deals of the largest regret.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Write the results to this file as JSON."),
    ] = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
) -> None:
    """Play 100 fixed deals alone: scores, and regret against heavy search."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.arena.solo_suite import bundled_suite, play_suite

    game = choices.find_game(game_name)
    try:
        suite = bundled_suite(game.name)
    except BoxError as fault:
        choices.give_up(str(fault))
    except ValueError as fault:
        raise typer.BadParameter(str(fault), param_hint="--game") from fault
    (entrant,) = lineup_options.make_entrants(game, [agent], 1)
    if out is not None:
        check_writable(out)
    with games_progress() as progress:
        task = progress.add_task("playing", total=suite.deals, decisions=0)
        result = play_suite(
            entrant,
            game.name,
            seed=seed,
            suite=suite,
            on_progress=lambda decisions, finished: progress.update(
                task, completed=finished, decisions=decisions
            ),
        )
    Console().print(result.table())
    if worst:
        Console().print(result.worst_table(worst))
    if out is not None:
        save_result(result, out)
