"""`shakespeare actions`: the action table of a game."""

from __future__ import annotations

from typing import Annotated

import typer

from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, find_game
from shakespeare_env.cli.printing import markdown_page, print_table

_TITLES = ("Id", "Move", "What it does")
_PLACES = (
    "{+k} is the seat k places clockwise of the mover, so an id means the same for every seat. "
    "Moves name the seat itself: {+1} is 3 when seat 2 moves."
)


def actions(
    game_name: GameName = DEFAULT_GAME,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown page.")] = False,
) -> None:
    """List every action: id, move text and what it does."""
    game = find_game(game_name)
    texts = zip(game.actions.texts, game.actions.descriptions, strict=True)
    note = _PLACES if game.actions.is_relative else ""
    if markdown:
        rows = [(str(i), f"`{move}`", words) for i, (move, words) in enumerate(texts)]
        title = f"{game.name.capitalize()}: the {game.actions.size} actions"
        typer.echo(markdown_page(title, _TITLES, rows, note))
    else:
        print_table(_TITLES, [(str(i), *pair) for i, pair in enumerate(texts)])
        if note:
            typer.echo(note)
