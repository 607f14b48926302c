"""`shakespeare watch`: a game of agents, move by move."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_env.cli import choices, screen
from shakespeare_env.cli.printing import print_move, print_scores


def watch(
    named: lineup_options.AgentNames = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    players: lineup_options.Players = None,
    seed: lineup_options.Seed = 0,
    moves: Annotated[
        int | None, typer.Option(min=0, help="Number of moves to play.", show_default="all")
    ] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds to wait after each move.")] = 0,
    option: choices.Variants = None,
    every_position: Annotated[
        bool | None,
        typer.Option(
            "--every-position/--final",
            help="Draw every position, or only the last.",
            show_default="one for each of the game's days or rounds",
        ),
    ] = None,
) -> None:
    """Watch a game of agents, secrets included."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_table.session import Session

    game = choices.find_game(game_name)
    entrants = lineup_options.make_entrants(game, named, players)
    position = choices.new_position(game, len(entrants), seed, option)
    names = [one.name for one in entrants]
    agents = {seat: one.agent for seat, one in enumerate(entrants)}
    session = Session(position, agents, seed, names=names)
    chapter: object = object()  # equal to nothing, so that the first position is drawn

    def show(lines: list[str]) -> None:
        nonlocal chapter
        before = session.positions[-2].to_dict()
        last, chapter = chapter, before[game.presentation.chapter]
        if every_position or (every_position is None and chapter != last):
            screen.print_position(game, before)
        print_move(lines)
        time.sleep(delay)

    session.play_out(show, moves)
    screen.print_position(game, session.position.to_dict())
    print_scores(session.position, names, session.score_sheet())
