"""Export of checkpoints as files that other programs load without this project's packages."""

from __future__ import annotations

import json
from collections.abc import Collection
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
from shakespeare_env.extras import requires_extra
from shakespeare_env.version import version

FORMATS = {"onnx": ("network.onnx",), "torch": ("model.safetensors", "network.py")}
"""The files of each format."""
_OPSET = 17  # the first ONNX operator set with layer normalisation, released in 2022
_IR_VERSION = 8
_TORCH_NETWORK = Path(__file__).parent / "torch_network.py"


def export(checkpoint: Path, game: Game, out: Path, formats: Collection[str]) -> None:
    """Write a checkpoint's network in some of `FORMATS`, with a `config.json` and a `README.md`.

    Files of an earlier export in the folder `out` are replaced.

    Raises:
        CheckpointError: the checkpoint cannot be read.
        ModuleNotFoundError: a package that writes the format is missing.
    """
    if "onnx" in formats:
        # Report a missing package before anything is written.
        with requires_extra("export", "an export to ONNX needs"):
            import_module("onnx")
    network, card = load_checkpoint(checkpoint, game)
    out.mkdir(parents=True, exist_ok=True)
    config = json.dumps(_config(card, network, game), indent=1) + "\n"
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
    files = [file for name in formats for file in FORMATS[name]]
    storage.write_atomically(out / "README.md", _model_card(card, game, files).encode())


def _config(card: Card, network: Network, game: Game) -> dict[str, Any]:
    left_out = ("settings", "figures", "command", "weights", "actions", "observation", "format")
    return {
        "made_by": f"shakespeare-env {version()}",
        **{name: value for name, value in asdict(card).items() if name not in left_out},
        "seats": game.max_seats,
        "score_scale": game.score_scale,
        "layers": network.layers,
        "observation": [asdict(field) for field in game.layout],
        "input_scale": [float(factor) for factor in input_scale(game.layout)],
        "actions": list(game.actions.texts),
    }


def _onnx(network: Network, card: Card) -> bytes:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    last_dimension = np.array([1])
    constants = {**network.tensors, "scale": input_scale(network.layout), "last": last_dimension}
    nodes = [
        helper.make_node("Cast", ["observation"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "scale"], ["scaled"]),
    ]
    outputs = []
    for name, reads, output in network.layers:
        inputs = "scaled" if reads == "observation" else reads
        # A layer's pre-activations are its weighted sums before the activation function. Most
        # output layers have none, so these sums are the output itself. A hidden layer passes them
        # to a ReLU node, and the value layer to a Squeeze node, which drops the last dimension.
        pre_activations = f"{name}_sums" if output in ("", "value") else output
        weights = [f"{name}.weight", f"{name}.bias"]
        nodes.append(helper.make_node("Gemm", [inputs, *weights], [pre_activations], transB=1))
        shape = ["n", len(network.tensors[f"{name}.bias"])]
        relu_input = pre_activations
        if name == "trunk":
            normalised = [pre_activations, "norm.weight", "norm.bias"]
            nodes.append(helper.make_node("LayerNormalization", normalised, ["normalised"]))
            relu_input = "normalised"
        if output == "value":
            nodes.append(helper.make_node("Squeeze", [pre_activations, "last"], [output]))
            shape = ["n"]
        if output:
            outputs.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, shape))
        else:
            nodes.append(helper.make_node("Relu", [relu_input], [name]))
    observation_shape = ["n", network.layout.size]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("observation", TensorProto.INT8, observation_shape)],
        outputs,
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


def _model_card(card: Card, game: Game, files: Collection[str]) -> str:
    seats = ", ".join(map(str, card.players))
    heads = f"""
| `win_logits` | [n, S], logits of shares of the victory, clockwise from the own seat; \
omit empty seats |
| `changes` | [n, S], expected changes of scores until the end, clockwise from the own seat, in \
units of {game.score_scale:g} points |"""
    return f"""---
license: {card.licence.lower()}
library_name: shakespeare-env
pipeline_tag: reinforcement-learning
tags: [reinforcement-learning, self-play, board-game, shakespeare-env, {game.name}]
---

# {game.name.capitalize()}: policy and value by self-play

A network for tables of {seats} seats, trained with shakespeare-env {version()}. It reads
observations of one seat, int8[n, {card.observation}], without scaling them first.
Files: {", ".join(files)}; `config.json` says what every number and every action means.

| Output | |
|---|---|
| `logits` | [n, {card.actions}], logits of all actions; ignore those of illegal actions |
| `value` | [n], the return that the seat may expect, in units of {game.score_scale:g} points |\
{heads if card.heads else ""}

Trained by `{card.command}`.
"""
