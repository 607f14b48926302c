"""The network of this folder in PyTorch; needs torch and safetensors alone.

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
    """Policy, value and maybe forecasts over observations, sharing one normalised layer.

    Layers have a name, say what they read, and have an output's name or are hidden.
    """

    input_scale: torch.Tensor

    def __init__(
        self, layers: Sequence[tuple[str, str, str]], tensors: Mapping[str, torch.Tensor]
    ) -> None:
        super().__init__()
        self.layers = layers
        self.register_buffer("input_scale", torch.ones_like(tensors["input_scale"]))
        self.norm = nn.LayerNorm(len(tensors["norm.bias"]))
        for name, _, _ in layers:
            outputs, inputs = tensors[f"{name}.weight"].shape
            self.add_module(name, nn.Linear(inputs, outputs))
        self.load_state_dict(tensors)

    def forward(self, observations: torch.Tensor) -> dict[str, torch.Tensor]:
        """int8[n, D] -> `logits` [n, A], `value` [n], `win_logits` and `changes` [n, S]."""
        numbers = {"observation": observations.to(self.input_scale.dtype) * self.input_scale}
        outputs = {}
        for name, reads, output in self.layers:
            sums = self.get_submodule(name)(numbers[reads])
            if output:
                outputs[output] = sums[:, 0] if output == "value" else sums
            else:
                numbers[name] = (self.norm(sums) if name == "trunk" else sums).relu()
        return outputs


def load(folder: str | Path) -> Network:
    """The network of a folder with `config.json` and `model.safetensors`."""
    config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    return Network(config["layers"], load_file(Path(folder) / "model.safetensors")).eval()
