"""Choosing a game and its variants, and giving up."""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

import typer

from shakespeare_env import Position, registry
from shakespeare_env.errors import BoxError
from shakespeare_env.game import Game

DEFAULT_GAME = registry.DEFAULT

GameName = Annotated[str, typer.Option("--game", help=f"One of: {', '.join(registry.names())}.")]
PlayerCount = Annotated[
    int | None, typer.Option(help="Seats at the table.", show_default="as many as possible")
]
Variants = Annotated[
    list[str] | None, typer.Option("--option", help="Play this variant; can be repeated.")
]


def find_game(name: str) -> Game:
    """The game, or a usage error; gives up if its box is invalid."""
    if name not in registry.names():
        known = ", ".join(registry.names())
        raise typer.BadParameter(f"no game {name!r}; the games: {known}", param_hint="--game")
    try:
        return registry.game(name)
    except BoxError as fault:
        give_up(str(fault))


def new_position(
    game: Game, players: int | None, seed: int, variants: list[str] | None
) -> Position:
    """A new game, None meaning as many seats as possible, or a usage error."""
    if players is None:
        players = game.max_seats
    if not game.min_seats <= players <= game.max_seats:
        raise typer.BadParameter(
            f"{game.name} is for {game.min_seats} to {game.max_seats} seats, not {players}",
            param_hint="--players",
        )
    options: dict[str, Any] = variants_at(game, variants, players)
    return Position.new(game.name, players=players, seed=seed, **options)


def variants_at(game: Game, names: list[str] | None, seats: int) -> dict[str, bool]:
    """Variants switched on for so many seats, or a usage error."""
    variants = dict.fromkeys(names or [], True)
    try:
        game.option_bits(variants, [seats])
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint="--option") from error
    return variants


def give_up(message: str) -> NoReturn:
    """Print an error and exit with code 1."""
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(1)
