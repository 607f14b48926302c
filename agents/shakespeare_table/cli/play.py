"""`shakespeare play`: a person against agents, seeing what the person's seat may know."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_env.checks.limits import read_text
from shakespeare_env.checks.values import command
from shakespeare_env.cli import choices, screen
from shakespeare_env.cli.choices import give_up
from shakespeare_table.cli.answers import Leave


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
            metavar="MOVES|FILE",
            help="Your first moves, separated by spaces, or a file of them.",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the game for `replay`, however it ends: a new .jsonl or .jsonl.gz file.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Play against agents; you see what your seat may know, and `?` for the rest."""
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_env.core.rng import fresh_seed
    from shakespeare_table.cli.hints import fault_lines
    from shakespeare_table.cli.person import GivenMoveError, Person
    from shakespeare_table.session import Session

    game = choices.find_game(game_name)
    if seed is None:
        seed = fresh_seed()
    opponents = lineup_options.make_opponents(game, named, players)
    position = choices.new_position(game, len(opponents) + 1, seed, option)
    choices.check_seat(seat, position.players)
    others = [other for other in range(position.players) if other != seat]
    names = [one.name for one in opponents]
    welcome = "".join(f", {one} plays seat {at}" for at, one in zip(others, names, strict=True))
    agents = dict(zip(others, [one.agent for one in opponents], strict=True))
    called = [*names[:seat], lineup_options.PERSON, *names[seat:]]
    session = Session(position, agents, seed, names=called, viewer=seat)
    person, given = Person(session, seat), _given(moves)
    stopped: BaseException | None = None
    try:  # before anything is printed, for usage errors
        person.play_given(given)
    except GivenMoveError as fault:
        raise typer.BadParameter(str(fault), param_hint="--moves") from fault
    except (Exception, KeyboardInterrupt) as fault:
        stopped = fault
    if save is not None:  # checked while nothing can be lost
        try:
            person.save(save)
        except ValueError as fault:
            raise typer.BadParameter(str(fault), param_hint="--save") from fault
    screen.print_wrapped(f"You play seat {seat}{welcome}. The seed of this game is {seed}.", 0)
    person.show_log()
    try:
        if stopped is not None:
            raise stopped
        person.play()
        # Nothing is secret once the game is over.
        screen.print_position(game, session.position.to_dict())
        person.show_scores()
        farewell = "To see this game again"
    except (Leave, KeyboardInterrupt):
        farewell = "You have left the game. To resume it"
    except Exception as fault:
        if session.failed is None:
            raise
        who = f"{called[session.failed]}, seat {session.failed},"
        typer.echo("\n".join(["", *fault_lines(who, fault, session.position)]), err=True)
        farewell = "To resume the game once the agent is repaired"
    finally:
        if save is not None:
            try:
                person.save(save)
            except ValueError as fault:
                give_up(str(fault))
    settings = {"--game": game.name, "--players": position.players, "--seat": seat, "--seed": seed}
    words = ["play", *names]
    for setting, value in settings.items():
        words += [setting, str(value)]
    for name in option or []:
        words += ["--option", name]
    if played := session.course.moves_of(seat):
        words += ["--moves", " ".join(played)]
    typer.echo(f"{farewell}, run\n  {command(*words)}")
    if save is not None:
        typer.echo(f"To look at it, run\n  {command('replay', save)}")
    if session.failed is not None:
        raise typer.Exit(1)


def _given(moves: str | None) -> list[str]:
    """The words of `--moves`, or of the file it names."""
    if moves is None or not os.path.isfile(moves):  # Path.is_file does not take any text
        return (moves or "").split()
    try:
        return read_text(Path(moves)).split()
    except (OSError, ValueError) as fault:
        give_up(f"cannot read the moves in {moves!r}: {fault}")
