"""`shakespeare table`: a table in the browser."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli.options.completion import complete_agent
from shakespeare_agents.cli.options.lineup import check_agents
from shakespeare_agents.cli.options.out_file import check_writable
from shakespeare_env.checks.values import shown
from shakespeare_env.cli import choices
from shakespeare_env.core import registry
from shakespeare_env.extras import needing

_PORT = 7764
_HERE = "127.0.0.1"
_PACE = 2.5
_TOKEN_LENGTHS = range(8, 201)


def table(
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Listen on this address. Beyond this machine a token is needed to begin tables, "
            "and what is sent is not encrypted.",
        ),
    ] = _HERE,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = _PORT,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Needed to open the lobby.",
            show_default="none on this machine, else a new one",
        ),
    ] = None,
    games: Annotated[
        Path | None,
        typer.Option(
            "--games",
            metavar="FILE",
            help="Keep games in this SQLite file.",
            show_default="table.sqlite in the data folder of your user",
        ),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="AGENT",
            autocompletion=complete_agent,
            help="Offer this agent, too: a checkpoint's folder or my.py:NAME; may be repeated.",
        ),
    ] = None,
    watched: Annotated[
        list[Path] | None,
        typer.Option(
            "--watch",
            metavar="FOLDER",
            help="Show the games of this arena or dataset as they come in; may be repeated.",
        ),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, max=86_400, help="The longest an agent may take for a move."
        ),
    ] = 60.0,
    box_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where the box desk saves your box.", show_default="download only"
        ),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Let agents play in a loop, for an audience.")
    ] = False,
    pace: Annotated[
        float, typer.Option(min=0.1, max=60.0, help="Seconds a move of the demo.")
    ] = _PACE,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Play, watch and review games in the browser."""
    try:
        with needing("table", "the table in the browser needs"):
            from shakespeare_agents.table.app import serve, with_path
            from shakespeare_agents.table.settings import Settings, is_local
            from shakespeare_agents.table.store import StoreError
    except ModuleNotFoundError as missing:
        choices.give_up(str(missing))
    for folder in watched or []:
        if not folder.is_dir():
            raise typer.BadParameter(
                f"there is no folder {shown(str(folder))}", param_hint="--watch"
            )
    check_agents(registry.names(), agents or [], "--agent")
    check_writable(box_file)
    if not host:
        raise typer.BadParameter("give an address, or 0.0.0.0 for all", param_hint="--host")
    if token is None:
        token = "" if is_local(host) else secrets.token_urlsafe(12)
    elif len(token) not in _TOKEN_LENGTHS or not token.isascii() or not token.isprintable():
        raise typer.BadParameter(
            f"give {_TOKEN_LENGTHS[0]} to {_TOKEN_LENGTHS[-1]} printable ASCII signs, or leave "
            "it out for a new one",
            param_hint="--token",
        )
    database = games or _data_folder() / "table.sqlite"
    settings = Settings(
        database,
        host,
        port,
        token,
        tuple(agents or ()),
        tuple(watched or ()),
        box_file,
        limit,
        pace=pace if demo else None,
    )

    def print_addresses(addresses: list[str]) -> None:
        typer.echo(f"The table stands at {addresses[0]}")
        for other in addresses[1:]:
            typer.echo(f"From other machines: {other}")
        if demo:
            typer.echo(f"The demo is at {with_path(addresses[0], 'demo')}")
        if not is_local(host):
            typer.echo(
                "Whoever knows this address can begin tables and seat agents; a seat's link opens "
                "that seat to whoever has it. What is sent is not encrypted."
            )
        typer.echo(f"Games are kept in {settings.database}. Ctrl-C ends the server.")

    try:
        serve(settings, print_addresses, opened=browser)
    except StoreError as fault:
        choices.give_up(str(fault))
    except BrokenPipeError:
        raise  # nobody reads on
    except OSError as fault:
        choices.give_up(
            f"cannot listen on {shown(host)}, port {port}: {fault.strerror or fault}; give another "
            "--port or --host"
        )


def _data_folder() -> Path:
    """The folder in which this user's programs keep data."""
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "share") / "shakespeare-env"
