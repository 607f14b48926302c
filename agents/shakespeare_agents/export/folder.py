"""A checkpoint in a folder that needs none of our packages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from shakespeare_agents import storage
from shakespeare_agents.export.equality import Difference, Runner, difference, positions_of
from shakespeare_agents.export.model_card import model_card
from shakespeare_agents.networks.checkpoint import Card, load_checkpoint
from shakespeare_agents.networks.network import Network, input_scale
from shakespeare_env.core.game import Game
from shakespeare_env.errors import CheckpointError
from shakespeare_env.version import version

FORMATS = {"onnx": "onnx_file", "torch": "torch_files"}
"""The modules that write them, which need extras."""


def export(
    checkpoint: Path, game: Game, out: Path, formats: Collection[str]
) -> dict[str, Difference]:
    """Write a checkpoint in some of `FORMATS`, and compare each with the network itself.

    A network for any box is written as the plain one for the box in force.

    The folder, created if missing, also gets `config.json` and `README.md`.

    Args:
        checkpoint: The folder of a checkpoint.
        game: Its game.
        out: The folder to write to; files of an earlier export there are replaced.
        formats: Which to write.

    Returns:
        Format -> how it differs from the network over 10,000 positions.

    Raises:
        CheckpointError: the checkpoint cannot be read, or a file does not compute what it does.
        ValueError: the network differs between several boxes in force.
        ModuleNotFoundError: a package that writes the format is missing.
        OSError: a file cannot be written.
    """
    for name in formats:  # what is missing is said before anything is played
        import_module(f"shakespeare_agents.export.{FORMATS[name]}")
    network, card = load_checkpoint(checkpoint, game)
    if network.count > 1:
        raise ValueError(
            f"{1} boxes are in force, and the network is another one in each; export "
            "it with one of them in force"
        )
    network = network.in_box(0)
    out.mkdir(parents=True, exist_ok=True)
    config = json.dumps(_config(card, game), indent=1) + "\n"
    storage.write_atomically(out / "config.json", config.encode())
    seen = positions_of(game, network, card.players)
    found, checks = {}, {}
    for name, files, run in _written(out, network, card, formats):
        found[name] = difference(network, run, *seen)
        checks[files] = in_words(found[name])
        if not found[name].is_rounding:
            raise CheckpointError(f"{out}: {files} differ from the network: {checks[files]}")
    text = model_card(card, game, checks)
    storage.write_atomically(out / "README.md", text.encode())
    return found


def in_words(found: Difference) -> str:
    """A difference as a line of text."""
    said = (
        f"in {found.positions:,} positions the likeliest move is the same in "
        f"{found.same_move:,}; log-probabilities differ by at most {found.policy:.1e}, values by "
        f"{found.value:.1e}"
    )
    if found.share is not None:
        said += f", forecast shares of the victory by {found.share:.1e}"
    return said


def _written(
    out: Path, network: Network, card: Card, formats: Collection[str]
) -> Iterator[tuple[str, str, Runner]]:
    """Each format, once written: its name, its files and how to run it."""
    if "onnx" in formats:
        from shakespeare_agents.export.onnx_file import FILE, onnx_runner, write_onnx

        entries = {"game": card.game, "weights_digest": card.weights_digest}
        write_onnx(out, network, entries)
        yield "onnx", f"`{FILE}`", onnx_runner(out)
    if "torch" in formats:
        from shakespeare_agents.export.torch_files import MODULE, WEIGHTS, torch_runner, write_torch

        write_torch(out, network)
        yield "torch", f"`{WEIGHTS}` and `{MODULE}`", torch_runner(out)


def _config(card: Card, game: Game) -> dict[str, Any]:
    """What the numbers mean, and how large the layers are."""
    about = asdict(card)
    for name in ("settings", "figures", "command", "weights", "actions", "observation", "format"):
        del about[name]
    return {
        "made_by": f"shakespeare-env {version()}",
        **about,
        "seats": game.max_seats,
        "score_scale": game.score_scale,
        "observation": [asdict(field) for field in game.layout],
        "input_scale": [float(factor) for factor in input_scale(game.layout)],
        "actions": list(game.actions.texts),
    }
