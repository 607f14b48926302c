"""The command `shakespeare mcp`: serve games for a language model to play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_env.checks.values import player_name
from shakespeare_env.cli import choices
from shakespeare_env.core import registry
from shakespeare_env.errors import ArenaError, BoxError, DatasetError


def mcp(
    named: lineup_options.OpponentNames = None,
    name: Annotated[
        str | None,
        typer.Option(help="The model's name in --results.", metavar="NAME", show_default=False),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Add the model's games to an arena's results, which ranks it on the ladder.",
            show_default=False,
        ),
    ] = None,
    game_name: Annotated[
        str | None,
        choices.game_option(
            "Offer only this game", f"all; {choices.DEFAULT_GAME} for a new folder of results"
        ),
    ] = None,
) -> None:
    """Serve games to a language model over MCP, on standard input and output."""
    if (name is None) != (results is None):
        raise typer.BadParameter("give both or neither", param_hint="--name, --results")
    with choices.usage_errors("--name"):
        name = name and player_name(name)
    if game_name is not None:
        game_name = choices.find_game(game_name).name
    # Slow imports are late to keep the shell's completion quick.
    try:
        from shakespeare_env.datasets.reading import game_of_results, has_manifest
        from shakespeare_table.mcp.results import ResultsWriter
        from shakespeare_table.mcp.server import server_of
        from shakespeare_table.mcp.tools import GameTools

        results_writer = None
        games = [game_name] if game_name else list(registry.names())
        if name is not None and results is not None:
            recorded_game = (
                game_of_results(results) if has_manifest(results) else choices.DEFAULT_GAME
            )
            games = [game_name or recorded_game]
            results_writer = ResultsWriter(results, games[0], name)
        lineup_options.check_agents(games, named or [], lineup_options.AGENT)
        tools = GameTools(named or [], games, results_writer)
    except (ArenaError, DatasetError, BoxError, ModuleNotFoundError) as fault:
        choices.exit_with_error(str(fault))
    except OSError as fault:
        choices.exit_with_error(f"the results cannot be written: {fault}")
    try:
        server_of(tools).run()
    except KeyboardInterrupt:
        pass
    finally:
        tools.close()
