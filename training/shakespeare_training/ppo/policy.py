"""The network as the learner trains it: a policy of stable-baselines3.

What it computes is what `shakespeare_agents.network.Network` computes from the same tensors.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from shakespeare_agents.network import ILLEGAL, Tensors, input_scale
from shakespeare_env.game import ObservationLayout

_PARAMETERS = {
    "trunk": "features_extractor.linear",
    "norm": "features_extractor.norm",
    "policy": "mlp_extractor.policy_net.0",
    "action": "action_net",
    "outlook": "mlp_extractor.value_net.0",
    "value": "value_net",
}
"""Layers as `Network` names them, and as stable-baselines3 does."""


class Trunk(BaseFeaturesExtractor):
    """The layer that policy and value share.

    Args:
        observation_space: Box of D numbers.
        features_dim: Width of the layer.
        scale: float32[D], what each number is multiplied by.
    """

    scale: torch.Tensor

    def __init__(
        self,
        observation_space: gymnasium.spaces.Box,
        features_dim: int,
        scale: NDArray[np.float32],
    ) -> None:
        super().__init__(observation_space, features_dim)
        self.register_buffer("scale", torch.from_numpy(scale))
        self.linear = nn.Linear(scale.size, features_dim)
        self.norm = nn.LayerNorm(features_dim)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """int8[n, D] or numbers as small -> float[n, features_dim]."""
        # Scaling the weights comes to the same as scaling the observations, which are many more;
        # and whole numbers up to 256 are exact in bfloat16.
        weight = self.linear.weight * self.scale
        device = observations.device.type
        half = torch.is_autocast_enabled(device)
        kind = torch.get_autocast_dtype(device) if half else weight.dtype
        hidden = nn.functional.linear(observations.to(kind), weight, self.linear.bias)
        return torch.relu(self.norm(hidden))


class PolicyNetwork(MaskableActorCriticPolicy):
    """The policy that stable-baselines3 trains, with one masked log-softmax and no sampling.

    The stock distribution normalises the logits twice (before and after masking), checks them, and
    draws from the global generator; here whoever acts brings the generator.

    Attributes:
        half_precision: Whether layers multiply in bfloat16, which some processors do more than
            twice as fast; weights, logits and values stay float32.
    """

    half_precision = False

    def masked_log_probabilities(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities of all actions and the value of the situation, in one pass.

        Args:
            observations: int8[n, D].
            masks: bool[n, A].

        Returns:
            float32[n, A], about -1e8 for illegal actions; float32[n].
        """
        with torch.autocast(observations.device.type, torch.bfloat16, enabled=self.half_precision):
            features = self.features_extractor(observations)
            latent_policy, latent_value = self.mlp_extractor(features)
            logits = self.action_net(latent_policy)
            values = self.value_net(latent_value)
        legal = logits.float().masked_fill(~masks, float(ILLEGAL))
        return torch.log_softmax(legal, dim=-1), values.float().squeeze(-1)

    def evaluate_actions(
        self,
        obs: torch.Tensor,
        actions: torch.Tensor,
        action_masks: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Values, log-probabilities of the actions taken, and entropies, for the learner.

        Args:
            obs: int8[n, D].
            actions: int64[n].
            action_masks: bool[n, A], or numbers as the stock rollouts keep them; None means that
                every action is legal.

        Returns:
            Three float32[n].
        """
        if action_masks is None:
            assert isinstance(self.action_space, gymnasium.spaces.Discrete)
            action_masks = torch.ones(
                len(obs), int(self.action_space.n), dtype=torch.bool, device=obs.device
            )
        log_probabilities, values = self.masked_log_probabilities(obs, action_masks.bool())
        # An illegal action adds 0 * -1e8 = -0 here, so no second masking is needed.  The softmax of
        # log-probabilities is their exponential; taken directly, that of -1e8 costs three times as
        # much.
        entropies = -(log_probabilities.softmax(dim=-1) * log_probabilities).sum(dim=-1)
        taken = log_probabilities.gather(1, actions.unsqueeze(1)).squeeze(1)
        return values, taken, entropies

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """The weights as `shakespeare_agents.network.Network` takes them, copied."""
        state = self.state_dict()
        return {
            f"{ours}.{kind}": state[f"{theirs}.{kind}"].cpu().numpy().copy()
            for ours, theirs in _PARAMETERS.items()
            for kind in ("weight", "bias")
        }

    def set_tensors(self, tensors: Tensors) -> None:
        """Take such weights over."""
        parameters = dict(self.named_parameters())
        with torch.no_grad():
            for ours, theirs in _PARAMETERS.items():
                for kind in ("weight", "bias"):
                    new = torch.tensor(tensors[f"{ours}.{kind}"])
                    parameters[f"{theirs}.{kind}"].copy_(new)


def policy_arguments(width: int, layout: ObservationLayout) -> dict[str, Any]:
    """What makes a `PolicyNetwork` of a width for observations of a layout."""
    return {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"features_dim": width, "scale": input_scale(layout)},
        "net_arch": {"pi": [width], "vf": [width]},
        "activation_fn": nn.ReLU,
        "optimizer_kwargs": {"eps": 1e-5, "fused": True},  # the eps of stable-baselines3
    }
