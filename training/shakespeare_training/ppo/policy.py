"""`shakespeare_agents.network.Network` in PyTorch, as a policy of stable-baselines3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from shakespeare_agents.network import ILLEGAL, Tensors, input_scale
from shakespeare_env.game import ObservationLayout
from shakespeare_training.ppo.near_certain import Repeated

_LAYERS = {
    "trunk": "features_extractor.linear",
    "norm": "features_extractor.norm",
    "policy": "mlp_extractor.policy_net.0",
    "action": "action_net",
    "outlook": "mlp_extractor.value_net.0",
    "value": "value_net",
}
"""Where stable-baselines3 keeps the layers of `Network`."""


class Trunk(BaseFeaturesExtractor):
    """The layer shared by policy and value; multiplies observations by `scale`, float32[D]."""

    scale: torch.Tensor

    def __init__(
        self, observation_space: gymnasium.spaces.Box, features_dim: int, scale: NDArray[np.float32]
    ) -> None:
        super().__init__(observation_space, features_dim)
        self.register_buffer("scale", torch.from_numpy(scale))
        self.linear = nn.Linear(scale.size, features_dim)
        self.norm = nn.LayerNorm(features_dim)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Numbers of int8's range, [n, D] -> float[n, features_dim]."""
        # Scaling the weights is the same as scaling the observations, of which there are many more;
        # and integers up to 256 are exact in bfloat16.
        weight = self.linear.weight * self.scale
        device = observations.device.type
        autocast = torch.is_autocast_enabled(device)
        dtype = torch.get_autocast_dtype(device) if autocast else weight.dtype
        hidden = nn.functional.linear(observations.to(dtype), weight, self.linear.bias)
        return torch.relu(self.norm(hidden))


class PolicyNetwork(MaskableActorCriticPolicy):
    """A maskable actor-critic policy with a single log-softmax, and no sampling of its own.

    The stock distribution normalises logits twice, validates them, and samples from the global
    generator.

    Attributes:
        use_bfloat16: Multiply layers in bfloat16, on some processors more than twice as fast;
            weights, logits and values stay float32.
    """

    use_bfloat16 = False
    layers: ClassVar[Mapping[str, str]] = _LAYERS
    """Where the layers of `Network` are, by their names there."""

    def masked_log_probabilities(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities of all actions and values of states, in one pass.

        Args:
            observations: int8[n, D].
            masks: bool[n, A].

        Returns:
            float32[n, A], about -1e8 for illegal actions, and float32[n].
        """
        with self.in_precision(observations):
            features = self.features_extractor(observations)
            latent_policy, latent_value = self.mlp_extractor(features)
            logits = self.action_net(latent_policy)
            values = self.value_net(latent_value)
        return masked_log_softmax(logits, masks), values.float().squeeze(-1)

    def in_precision(self, observations: torch.Tensor) -> torch.autocast:
        """The context in which layers multiply as `use_bfloat16` says."""
        device = observations.device.type
        return torch.autocast(device, torch.bfloat16, enabled=self.use_bfloat16)

    def evaluate_actions(
        self,
        obs: torch.Tensor | Repeated,
        actions: torch.Tensor,
        action_masks: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Values, log-probabilities of the actions taken, and entropies, each float32[n].

        Args:
            obs: int8[n, D]; or of fewer rows, as are actions and masks, some of which to repeat.
            actions: int64[n].
            action_masks: bool[n, A], or float as in stock rollouts; None makes all legal.
        """
        if isinstance(obs, Repeated):
            values, taken, entropies = self.evaluate_actions(obs.rows, actions, action_masks)
            assert entropies is not None
            return obs.repeated(values), obs.repeated(taken), obs.repeated(entropies)
        if action_masks is None:
            assert isinstance(self.action_space, gymnasium.spaces.Discrete)
            action_masks = obs.new_ones((len(obs), int(self.action_space.n)), dtype=torch.bool)
        log_probabilities, values = self.masked_log_probabilities(obs, action_masks.bool())
        # An illegal action adds 0 * -1e8 = -0, so no second masking is needed.  The softmax of
        # log-probabilities is their exponential, but exp() itself takes three times as long on
        # -1e8.
        entropies = -(log_probabilities.softmax(dim=-1) * log_probabilities).sum(dim=-1)
        taken = log_probabilities.gather(1, actions.unsqueeze(1)).squeeze(1)
        return values, taken, entropies

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """A copy of the weights, for `shakespeare_agents.network.Network`."""
        state = self.state_dict()
        return {o: state[theirs].cpu().numpy().copy() for o, theirs in self._parameter_names()}

    def set_tensors(self, tensors: Tensors) -> None:
        """Copy such weights in; heads that the policy lacks are left out.

        Raises:
            RuntimeError: they are of another width or for another game.
        """
        new = {theirs: torch.tensor(tensors[ours]) for ours, theirs in self._parameter_names()}
        # Not strict: the scale of the trunk belongs to the game, not to the weights.
        self.load_state_dict(new, strict=False)

    def _parameter_names(self) -> Iterator[tuple[str, str]]:
        """Names of tensors, in `Network` and here."""
        for ours, theirs in self.layers.items():
            for kind in ("weight", "bias"):
                yield f"{ours}.{kind}", f"{theirs}.{kind}"


def masked_log_softmax(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Log-probabilities, float32[n, A], about -1e8 where bool[n, A] masks are False."""
    return torch.log_softmax(logits.float().masked_fill(~masks, float(ILLEGAL)), dim=-1)


def policy_arguments(width: int, layout: ObservationLayout) -> dict[str, Any]:
    """The `policy_kwargs` of a `PolicyNetwork`."""
    return {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"features_dim": width, "scale": input_scale(layout)},
        "net_arch": {"pi": [width], "vf": [width]},
        "activation_fn": nn.ReLU,
        "optimizer_kwargs": {"eps": 1e-5, "fused": True},  # as in stable-baselines3
    }
