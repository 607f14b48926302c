"""Weights of printed facts in PyTorch (`shakespeare_agents.networks.facts`), for boxes in force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as FactTable

import numpy as np
import torch
from torch import nn

from shakespeare_agents.networks import facts as plain


class TableWeights(nn.Module):
    """The weights of one table; zero at first, so that nothing depends on the box.

    Facts count as differences from the first box in force, which makes them small and the plain
    network that of this box.

    Args:
        table: The table.
        width: The width of the network's layers.
        scale: float32[D], the factors of the observations.
    """

    facts: torch.Tensor
    inputs: torch.Tensor
    present: torch.Tensor
    actions: torch.Tensor
    chooses: torch.Tensor

    def __init__(self, table: FactTable, width: int, scale: torch.Tensor) -> None:
        super().__init__()
        differences = torch.from_numpy((table.facts - table.facts[:1]).astype(np.float32))
        count = differences.shape[2]
        self.register_buffer("facts", differences * float(plain.SCALE))
        inputs, actions = torch.from_numpy(table.inputs), torch.from_numpy(table.actions)
        self.register_buffer("inputs", inputs.clamp(min=0).flatten())
        self.register_buffer("present", (inputs >= 0) * scale[inputs.clamp(min=0)])
        self.register_buffer("actions", actions.clamp(min=0).flatten())
        self.register_buffer("chooses", (actions >= 0).float())
        self.seen = nn.Parameter(torch.zeros(width, len(inputs) * count))
        self.chosen = nn.Parameter(torch.zeros(len(actions) * count, width))
        self.chosen_bias = nn.Parameter(torch.zeros(len(actions) * count))

    def first_layer(self, observations: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
        """What facts add to the first layer, by int8[n, D] and int64[n]: float[n, W]."""
        seen = observations[:, self.inputs].float().view(-1, *self.present.shape) * self.present
        return nn.functional.linear((seen @ self.facts[boxes]).flatten(1), self.seen)

    def add_logits(
        self, hidden: torch.Tensor, boxes: torch.Tensor, logits: torch.Tensor
    ) -> torch.Tensor:
        """float[n, A] logits, plus those of the facts, by float[n, W]."""
        count = self.facts.shape[2]
        weights = nn.functional.linear(hidden, self.chosen, self.chosen_bias)
        added = weights.view(len(hidden), -1, count) @ self.facts[boxes].transpose(1, 2)
        return logits.index_add(1, self.actions, (added * self.chooses).flatten(1))


class FactWeights(nn.Module):
    """The weights of all tables; nothing at all of none.

    Args:
        tables: The tables.
        width: The width of the network's layers.
        scale: float32[D], the factors of the observations.
    """

    def __init__(self, tables: Sequence[FactTable], width: int, scale: torch.Tensor) -> None:
        super().__init__()
        self.tables: list[TableWeights] = []
        for table in tables:
            self.tables.append(weights := TableWeights(table, width, scale))
            self.add_module(table.name, weights)
