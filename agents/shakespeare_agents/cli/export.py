"""`shakespeare export`: a trained network as files for other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_agents import naming
from shakespeare_agents.cli.options.completion import complete_agent
from shakespeare_env.cli import choices
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game


def export(
    checkpoint: Annotated[
        str,
        typer.Argument(
            metavar="CHECKPOINT",
            help="The folder of a checkpoint; or network, network,version=2, ... of the package.",
            autocompletion=complete_agent,
            show_default=False,
        ),
    ],
    onnx: Annotated[
        bool, typer.Option("--onnx", help="Write network.onnx, for ONNX Runtime and others.")
    ] = False,
    torch: Annotated[
        bool, typer.Option("--torch", help="Write model.safetensors and network.py, for PyTorch.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where to write.", show_default="exports/<game>-<weights>"
        ),
    ] = None,
    game_name: Annotated[
        str | None, choices.game_option("The game of a bundled network.", "as the checkpoint's")
    ] = None,
) -> None:
    """Write a network as files that need none of our packages, and compare it with them.

    The folder also gets a config.json, which says what every number means, and a README.md as hubs
    of models show it.
    """
    formats = [name for name, wanted in (("onnx", onnx), ("torch", torch)) if wanted]
    if not formats:
        raise typer.BadParameter("give --onnx, --torch or both", param_hint="--onnx, --torch")
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.export.folder import export as write
    from shakespeare_agents.export.folder import in_words
    from shakespeare_agents.networks.checkpoint import read_card

    try:
        folder, game = _found(checkpoint, game_name)
        weights = read_card(folder).weights_digest[:8]
        place = out or Path("exports") / f"{game.name}-{weights}"
        found = write(folder, game, place, formats)
    except (CheckpointError, ModuleNotFoundError, ValueError) as fault:
        choices.give_up(str(fault))
    for name, compared in found.items():
        typer.echo(f"{name}: {in_words(compared)}")
    typer.echo(f"Written to {place}; see its README.md")


def _found(checkpoint: str, game_name: str | None) -> tuple[Path, Game]:
    """The folder of a checkpoint, and its game."""
    from shakespeare_agents.networks.bundled import NEWEST, bundled_checkpoint
    from shakespeare_agents.networks.checkpoint import read_card

    name, options = naming.split_options(checkpoint)
    if name == "network":
        game = choices.find_game(game_name or choices.DEFAULT_GAME)
        with choices.usage_errors("CHECKPOINT"):
            if unknown := sorted(options.keys() - {"version"}):
                raise ValueError(f"no option {unknown[0]!r}; give version or nothing")
            return bundled_checkpoint(game, options.get("version", NEWEST)), game
    if not os.path.isdir(checkpoint):  # Path.is_dir does not take any text
        raise typer.BadParameter(
            f"there is no folder {checkpoint!r}; give a checkpoint's, or network",
            param_hint="CHECKPOINT",
        )
    named = read_card(Path(checkpoint)).game
    if named not in registry.names():
        raise CheckpointError(f"{checkpoint}: made for game {named!r}; give its file with --game")
    return Path(checkpoint), choices.find_game(named)
