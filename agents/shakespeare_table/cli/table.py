"""The command `shakespeare table`, to play in the browser."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from shakespeare_agents.cli.lineup import check_agents, complete_agent
from shakespeare_env.cli import choices
from shakespeare_env.core import registry
from shakespeare_env.extras import requires_extra


def table(
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Listen on this address. If other machines can reach it, they need a token to "
            "begin tables, and nothing that is sent is encrypted.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Listen on this port. 0 means a free one.")
    ] = 7764,
    games: Annotated[
        Path | None,
        typer.Option(
            "--games",
            metavar="FILE",
            help="Keep games in this SQLite file.",
            show_default="table.sqlite in the data folder of your user",
        ),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="Answer to this host name as well, such as this machine's name in the network or "
            "that of a proxy in front. A token is then needed. May be repeated.",
        ),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="AGENT",
            autocompletion=complete_agent,
            help="Offer this agent as well, in the games that it can play: a name with options, a "
            "checkpoint's folder or my.py:NAME. May be repeated.",
        ),
    ] = None,
    own_games: Annotated[
        list[str] | None,
        typer.Option(
            "--game",
            metavar="FILE.py:GAME",
            help="Offer this game of your own as well. May be repeated.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.1,
            max=86_400,
            help="The longest time that an agent may take for a move.",
        ),
    ] = 60.0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Play, watch and review games in the browser."""
    try:
        with requires_extra("table", "the table in the browser needs"):
            from shakespeare_table.browser.app import serve
            from shakespeare_table.browser.settings import Settings, is_local
            from shakespeare_table.browser.storage.database import StoreError
    except ModuleNotFoundError as missing:
        choices.exit_with_error(str(missing))
    for own_game in own_games or ():
        choices.find_game(own_game)  # this registers the game
    check_agents(registry.names(), agents or [], "--agent")
    # An empty token means that no token is needed.
    token = "" if is_local(host) and not names else secrets.token_urlsafe(12)
    folder = platformdirs.user_data_path("shakespeare-env", appauthor=False)
    choices.check_writable(games)
    database = games or folder / "table.sqlite"
    try:
        settings = Settings(
            database, host, port, token, agents=agents or (), limit=limit, host_names=names or ()
        )
    except ValueError as fault:
        choices.exit_with_error(f"--name: {fault}")

    def announce(addresses: list[str]) -> None:
        typer.echo(f"Play at {addresses[0]}")
        for other in addresses[1:]:
            typer.echo(f"From other machines: {other}")
        if token:
            typer.echo(
                "Anyone who knows this address can begin tables and seat agents. The first who "
                "opens an invitation can take its seat. Only a proxy in front can encrypt what is "
                "sent."
            )
        typer.echo(f"Games are kept in {database}. Press Ctrl-C to end the server.")
        if browser:
            typer.launch(addresses[0])

    try:
        serve(settings, announce)
    except StoreError as fault:
        choices.exit_with_error(str(fault))
    except OSError as fault:
        choices.exit_with_error(
            f"cannot listen on {host!r}, port {port}: {fault.strerror or fault}; give another "
            "--port or --host"
        )
