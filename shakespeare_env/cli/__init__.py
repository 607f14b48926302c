"""The command `shakespeare`."""

from __future__ import annotations

import re
from importlib import import_module
from traceback import format_list
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from shakespeare_env.errors import IllegalMove, ShakespeareEnvError, agent_notes, own_steps
from shakespeare_env.version import version

COMMANDS = {
    "watch": "shakespeare_table.cli.play",
    "play": "shakespeare_table.cli.play",
    "train": "shakespeare_training.cli",
    "evaluate": "shakespeare_arena.cli.evaluate",
    "measure": "shakespeare_arena.cli.measure",
    "exploit": "shakespeare_training.cli",
    "export": "shakespeare_agents.cli.export",
    "arena": "shakespeare_arena.cli.arena",
    "arena report": "shakespeare_arena.cli.arena",
    "arena merge": "shakespeare_arena.cli.arena",
    "dataset": "shakespeare_arena.cli.dataset",
    "findings": "shakespeare_research.cli",
    "findings report": "shakespeare_research.cli",
    "replay": "shakespeare_table.cli.replay",
    "boxes check": "shakespeare_env.cli.boxes",
    "boxes sample": "shakespeare_env.cli.boxes",
    "boxes ask": "shakespeare_research.cli",
    "actions": "shakespeare_env.cli.show",
    "observation": "shakespeare_env.cli.show",
    "table": "shakespeare_table.cli.table",
    "mcp": "shakespeare_table.cli.mcp",
}
"""The module of each command's function (`function_of`), imported only when called.

Each is in the package whose work it does, so no package imports one that builds on it.
"""


def function_of(command: str) -> Any:
    """The function that a command calls: its name, with `_` for other signs."""
    return getattr(import_module(COMMANDS[command]), re.sub(r"\W", "_", command))


class _Commands(TyperGroup):
    # Contexts and commands are Click's, which some versions of Typer bundle: hence Any.
    _names_are_enough = False

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        if self._names_are_enough:
            return TyperCommand(cmd_name)
        single = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)
        single.command(cmd_name, context_settings=_HELP_NAMES)(function_of(cmd_name))
        command = typer.main.get_command(single)
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if (both := " ".join(args[:2])) in COMMANDS:
            args = [both, *args[2:]]
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        # Importing every command to list it would take longer than a key press may.
        self._names_are_enough = True
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self._names_are_enough = False

    def invoke(self, ctx: Any) -> Any:
        # No command foresees a full disk, a closed folder or too little memory.
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the output's reader has left; Click ends the command quietly
            raise
        except Exception as fault:
            said = _in_words(fault)
            if not said:
                raise
        typer.echo("\n".join(["Error: " + said[0], *said[1:]]), err=True)
        raise typer.Exit(1)


def _in_words(fault: Exception) -> list[str]:
    """Lines about faults that are not ours: an agent's or the machine's."""
    if notes := agent_notes(fault):
        steps = "".join(format_list(own_steps(fault))).splitlines()
        if isinstance(fault, IllegalMove) and not steps:
            return [str(fault), *notes]
        return [f"{notes[0].rstrip('.')}: {type(fault).__name__}: {fault}", *notes[1:], *steps]
    if isinstance(fault, ShakespeareEnvError):
        return [str(fault), *getattr(fault, "__notes__", [])]
    return [str(fault)] if isinstance(fault, OSError | ImportError) else []


_HELP_NAMES = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    name="shakespeare",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings=_HELP_NAMES,
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
