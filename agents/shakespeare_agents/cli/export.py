"""The command `shakespeare export`, which writes a trained network as files for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli.lineup import complete_agent
from shakespeare_env.cli import choices
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError


def export(
    checkpoint: Annotated[
        str,
        typer.Argument(
            metavar="CHECKPOINT",
            help="The folder of a checkpoint, or a bundled network: network, network,version=1 ...",
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
            metavar="FOLDER",
            help="The folder to write to.",
            show_default="exports/<game>-<weights>",
        ),
    ] = None,
    game_name: Annotated[
        str | None, choices.game_option("The game of a bundled network", "as the checkpoint's")
    ] = None,
) -> None:
    """Write a network, a config.json and a README as files that do not need our packages."""
    wanted = {"onnx": onnx, "torch": torch}
    formats = [name for name, is_wanted in wanted.items() if is_wanted]
    if not formats:
        raise typer.BadParameter("give --onnx, --torch or both", param_hint="--onnx, --torch")
    # These slow imports are made here to keep the shell's completion quick.
    from shakespeare_agents.naming import AgentSpec
    from shakespeare_agents.networks.checkpoint import read_card
    from shakespeare_agents.networks.export import export as write

    # Only a bundled network is looked up by this game. A folder's card names its game.
    game = choices.find_game(game_name or choices.DEFAULT_GAME)
    with choices.usage_errors("CHECKPOINT"):
        folder = AgentSpec.parse(checkpoint).checkpoint(game)
        if folder is None:
            raise ValueError(
                f"there is no folder {checkpoint!r}; give the folder of a checkpoint, or network"
            )
    try:
        game_on_card = read_card(folder).game
        if game_name is not None and game.name != game_on_card:
            message = f"the checkpoint is of {game_on_card}, not of {game.name}: drop --game"
            raise typer.BadParameter(message, param_hint="--game")
        game = registry.game(game_on_card)
        if out is None:
            out = Path("exports") / f"{game.name}-{read_card(folder).weights_digest[:8]}"
        write(folder, game, out, formats)
    except (CheckpointError, ModuleNotFoundError, ValueError) as fault:
        choices.exit_with_error(str(fault))
    typer.echo(f"Written to {out}; see its README.md")
