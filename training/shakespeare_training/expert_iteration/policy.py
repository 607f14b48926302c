"""The network with heads in PyTorch: what every seat may expect beside policy and own value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from shakespeare_agents.network import HEADS, Network, Tensors
from shakespeare_training.ppo.policy import PolicyNetwork, masked_log_softmax


class Outputs(NamedTuple):
    """What the network says of n situations; float32, S being the most seats of the game.

    Attributes:
        log_probabilities: [n, A], about -1e8 for illegal actions.
        values: [n], of the seat that looks, in units of the reward.
        win_logits: [n, S], of shares of the victory by seat clockwise of the one that looks; those
            of absent seats mean nothing.
        scores: [n, S], changes of their scores until the end in units of `Game.score_scale`.
    """

    log_probabilities: torch.Tensor
    values: torch.Tensor
    win_logits: torch.Tensor
    scores: torch.Tensor


class ForecastingPolicy(PolicyNetwork):
    """A `PolicyNetwork` with the heads of `Network.head_shapes`.

    Fresh heads are zero: all present seats have the same share of the victory, and no score
    changes.

    Args:
        *arguments: Of a `PolicyNetwork`.
        seats: The most seats of the game.
        **options: Of a `PolicyNetwork` (`policy_arguments`).
    """

    layers: ClassVar[Mapping[str, str]] = {
        **PolicyNetwork.layers,
        **{head: f"{head}_net" for head in HEADS},
    }

    def __init__(self, *arguments: Any, seats: int, **options: Any) -> None:
        self.seats = seats
        super().__init__(*arguments, **options)

    def _build(self, lr_schedule: Schedule) -> None:
        # Before the optimiser is made of all parameters there are.
        width = self.features_dim
        self.win_net = nn.Linear(width, self.seats)
        self.score_net = nn.Linear(width, self.seats)
        for head in (self.win_net, self.score_net):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        super()._build(lr_schedule)

    def heads(self, observations: torch.Tensor, masks: torch.Tensor) -> Outputs:
        """Everything, in one pass; arguments as of `masked_log_probabilities`."""
        with self.in_precision(observations):
            features = self.features_extractor(observations)
            latent_policy, latent_value = self.mlp_extractor(features)
            logits = self.action_net(latent_policy)
            values = self.value_net(latent_value)
            win_logits = self.win_net(latent_value)
            scores = self.score_net(latent_value)
        return Outputs(
            masked_log_softmax(logits, masks),
            values.float().squeeze(-1),
            win_logits.float(),
            scores.float(),
        )

    def set_tensors(self, tensors: Tensors) -> None:
        """Copy the weights of a network in; without heads among them these become fresh.

        Raises:
            RuntimeError: they are of another width or for another game.
        """
        shapes = Network.head_shapes(self.features_dim, self.seats)
        fresh = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        super().set_tensors({**fresh, **tensors})
