"""`shakespeare watch`: a game of agents, move by move."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_agents.cli import lineup_options
from shakespeare_env.cli import choices, screen
from shakespeare_env.cli.printing import print_scores, tell_move
from shakespeare_env.game_log import GameLog

if TYPE_CHECKING:
    from shakespeare_env import Position

_LONGEST_DELAY = 3600


def _move_limit(text: str) -> int | None:
    if text == "all":
        return None
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise typer.BadParameter(
        f"{text!r} is neither a number of moves nor 'all'", param_hint="--moves"
    )


def watch(
    named: lineup_options.AgentNames = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    players: lineup_options.Players = None,
    seed: lineup_options.Seed = 0,
    moves: Annotated[str, typer.Option(help="Number of moves to play, or 'all'.")] = "all",
    delay: Annotated[
        float, typer.Option(min=0, max=_LONGEST_DELAY, help="Seconds to wait after each move.")
    ] = 0,
    option: choices.Variants = None,
    draw_at: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Draw the position whenever this key of it changes.",
            show_default="the game's own: its days or rounds",
        ),
    ] = None,
    every_position: Annotated[
        bool | None,
        typer.Option(
            "--every-position/--final",
            help="Draw every position, or only the last; overrides --draw-at.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Watch a game of agents, secrets included."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.single_game import SingleGame

    if math.isnan(delay):  # Typer's range check lets it pass
        raise typer.BadParameter("give a number of seconds", param_hint="--delay")
    game = choices.find_game(game_name)
    limit = _move_limit(moves)
    entrants = lineup_options.make_entrants(game, named, players)
    position = choices.new_position(game, len(entrants), seed, option)
    key = draw_at or game.presentation.chapter
    if key not in position.to_dict():
        known = ", ".join(position.to_dict())
        raise typer.BadParameter(
            f"positions have no key {key!r}; their keys: {known}", param_hint="--draw-at"
        )
    names = [one.name for one in entrants]
    agents = {seat: one.agent for seat, one in enumerate(entrants)}
    played = SingleGame(position, agents, seed, names=names)
    log = GameLog(names)
    chapter: object = object()  # equal to nothing, so that the first position is drawn

    def show(before: Position, number: int, move: str, after: Position) -> None:
        nonlocal chapter
        last, chapter = chapter, before.to_dict()[key]
        if every_position or (every_position is None and chapter != last):
            screen.tell_position(game, before.to_dict())
        tell_move(log, before, number, move, after)
        time.sleep(delay)

    played.play_out(show, limit)
    screen.tell_position(game, played.position.to_dict())
    print_scores(played.position, names, log.score_sheet(played.positions, played.moves))
