"""The commands `shakespeare play`, to play against agents, and `shakespeare watch`, to see them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_env.checks.values import command
from shakespeare_env.cli import choices
from shakespeare_env.core.registry import game_argument, game_file_options
from shakespeare_env.play.history import GameHistory
from shakespeare_table.cli import screen
from shakespeare_table.cli.printing import print_move, print_scores


def play(
    named: lineup_options.OpponentNames = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    players: lineup_options.Players = None,
    seat: Annotated[int, typer.Option(min=0, help="Your seat, counted from 0.")] = 0,
    seed: lineup_options.FreshSeed = None,
    option: choices.Variants = None,
    moves: Annotated[
        str | None,
        typer.Option(
            metavar="MOVES", help="Your first moves, separated by spaces.", show_default=False
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the game for `replay` to a new .jsonl or .jsonl.gz file, however it ends.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Play against agents. You see what your seat may know. Enter ? for help."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_env.core.rng import fresh_seed
    from shakespeare_table.cli.person import Person, PlayerLeft, fault_lines
    from shakespeare_table.session import Session

    game = choices.find_game(game_name)
    if seed is None:
        seed = fresh_seed()
    opponents = lineup_options.make_opponents(game, named, players)
    position = choices.new_position(game, len(opponents) + 1, seed, option)
    choices.check_seat(seat, position.players)
    others = [other for other in range(position.players) if other != seat]
    names = [opponent.name for opponent in opponents]
    opponents_in_words = "".join(
        f", {name} plays seat {other}" for other, name in zip(others, names, strict=True)
    )
    agents = dict(zip(others, [opponent.agent for opponent in opponents], strict=True))
    seated = [*names[:seat], lineup_options.PERSON, *names[seat:]]
    session = Session(position, agents, seed, names=seated)
    person = Person(session, seat)
    interruption = None  # raised again once the game so far has been saved and printed
    try:  # usage errors come before anything is printed
        person.play_given((moves or "").split())
    except (Exception, KeyboardInterrupt) as fault:
        # The fault is the person's, such as an illegal move, unless an agent has failed.
        if session.failed is None and isinstance(fault, ValueError):
            raise typer.BadParameter(str(fault), param_hint="--moves") from fault
        interruption = fault
    if save is not None:  # a file that cannot be written is refused before play goes on
        with choices.usage_errors("--save"):
            person.save(save)
    screen.print_wrapped(
        f"You play seat {seat}{opponents_in_words}. The seed of this game is {seed}.", 0
    )
    person.show_log()
    try:
        if interruption is not None:
            raise interruption
        person.play()
        # Nothing is secret once the game is over.
        screen.print_position(game, session.position.to_dict())
        person.show_scores()
        purpose = "To see this game again"
    except (PlayerLeft, KeyboardInterrupt):
        purpose = "You have left the game. To resume it"
    except Exception as fault:
        if session.failed is None:  # it was no agent that failed
            raise
        who = f"{seated[session.failed]}, seat {session.failed},"
        typer.echo("\n".join(["", *fault_lines(who, fault, session.position)]), err=True)
        purpose = "To resume the game once the agent is repaired"
    finally:
        if save is not None:
            try:
                person.save(save)
            except ValueError as fault:
                choices.exit_with_error(str(fault))
    arguments: list[object] = ["play", *names]
    arguments += ["--game", game_argument(game.name)]
    arguments += ["--players", position.players]
    arguments += ["--seat", seat]
    arguments += ["--seed", seed]
    for name in option or []:
        arguments += ["--option", name]
    played = session.history.moves_of(seat)
    if played:
        arguments += ["--moves", " ".join(played)]
    typer.echo(f"{purpose}, run\n  {command(*arguments)}")
    if save is not None:
        typer.echo(f"To replay it, run\n  {command('replay', save, *game_file_options())}")
    if session.failed is not None:
        raise typer.Exit(1)


def watch(
    named: lineup_options.AgentNames = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    players: lineup_options.Players = None,
    seed: lineup_options.Seed = 0,
    moves: Annotated[
        int | None, typer.Option(min=0, help="The number of moves to play.", show_default="all")
    ] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds to wait after each move.")] = 0,
    option: choices.Variants = None,
) -> None:
    """Watch a game of agents with all its secrets. The table is drawn once a day or round."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_table.session import Session

    game = choices.find_game(game_name)
    entrants = lineup_options.make_entrants(game, named, players)
    position = choices.new_position(game, len(entrants), seed, option)
    names = [entrant.name for entrant in entrants]
    agents = {seat: entrant.agent for seat, entrant in enumerate(entrants)}
    session = Session(position, agents, seed, names=names)
    drawn_chapter: object = object()  # equal to no chapter, so that the first position is drawn

    def show(history: GameHistory) -> None:
        nonlocal drawn_chapter
        before = history.positions[-2].to_dict()
        # The position before a move is drawn if the move is the first of a day or round.
        chapter = before[game.presentation.chapter]
        if chapter != drawn_chapter:
            screen.print_position(game, before)
        drawn_chapter = chapter
        print_move(history.lines(len(history.moves) - 1, None))
        time.sleep(delay)

    session.play_out(show, moves)
    screen.print_position(game, session.position.to_dict())
    print_scores(session.position, names, session.history.score_sheet(None))
