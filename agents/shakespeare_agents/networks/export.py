"""A checkpoint as files that other programs load, without our packages."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from shakespeare_agents import storage
from shakespeare_agents.networks.checkpoint import Card, load_checkpoint
from shakespeare_agents.networks.network import Network, input_scale
from shakespeare_env.core.game import Game
from shakespeare_env.extras import needing
from shakespeare_env.version import version

FORMATS = {"onnx": ("network.onnx",), "torch": ("model.safetensors", "network.py")}
"""The files of each format."""
_OPSET, _IR_VERSION = 17, 8
"""The first with layer normalisation; runtimes of 2022 and later load it."""
_TORCH_NETWORK = Path(__file__).parent / "torch_network.py"


def export(checkpoint: Path, game: Game, out: Path, formats: Collection[str]) -> None:
    """Write a checkpoint in some of `FORMATS`, with a `config.json` and a `README.md`.

    Args:
        checkpoint: The folder of a checkpoint.
        game: Its game.
        out: The folder to write to, created if missing; files of an earlier export are replaced.
        formats: Which to write.

    Raises:
        CheckpointError: the checkpoint cannot be read.
        ModuleNotFoundError: a package that writes the format is missing.
        OSError: a file cannot be written.
    """
    if "onnx" in formats:  # said before anything is written
        with needing("export", "an export to ONNX needs"):
            import_module("onnx")
    network, card = load_checkpoint(checkpoint, game)
    out.mkdir(parents=True, exist_ok=True)
    config = json.dumps(_config(card, game), indent=1) + "\n"
    storage.write_atomically(out / "config.json", config.encode())
    if "onnx" in formats:
        storage.write_atomically(out / "network.onnx", _onnx(network, card))
    if "torch" in formats:
        tensors = {**network.tensors, "input_scale": input_scale(network.layout)}
        content = safetensors.numpy.save(
            {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()},
            metadata={"format": "pt"},
        )
        storage.write_atomically(out / "model.safetensors", content)
        storage.write_atomically(out / "network.py", _TORCH_NETWORK.read_bytes())
    text = model_card(card, game, [file for name in formats for file in FORMATS[name]])
    storage.write_atomically(out / "README.md", text.encode())


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


def _onnx(network: Network, card: Card) -> bytes:
    """The network as an ONNX file, which runtimes of many languages and browsers load."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    tensors = network.tensors
    constants = {**tensors, "input_scale": input_scale(network.layout), "last": np.array([1])}
    seats = {"win_logits": "win", "changes": "score"} if network.has_heads else {}

    def linear(layer: str, read: str, written: str) -> Any:
        names = [read, f"{layer}.weight", f"{layer}.bias"]
        return helper.make_node("Gemm", names, [written], transB=1)

    nodes = [
        helper.make_node("Cast", ["observation"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "input_scale"], ["scaled"]),
        linear("trunk", "scaled", "sums"),
        helper.make_node("LayerNormalization", ["sums", "norm.weight", "norm.bias"], ["even"]),
        helper.make_node("Relu", ["even"], ["features"]),
        linear("policy", "features", "policy_sums"),
        helper.make_node("Relu", ["policy_sums"], ["policy"]),
        linear("action", "policy", "logits"),
        linear("outlook", "features", "outlook_sums"),
        helper.make_node("Relu", ["outlook_sums"], ["outlook"]),
        linear("value", "outlook", "values"),
        helper.make_node("Squeeze", ["values", "last"], ["value"]),
        *(linear(layer, "outlook", name) for name, layer in seats.items()),
    ]
    sizes = {"logits": [len(tensors["action.bias"])], "value": []}
    sizes |= {name: [len(tensors[f"{layer}.bias"])] for name, layer in seats.items()}

    def described(name: str, kind: int, size: list[int]) -> Any:
        return helper.make_tensor_value_info(name, kind, ["n", *size])

    graph = helper.make_graph(
        nodes,
        "network",
        [described("observation", TensorProto.INT8, [network.layout.size])],
        [described(name, TensorProto.FLOAT, size) for name, size in sizes.items()],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(
        graph,
        producer_name="shakespeare-env",
        ir_version=_IR_VERSION,
        opset_imports=[helper.make_opsetid("", _OPSET)],
    )
    helper.set_model_props(model, {"game": card.game, "weights_digest": card.weights_digest})
    onnx.checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString()
    return content


def model_card(card: Card, game: Game, files: Collection[str]) -> str:
    """The text of a README.md as hubs of models show it: Markdown below YAML."""
    history = card.figures.get("history", [])
    last = max((row["decisions"] for row in history), default=0)
    results = "".join(_result(row) for row in history if row["decisions"] == last)
    seats = ", ".join(map(str, card.players))
    heads = """
| `win_logits` | [n, S], of shares of the victory, clockwise from the own seat; omit empty seats |
| `changes` | [n, S], of scores until the end, in the same units |"""
    return f"""---
license: {card.licence.lower()}
library_name: shakespeare-env
pipeline_tag: reinforcement-learning
tags: [reinforcement-learning, self-play, board-game, shakespeare-env, {game.name}]
---

# {game.name.capitalize()}: policy and value by self-play

A network for the board game {game.name.capitalize()} at tables of {seats} seats, trained with
shakespeare-env {version()}. It reads what one seat may know and scores that seat's {card.actions}
actions. Files: {", ".join(files)}; `config.json` says what every number of an observation and
every action means.

`observation` is int8[n, {card.observation}]. The network multiplies it by `input_scale`,
1 / sqrt(bound) of each number, which is among the weights: give it the numbers as they are.

| Output | |
|---|---|
| `logits` | [n, {card.actions}], of all actions: leave out the illegal ones |
| `value` | [n], what the seat may still expect, in units of {game.score_scale:g} points |\
{heads if card.heads else ""}

After {card.figures.get("decisions", 0):,} decisions, in the run's own last evaluation:

| Seats | Against | Games | Wins (95 % interval) | Mean score |
|---|---|---|---|---|
{results}
The command that trains it again:

```sh
{card.command}
```
"""


def _result(row: Mapping[str, Any]) -> str:
    wins = ""
    if row["win_rate"] is not None:
        rate, low, high = (100 * row[name] for name in ("win_rate", "low", "high"))
        wins = f"{rate:.1f} % ({low:.1f} to {high:.1f})"
    against = row["opponent"] or "alone"
    return (
        f"| {row['players']} | {against} | {row['games']:,} | {wins} | {row['mean_score']:.1f} |\n"
    )
