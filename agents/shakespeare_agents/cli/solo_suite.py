"""`shakespeare solo-suite`: how far an agent is from a strong one on fixed deals played alone."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from shakespeare_agents.cli.options import lineup as lineup_options
from shakespeare_agents.cli.options.out_file import ResultFile, check_writable, show_result
from shakespeare_agents.cli.options.progress import counted_games
from shakespeare_env.cli import choices


def solo_suite(
    agent: lineup_options.AgentName,
    seed: lineup_options.SeedOfDraws = 0,
    worst: Annotated[
        int,
        typer.Option(min=0, max=1000, help="List this many deals, those of the largest regret."),
    ] = 0,
    out: ResultFile = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
) -> None:
    """Play 100 fixed deals alone: scores, and regret against heavy search."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.arena.solo_suite import bundled_suite, play_suite

    game = choices.find_game(game_name)
    with choices.usage_errors("--game"):
        suite = bundled_suite(game.name)
    (entrant,) = lineup_options.make_entrants(game, [agent], 1)
    check_writable(out)
    with counted_games(suite.deals) as on_progress:
        result = play_suite(entrant, game.name, seed=seed, suite=suite, on_progress=on_progress)
    show_result(result, out)
    if worst:
        Console().print(result.worst_table(worst))
