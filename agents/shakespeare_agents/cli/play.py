"""`shakespeare play`: a person against agents, seeing what the person's seat may know."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_agents.cli import lineup_options
from shakespeare_agents.cli.answers import Leave
from shakespeare_agents.cli.shell_command import command_to_copy
from shakespeare_env import registry
from shakespeare_env.cli import choices, screen
from shakespeare_env.cli.choices import give_up

if TYPE_CHECKING:
    from shakespeare_agents.cli.person import Person

_MOST_GIVEN = 2**20
"""The most characters in a file of moves."""
_FRESH_SEEDS = 1_000_000
"""The number of fresh seeds, few enough to be read out and typed."""


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
    from shakespeare_agents.cli.fault_words import fault_lines
    from shakespeare_agents.cli.person import GivenMoveError, Person
    from shakespeare_agents.single_game import SingleGame

    game = choices.find_game(game_name)
    if seed is None:
        seed = secrets.randbelow(_FRESH_SEEDS)
    opponents = lineup_options.make_opponents(game, named, players)
    position = choices.new_position(game, len(opponents) + 1, seed, option)
    if seat >= position.players:
        raise typer.BadParameter(
            f"no seat {seat}; the seats are 0 to {position.players - 1}", param_hint="--seat"
        )
    others = [other for other in range(position.players) if other != seat]
    seated = dict(zip(others, opponents, strict=True))
    played = SingleGame(position, {other: one.agent for other, one in seated.items()}, seed)
    names = [lineup_options.PERSON] * position.players
    for other, one in seated.items():
        names[other] = one.name
    person = Person(played, seat, names, _given(moves))
    stopped: BaseException | None = None
    try:  # before anything is printed, for usage errors
        person.play_given()
    except GivenMoveError as fault:
        raise typer.BadParameter(str(fault), param_hint="--moves") from fault
    except (Exception, KeyboardInterrupt) as fault:
        stopped = fault
    if save is not None:  # checked while nothing can be lost
        try:
            person.save(save)
        except ValueError as fault:
            raise typer.BadParameter(str(fault), param_hint="--save") from fault
    welcome = "".join(f", {one.name} plays seat {other}" for other, one in seated.items())
    screen.tell_wrapped(f"You play seat {seat}{welcome}. The seed of this game is {seed}.", 0)
    person.tell_course()
    try:
        if stopped is not None:
            raise stopped
        person.play()
        # Nothing is secret once the game is over.
        screen.tell_position(game, played.position.to_dict())
        person.print_scores()
        farewell = "To see this game again"
    except (Leave, KeyboardInterrupt):
        farewell = "You have left the game. To resume it"
    except Exception as fault:
        if played.failed is None:
            raise
        who = f"{names[played.failed]}, seat {played.failed},"
        typer.echo("\n".join(["", *fault_lines(who, fault, played.position)]), err=True)
        farewell = "To resume the game once the agent is repaired"
    finally:
        if save is not None:
            _save_at_end(person, save)
    spec = registry.called(game.name)
    settings = {"--game": spec, "--players": position.players, "--seat": seat, "--seed": seed}
    parts = [["shakespeare", "play"], *([name] for name in _grouped([o.name for o in opponents]))]
    parts += [[setting, str(value)] for setting, value in settings.items()]
    parts += [["--option", name] for name in option or []]
    typer.echo(f"{farewell}, run\n{command_to_copy(parts, person.moves)}")
    if save is not None:
        parts = [["shakespeare", "replay"], [str(save)]]
        typer.echo(f"To look at it, run\n{command_to_copy(parts)}")
    if played.failed is not None:
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


def _save_at_end(person: Person, path: Path) -> None:
    try:
        person.save(path)
    except ValueError as fault:
        give_up(str(fault))
