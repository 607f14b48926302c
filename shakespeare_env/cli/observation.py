"""`shakespeare observation`: the layout of a game's observations."""

from __future__ import annotations

from typing import Annotated

import typer

from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, find_game
from shakespeare_env.cli.printing import markdown_page, print_table

_TITLES = ("Field", "From", "Size", "Range", "What the numbers are")


def observation(
    game_name: GameName = DEFAULT_GAME,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown page.")] = False,
) -> None:
    """List every field of an observation: name, position, range and meaning."""
    game = find_game(game_name)
    rows = [
        (f.name, str(f.start), str(f.size), f"{f.low} to {f.high}", f.description)
        for f in game.layout
    ]
    if markdown:
        title = f"{game.name.capitalize()}: the {game.layout.size} numbers of an observation"
        code = [(f"`{name}`", *others) for name, *others in rows]
        typer.echo(markdown_page(title, _TITLES, code))
    else:
        print_table(_TITLES, rows)
