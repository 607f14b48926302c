"""Options that commands share, such as the game and its variants, and how commands fail."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from shakespeare_env.checks.values import command
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError, CheckpointError

if TYPE_CHECKING:
    from shakespeare_env import Position
    from shakespeare_env.core.game import Game

DEFAULT_GAME = registry.DEFAULT
_INTERRUPTED = 130
"""The exit code after Ctrl-C, as in shells."""


def game_option(
    help_text: str = f"One of: {', '.join(registry.names())}", default: str | bool = True
) -> Any:
    """Return the option `--game`.

    Args:
        help_text: The beginning of the option's help.
        default: The default that the help shows, as in Typer's `show_default`.
    """
    return typer.Option(
        "--game",
        metavar="GAME",
        help=f"{help_text}; or one of your own, as my.py:GAME.",
        show_default=default,
    )


GameName = Annotated[str, game_option()]
OwnGame = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="FILE.py:GAME",
        help="The game, if it is one of your own: its file and its name there.",
        show_default=False,
    ),
]
_VARIANTS = "; ".join(
    f"{name}: {', '.join(registry.variants(name)) or 'none'}" for name in registry.names()
)
Variants = Annotated[
    list[str] | None,
    typer.Option("--option", help=f"Play this variant; can be repeated. ({_VARIANTS})"),
]


def find_game(name: str, argument: str = "--game") -> Game:
    """Return a game by its name or file.

    A wrong name is a usage error. If the game's box (the file of its cards and numbers) is invalid,
    the command exits with an error.
    """
    with usage_errors(argument):
        return registry.resolve(name)


def check_own_game(own: Game | None, name: str, where: object) -> None:
    """Raise a usage error if a file belongs to another game than the one that the user named.

    Args:
        own: The game that the option `--game` names, if it was given.
        name: The name of the game that the file belongs to.
        where: The file.
    """
    if own is not None and own.name != name:
        raise typer.BadParameter(f"{where} is of {name}, not of {own.name}", param_hint="--game")


def new_position(game: Game, players: int, seed: int, variants: list[str] | None) -> Position:
    """Return the first position of a game. A variant that does not fit it is a usage error."""
    # This import is slow, and completion does not need it.
    from shakespeare_env import Position

    options = checked_variants(game, variants, players)
    return Position.new(game.name, players=players, seed=seed, **options)


def checked_variants(game: Game, names: list[str] | None, seats: int) -> dict[str, Any]:
    """Return variants as options of a game, after checking that they fit `seats` seats.

    A variant that does not fit is a usage error.
    """
    variants: dict[str, Any] = dict.fromkeys(names or [], True)
    with usage_errors("--option"):
        game.option_bits(variants, [seats])
    return variants


def check_seat(seat: int | None, players: int) -> None:
    """Raise a usage error if a table does not have the seat."""
    if seat is not None and seat >= players:
        raise typer.BadParameter(
            f"there is no seat {seat}; the seats are 0 to {players - 1}", param_hint="--seat"
        )


def refuse_unused(context: typer.Context, used: Collection[str], why: str) -> None:
    """Raise a usage error if the command was given arguments that its chosen mode does not use.

    Args:
        context: The command's context, which knows what was given.
        used: The names of the command's parameters that the mode uses.
        why: A sentence, without its full stop, that says what the mode does.
    """
    unused = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        was_given = source is not None and source.name == "COMMANDLINE"
        if was_given and parameter.name not in used:
            is_option = parameter.param_type_name == "option"
            unused.append(parameter.opts[0] if is_option else str(parameter.metavar))
    if unused:
        pronoun = "it" if len(unused) == 1 else "them"
        given = ", ".join(unused)
        fault = f"{why}, so {given} would have no effect; leave {pronoun} out"
        raise typer.BadParameter(fault, param_hint=given)


@contextmanager
def usage_errors(option: str) -> Iterator[None]:
    """Turn errors in a `with` block into usage errors of an option; exit if a file is damaged."""
    try:
        yield
    except (BoxError, CheckpointError) as fault:
        exit_with_error(str(fault))
    except (TypeError, ValueError, ImportError) as fault:
        raise typer.BadParameter(str(fault), param_hint=option) from fault


def check_writable(out: Path | None) -> None:
    """Exit with an error if an output file is given and cannot be written."""
    if out is None:
        return
    # Saving keeps a link and replaces the file that it leads to.
    target = Path(os.path.realpath(out))
    if target.is_symlink():
        exit_with_error(
            f"{out} cannot be written: the link leads to itself; remove it, or give another name"
        )
    # Saving would replace a device, /dev/null included.
    is_file = target.is_file() or not target.exists()
    if not (is_file and os.access(target.parent, os.W_OK | os.X_OK)):
        exit_with_error(
            f"{out} cannot be written; give the name of a file in a folder that you can write to"
        )


def exit_with_error(message: str) -> NoReturn:
    """Print an error and exit with code 1."""
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(1)


def exit_interrupted(message: str, can_resume: bool = True) -> NoReturn:
    """Print a message after Ctrl-C, and exit with code 130.

    If the command can be resumed, the message is followed by "To resume:" and the command line. The
    message has to end with a space or line break, to separate the two.
    """
    resume = f"To resume: {command(*sys.argv[1:])}" if can_resume else ""
    typer.echo(f"{message}{resume}", err=True)
    raise typer.Exit(_INTERRUPTED)
