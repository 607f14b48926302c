"""The command `shakespeare`."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from importlib import import_module
from traceback import format_list
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from shakespeare_env.checks.values import meant, shown
from shakespeare_env.cli.bash_words import whole_words
from shakespeare_env.errors import IllegalMove, ShakespeareEnvError
from shakespeare_env.play.agent_faults import agent_notes, own_steps
from shakespeare_env.version import version

COMMANDS = {
    "watch": "shakespeare_agents.cli.watch",
    "play": "shakespeare_agents.cli.play",
    "show": "shakespeare_env.cli.show",
    "train": "shakespeare_training.cli",
    "evaluate": "shakespeare_agents.cli.evaluate",
    "measure": "shakespeare_agents.cli.measure",
    "solo-suite": "shakespeare_agents.cli.solo_suite",
    "exploit": "shakespeare_training.cli",
    "export": "shakespeare_agents.cli.export",
    "arena": "shakespeare_agents.cli.arena",
    "arena report": "shakespeare_agents.cli.arena",
    "arena merge": "shakespeare_agents.cli.arena",
    "dataset": "shakespeare_agents.cli.dataset",
    "findings": "shakespeare_agents.cli.findings",
    "findings report": "shakespeare_agents.cli.findings",
    "replay": "shakespeare_agents.cli.replay",
    "check": "shakespeare_env.cli.check",
    "boxes check": "shakespeare_env.cli.boxes",
    "boxes sample": "shakespeare_env.cli.boxes",
    "boxes ask": "shakespeare_agents.cli.findings",
    "actions": "shakespeare_env.cli.reference",
    "observation": "shakespeare_env.cli.reference",
    "protocol": "shakespeare_env.cli.protocol",
    "table": "shakespeare_agents.cli.table",
    "mcp": "shakespeare_agents.cli.mcp",
}
"""The module of each command's function (`function_of`), imported only when called.

Each is in the package whose work it does, so no package imports one that builds on it.
"""


_PYDANTIC = "Input should be "
_MOST_REPEATED = 200
"""The most characters of a command that an error repeats."""


def function_of(command: str) -> Any:
    """The function that a command calls: its name, with `_` for other signs."""
    return getattr(import_module(COMMANDS[command]), re.sub(r"\W", "_", command))


class _Commands(TyperGroup):
    # Contexts and commands are Click's, which some versions of Typer bundle: hence Any.
    _names_are_enough = False

    def main(self, *arguments: Any, **named: Any) -> Any:
        # A key press shows no faults; the command itself will.
        hidden = [ShakespeareEnvError] if "_SHAKESPEARE_COMPLETE" in os.environ else []
        with whole_words(), suppress(*hidden):
            return super().main(*arguments, **named)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        known = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        option = args[0].partition("=")[0] if args else ""
        command = next((word for word in args if word in COMMANDS), None)
        if option[:1] == "-" and option not in {*known, "--"} and not ctx.resilient_parsing:
            behind = [word for word in args if word != command]
            words = ["shakespeare", command or "COMMAND", *behind]
            ctx.fail(
                f"no option {shown(option)} before the command; options stand after it: "
                f"{shlex.join(words)[:_MOST_REPEATED]}"
            )
        return super().parse_args(ctx, args)

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
        # No command foresees a full disk, a closed folder or too little memory.
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the output's reader has left; Click ends the command quietly
            raise
        except Exception as fault:
            said = _in_words(fault)
            if not said:
                _reword(fault)
                raise
        typer.echo("\n".join(["Error: " + said[0], *said[1:]]), err=True)
        raise typer.Exit(1)


def _reword(fault: Any) -> None:
    """Say plainly what newer versions of Typer say in Pydantic's words."""
    said = getattr(fault, "message", None)
    if isinstance(said, str) and said.startswith(_PYDANTIC):
        kind = said.removeprefix(_PYDANTIC).partition(", ")[0]
        kind = kind.replace("valid integer", "whole number").replace("valid number", "number")
        fault.message = f"it must be {kind}"


def _in_words(fault: Exception) -> list[str]:
    """Lines about faults that are not ours: an agent's or the machine's."""
    if notes := agent_notes(fault):
        steps = "".join(format_list(own_steps(fault))).splitlines()
        if isinstance(fault, IllegalMove) and not steps:
            return [str(fault), *notes]
        return [f"{notes[0].rstrip('.')}: {type(fault).__name__}: {fault}", *notes[1:], *steps]
    if isinstance(fault, ShakespeareEnvError):
        return [str(fault), *getattr(fault, "__notes__", [])]
    if isinstance(fault, OSError):
        return [str(fault)]
    if isinstance(fault, MemoryError):
        return ["there is too little memory for this; ask for less"]
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
