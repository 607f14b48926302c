"""The exported network in PyTorch. It needs only torch and safetensors.

`export.py` copies this file as `network.py` into the folder of an exported network, beside
`config.json` and the weights.

Example, with the 1160 numbers of an observation of Shakespeare:
    import torch
    from network import load
    outputs = load(".")(torch.zeros(1, 1160, dtype=torch.int8))
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn


class Network(nn.Module):
    """A policy, a value and maybe forecasts, which share a trunk with layer normalisation.

    Args:
        layers: The name of each layer, the name of the layer that it reads (or `observation`), and
            the name of its output, which is empty for a hidden layer.
        tensors: The weights by name, with the factors of observations as `input_scale`.
    """

    input_scale: torch.Tensor

    def __init__(
        self, layers: Sequence[tuple[str, str, str]], tensors: Mapping[str, torch.Tensor]
    ) -> None:
        super().__init__()
        self.layers = layers
        # `load_state_dict` fills the buffer and the layers with the values of `tensors`.
        self.register_buffer("input_scale", torch.ones_like(tensors["input_scale"]))
        self.norm = nn.LayerNorm(len(tensors["norm.bias"]))
        for name, _, _ in layers:
            outputs, inputs = tensors[f"{name}.weight"].shape
            self.add_module(name, nn.Linear(inputs, outputs))
        self.load_state_dict(tensors)

    def forward(self, observations: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the outputs by name: `logits` [n, A], `value` [n], and maybe forecasts [n, S].

        Args:
            observations: int8[n, D].
        """
        features = {"observation": observations.to(self.input_scale.dtype) * self.input_scale}
        outputs = {}
        for name, reads, output in self.layers:
            x = self.get_submodule(name)(features[reads])
            if output == "value":
                outputs[output] = x[:, 0]
            elif output:
                outputs[output] = x
            elif name == "trunk":
                features[name] = self.norm(x).relu()
            else:
                features[name] = x.relu()
        return outputs


def load(folder: str | Path) -> Network:
    """Load the network of a folder with `config.json` and `model.safetensors`."""
    config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    return Network(config["layers"], load_file(Path(folder) / "model.safetensors")).eval()
