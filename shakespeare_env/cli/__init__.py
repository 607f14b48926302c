"""The command line program `shakespeare`."""

from __future__ import annotations

import sys
from importlib import import_module
from io import TextIOWrapper
from traceback import format_list
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from shakespeare_env.errors import IllegalMove, ShakespeareEnvError, agent_notes, own_frames
from shakespeare_env.version import version

COMMANDS = {
    "play": "shakespeare_table.cli.play",
    "watch": "shakespeare_table.cli.play",
    "table": "shakespeare_table.cli.table",
    "train": "shakespeare_training.cli.train",
    "evaluate": "shakespeare_arena.cli",
    "measure": "shakespeare_arena.cli",
    "arena": "shakespeare_arena.cli",
    "exploit": "shakespeare_training.cli.exploit",
    "adopt": "shakespeare_training.cli.adopt",
    "dataset": "shakespeare_arena.cli",
    "replay": "shakespeare_table.cli.replay",
    "findings": "shakespeare_research.cli",
    "export": "shakespeare_agents.cli.export",
    "mcp": "shakespeare_table.cli.mcp",
    "check": "shakespeare_env.cli.check",
}
"""The module of each command. The command's function has the same name as the command.

A command belongs to the package whose work it does. Its module is imported only when the command is
called, so no package imports another one that builds on it.
"""


ARGUMENTS = "shakespeare.arguments"
"""The key of a command's own arguments in `typer.Context.meta`."""


class _Commands(TyperGroup):
    # Contexts and commands have the type Any here. They are classes of Click, which some versions
    # of Typer bundle.

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        single = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)
        function = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        single.command(cmd_name, context_settings=_HELP_NAMES)(function)
        return typer.main.get_command(single)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        ctx.meta[ARGUMENTS] = args[1:]
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            # This import is slow, and completion does not need it.
            from shakespeare_env.checks.values import did_you_mean

            question = did_you_mean(args[0], COMMANDS)
            if question:
                ctx.fail(f"there is no command {args[0]!r}{question}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
            # Commands may print file names that are not UTF-8.
            sys.stdout.reconfigure(errors="surrogateescape")
        # A full disk, a folder without write permission and too little memory are handled here for
        # all commands.
        try:
            return super().invoke(ctx)
        except Exception as raised:
            fault: BaseException = raised
            if isinstance(raised, RuntimeError) and isinstance(raised.__cause__, StopIteration):
                # Python raises a RuntimeError in place of a StopIteration that leaves a generator.
                fault = raised.__cause__
            # `own_frames` are the traceback's frames in the user's own files.
            is_from_user_code = bool(agent_notes(fault) or own_frames(fault))
            if isinstance(fault, BrokenPipeError) and not is_from_user_code:
                raise  # nobody reads the output any more, and Click ends the command quietly
            lines = _error_lines(fault)
            if not lines:
                raise
        typer.echo("\n".join([f"Error: {lines[0]}", *lines[1:]]), err=True)
        raise typer.Exit(1)


def _error_lines(fault: BaseException) -> list[str]:
    """Return the lines to print for a fault of an agent, of the user's code or of the machine.

    There are none for a fault of this program, which needs a traceback.
    """
    notes = getattr(fault, "__notes__", [])
    frames = "".join(format_list(own_frames(fault))).splitlines()
    about_agents = agent_notes(fault)
    if about_agents:
        remedies = [note for note in notes if note not in about_agents]
        if isinstance(fault, IllegalMove) and not frames:
            return [str(fault), *about_agents, *remedies]
        first = f"{about_agents[0].rstrip('.')}: {type(fault).__name__}: {fault}"
        return [first, *about_agents[1:], *frames, *remedies]
    if isinstance(fault, ShakespeareEnvError):
        return [str(fault), *notes]
    if isinstance(fault, OSError | ImportError):
        return [str(fault), *frames, *notes]
    return []


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
