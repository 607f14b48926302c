"""The network of this folder in PyTorch; needs torch and safetensors alone.

from network import load
outputs = load(".")(torch.zeros(1, 1160, dtype=torch.int8))
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn


class Network(nn.Module):
    """Policy, value and forecasts over observations, sharing one normalised layer.

    Args:
        inputs: Numbers in an observation, D.
        width: Of the layers.
        actions: A.
        seats: S, the most at a table; 0 for a network without forecasts.
    """

    input_scale: torch.Tensor

    def __init__(self, inputs: int, width: int, actions: int, seats: int) -> None:
        super().__init__()
        self.register_buffer("input_scale", torch.ones(inputs))
        self.trunk = nn.Linear(inputs, width)
        self.norm = nn.LayerNorm(width)
        self.policy = nn.Linear(width, width)
        self.action = nn.Linear(width, actions)
        self.outlook = nn.Linear(width, width)
        self.value = nn.Linear(width, 1)
        if seats:
            self.win = nn.Linear(width, seats)
            self.score = nn.Linear(width, seats)
        self.seats = seats

    def forward(self, observations: torch.Tensor) -> dict[str, torch.Tensor]:
        """int8[n, D] -> `logits` [n, A], `value` [n], `win_logits` and `changes` [n, S]."""
        scaled = observations.to(self.input_scale.dtype) * self.input_scale
        features = self.norm(self.trunk(scaled)).relu()
        outlook = self.outlook(features).relu()
        outputs = {
            "logits": self.action(self.policy(features).relu()),
            "value": self.value(outlook)[:, 0],
        }
        if self.seats:
            outputs |= {"win_logits": self.win(outlook), "changes": self.score(outlook)}
        return outputs


def load(folder: str | Path) -> Network:
    """The network of a folder with `config.json` and `model.safetensors`."""
    config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    seats = config["seats"] if config["heads"] else 0
    sizes = len(config["input_scale"]), config["width"], len(config["actions"])
    network = Network(*sizes, seats)
    network.load_state_dict(load_file(Path(folder) / "model.safetensors"))
    return network.eval()
