"""What several commands ask for: which game, with which variants; and how they give up."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

from shakespeare_env import registry
from shakespeare_env.game import Game

DEFAULT_GAME = "shakespeare"

GameName = Annotated[str, typer.Option("--game", help=f"One of: {', '.join(registry.names())}.")]


def find_game(name: str) -> Game:
    """The game of that name; a usage error that lists the games if there is none."""
    if name not in registry.names():
        known = ", ".join(registry.names())
        raise typer.BadParameter(f"no game {name!r}; the games: {known}", param_hint="--game")
    return registry.game(name)


def switched_on(game: Game, names: list[str]) -> dict[str, bool]:
    """The variants to play with; a usage error that lists the game's variants if one is unknown."""
    for name in names:
        if name not in game.options:
            known = ", ".join(game.options) or "none"
            raise typer.BadParameter(
                f"{game.name} has no variant {name!r}; its variants: {known}",
                param_hint="--option",
            )
    return dict.fromkeys(names, True)


def give_up(message: str) -> NoReturn:
    """Says what is wrong on the error stream and ends the command with exit code 1."""
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(1)
