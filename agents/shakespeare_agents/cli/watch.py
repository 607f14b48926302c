"""`shakespeare watch`: a game of agents, move by move."""

from __future__ import annotations

import math
import time
from typing import Annotated

import typer

from shakespeare_agents.cli.answers import is_number
from shakespeare_agents.cli.options import lineup as lineup_options
from shakespeare_env.cli import choices, screen
from shakespeare_env.cli.printing import print_move, print_scores

_LONGEST_DELAY = 3600


def _move_limit(text: str) -> int | None:
    if text == "all":
        return None
    if is_number(text):
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
    from shakespeare_agents.session import Session

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
    session = Session(position, agents, seed, names=names)
    chapter: object = object()  # equal to nothing, so that the first position is drawn

    def show(lines: list[str]) -> None:
        nonlocal chapter
        before = session.positions[-2].to_dict()
        last, chapter = chapter, before[key]
        if every_position or (every_position is None and chapter != last):
            screen.print_position(game, before)
        print_move(lines)
        time.sleep(delay)

    session.play_out(show, limit)
    screen.print_position(game, session.position.to_dict())
    print_scores(session.position, names, session.score_sheet())
