"""The command `shakespeare`."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from shakespeare_env.cli.bash_words import whole_words
from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.values import meant, shown
from shakespeare_env.version import version

COMMANDS = {
    "watch": "shakespeare_agents.cli.watch",
    "play": "shakespeare_agents.cli.play",
    "show": "shakespeare_env.cli.show",
    "train": "shakespeare_training.cli",
    "evaluate": "shakespeare_agents.cli.evaluate",
    "dataset": "shakespeare_agents.cli.dataset",
    "replay": "shakespeare_agents.cli.replay",
    "check": "shakespeare_env.cli.check",
    "actions": "shakespeare_env.cli.reference",
    "observation": "shakespeare_env.cli.reference",
    "protocol": "shakespeare_env.cli.protocol",
}
"""Functions of that name, imported only when called.

Each is in the package whose work it does: none imports one that builds on it.
"""


class _Commands(TyperGroup):
    # Contexts and commands are Click's, which some versions of Typer bundle: hence Any.
    _names_are_enough = False

    def main(self, *arguments: Any, **named: Any) -> Any:
        with whole_words():
            return super().main(*arguments, **named)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        if self._names_are_enough:
            return TyperCommand(cmd_name)
        single = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)
        single.command(cmd_name)(getattr(import_module(COMMANDS[cmd_name]), cmd_name))
        command = typer.main.get_command(single)
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS and not (ctx.resilient_parsing or name.startswith("-")):
            known = ", ".join(COMMANDS)
            ctx.fail(
                f"there is no command {shown(name)}{meant(name, COMMANDS)}; give one of {known}"
            )
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        # Importing every command to list it would take longer than a key press may.
        self._names_are_enough = True
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self._names_are_enough = False

    def invoke(self, ctx: Any) -> Any:
        # What no command foresees: a full disk, a closed folder, too little memory.
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # whoever read the output has left; Click ends the command quietly
            raise
        except (ShakespeareEnvError, OSError) as fault:
            said = [str(fault), *getattr(fault, "__notes__", [])]
        except MemoryError:
            said = ["there is too little memory for this; ask for less"]
        typer.echo("\n".join(["Error: " + said[0], *said[1:]]), err=True)
        raise typer.Exit(1)


app = typer.Typer(
    name="shakespeare", cls=_Commands, no_args_is_help=True, pretty_exceptions_show_locals=False
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shakespeare-env {version()}")
        raise typer.Exit


@app.callback()
def _main(
    wants_version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Play, watch and record games; train and evaluate agents."""
