"""`shakespeare watch`: a game of uniformly random legal moves, move by move."""

from __future__ import annotations

import itertools
import time
from typing import Annotated

import numpy as np
import typer

from shakespeare_env import Position
from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, find_game, switched_on
from shakespeare_env.cli.tables import print_scores


def _move_limit(text: str) -> int | None:
    if text == "all":
        return None
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise typer.BadParameter(
        f"{text!r} is neither a number of moves nor 'all'", param_hint="--moves"
    )


def watch(
    game_name: GameName = DEFAULT_GAME,
    players: Annotated[
        int | None, typer.Option(help="Seats at the table.", show_default="as many as there can be")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**64 - 1, help="The same seed is the same game.")
    ] = 0,
    moves: Annotated[str, typer.Option(help="How many moves to play, or 'all'.")] = "all",
    delay: Annotated[float, typer.Option(min=0, help="Seconds to wait after each move.")] = 0,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="Play with this variant; may be given several times."),
    ] = None,
    draw_at: Annotated[
        str,
        typer.Option(
            metavar="FIELD",
            help="Draw the position when this field of it changes, such as day, round or phase.",
        ),
    ] = "day",
    every_position: Annotated[
        bool | None,
        typer.Option(
            "--every-position/--final",
            help="Draw every position, or only the last one, whatever --draw-at says.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Watch a game played by uniformly random legal moves."""
    game = find_game(game_name)
    limit = _move_limit(moves)
    if players is None:
        players = game.max_seats
    if not game.min_seats <= players <= game.max_seats:
        raise typer.BadParameter(
            f"{game.name} is for {game.min_seats} to {game.max_seats} seats, not {players}",
            param_hint="--players",
        )
    variants = switched_on(game, option or [])
    try:
        position = Position.new(game.name, players=players, seed=seed, **variants)
    except ValueError as error:  # such as a variant that needs more seats
        raise typer.BadParameter(str(error)) from error
    random = np.random.default_rng(seed)
    chapter: object = ()  # no value in JSON, so the first position is drawn
    for number in itertools.count(1):
        ends = position.to_move is None or (limit is not None and number > limit)
        before, chapter = chapter, position.to_dict().get(draw_at)
        if ends or every_position or (every_position is None and chapter != before):
            typer.echo(f"\n{position}\n")
        if ends:
            break
        _play(position, number, random)
        time.sleep(delay)
    print_scores(position)


def _play(position: Position, number: int, random: np.random.Generator) -> None:
    """Plays a random legal move and says which."""
    seat, legal = position.to_move, position.moves()
    move = legal[random.integers(len(legal))]
    words = position.game.describe_action(move)
    typer.echo(f"{number:>4}  seat {seat}  {move:<28}  {words}")
    position.push(move)
