"""`shakespeare play`: a person against agents, seeing what the person's seat may know."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli.answers import Leave
from shakespeare_agents.cli.options import lineup as lineup_options
from shakespeare_env.cli import choices, screen
from shakespeare_env.cli.choices import give_up

_MOST_GIVEN = 2**20
"""The most characters in a file of moves."""
_WIDTH = 78
"""Columns of a command to copy."""
_NEXT_LINE = " \\"


def play(
    named: lineup_options.OpponentNames = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    players: lineup_options.OpponentPlayers = None,
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
    from shakespeare_agents.cli.hints import fault_lines
    from shakespeare_agents.cli.person import GivenMoveError, Person
    from shakespeare_agents.session import Session
    from shakespeare_env.core.rng import fresh_seed

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
    settings = {"--game": game.name, "--players": position.players}
    settings |= {"--seat": seat, "--seed": seed}
    parts = [["shakespeare", "play"], *([name] for name in _grouped(names))]
    parts += [[setting, str(value)] for setting, value in settings.items()]
    parts += [["--option", name] for name in option or []]
    typer.echo(f"{farewell}, run\n{command_to_copy(parts, session.course.moves_of(seat))}")
    if save is not None:
        parts = [["shakespeare", "replay"], [str(save)]]
        typer.echo(f"To look at it, run\n{command_to_copy(parts)}")
    if session.failed is not None:
        raise typer.Exit(1)


def _given(moves: str | None) -> list[str]:
    """The words of `--moves`, or of the file it names."""
    if moves is None:
        return []
    if not os.path.isfile(moves):  # Path.is_file does not take any text
        if not moves.strip():
            raise typer.BadParameter("no moves; name some, or a file", param_hint="--moves")
        return moves.split()
    try:
        with open(moves, encoding="utf-8") as file:
            text = file.read(_MOST_GIVEN + 1)
    except (OSError, ValueError) as fault:
        give_up(f"cannot read the moves in {moves!r}: {fault}")
    if len(text) > _MOST_GIVEN:
        give_up(f"{moves!r} has more than {_MOST_GIVEN:,} characters; give the moves of one game")
    return text.split()


def _grouped(names: Sequence[str]) -> list[str]:
    """Names without the repetitions of the last one, which fills the seats anyway."""
    shortest = list(names)
    while len(shortest) > 1 and shortest[-1] == shortest[-2]:
        shortest.pop()
    return shortest


def command_to_copy(parts: Sequence[Sequence[str]], moves: Sequence[str] = ()) -> str:
    r"""A command in lines that are not too long, with `\` where a shell would end the command.

    Args:
        parts: Words that stay on one line, such as an option and its value.
        moves: For `--moves`, which takes white space of any kind between them.
    """
    pieces = [(shlex.join(part), _NEXT_LINE) for part in parts]
    if moves:
        first, *others = shlex.quote(" ".join(moves)).split(" ")
        pieces.append((f"--moves {first}", _NEXT_LINE))
        pieces += [(move, "") for move in others]  # a quoted text may span lines
    lines = [f"  {pieces[0][0]}"]
    for piece, end in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) + len(_NEXT_LINE) <= _WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines[-1] += end
            lines.append(f"    {piece}")
    return "\n".join(lines)
