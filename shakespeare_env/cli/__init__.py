"""The command `shakespeare`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from shakespeare_env.errors import ShakespeareEnvError

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
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        single = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)
        single.command(cmd_name)(getattr(import_module(COMMANDS[cmd_name]), cmd_name))
        command = typer.main.get_command(single)
        command.name = cmd_name
        return command

    def invoke(self, ctx: Any) -> Any:
        # What no command foresees: a full disk, a closed folder, too little memory.
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # whoever read the output has left; Click ends the command quietly
            raise
        except (ShakespeareEnvError, OSError) as fault:
            fault_in_a_line = str(fault)
        except MemoryError:
            fault_in_a_line = "there is too little memory for this; ask for less"
        typer.echo(f"Error: {fault_in_a_line}", err=True)
        raise typer.Exit(1)


app = typer.Typer(
    name="shakespeare",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


@app.callback()
def _main() -> None:
    """Play, watch and record games; train and evaluate agents."""
