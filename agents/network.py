"""A policy and value network over the contract's observation, and the player that plays from it."""

from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

# PyTorch's threads do not come along into a forked process, which would wait for them for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))

_ILLEGAL = -1e8
"""Logit of an illegal action: its probability is 0 in float32, and differences stay finite."""


class Trunk(BaseFeaturesExtractor):
    """The layer that policy and value share; it brings each number it is given to about one.

    Args:
        observation_space: Box of D numbers; its bounds are the scale.
        features_dim: Width of the layer.
    """

    scale: torch.Tensor

    def __init__(self, observation_space: gymnasium.spaces.Box, features_dim: int) -> None:
        super().__init__(observation_space, features_dim)
        bound = np.maximum(
            np.abs(observation_space.low.astype(np.float32)),
            np.abs(observation_space.high.astype(np.float32)),
        )
        self.register_buffer("scale", torch.from_numpy(1.0 / np.maximum(bound, 1.0)))
        self.linear = nn.Linear(bound.size, features_dim)
        self.norm = nn.LayerNorm(features_dim)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """int8[n, D] or numbers as small -> float[n, features_dim]."""
        # Scaling the weights comes to the same as scaling the observations, which are many more;
        # and whole numbers up to 256 are exact in bfloat16.
        weight = self.linear.weight * self.scale
        kind = torch.bfloat16 if torch.is_autocast_enabled("cpu") else weight.dtype
        hidden = nn.functional.linear(observations.to(kind), weight, self.linear.bias)
        return torch.relu(self.norm(hidden))


class PolicyNetwork(MaskableActorCriticPolicy):
    """The policy that stable-baselines3 trains, with one masked log-softmax and no sampling.

    The stock distribution normalises the logits twice (before and after masking), checks them, and
    draws from the global generator; here whoever acts brings the generator.

    Attributes:
        half_precision: Whether layers multiply in bfloat16, which processors with AVX-512 do more
            than twice as fast; weights, logits and values stay float32.
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
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half_precision):
            features = self.features_extractor(observations)
            latent_policy, latent_value = self.mlp_extractor(features)
            logits = self.action_net(latent_policy)
            values = self.value_net(latent_value)
        legal = logits.float().masked_fill(~masks, _ILLEGAL)
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
            action_masks: bool[n, A]; None means that every action is legal.

        Returns:
            Three float32[n].
        """
        if action_masks is None:
            assert isinstance(self.action_space, gymnasium.spaces.Discrete)
            action_masks = torch.ones(len(obs), int(self.action_space.n), dtype=torch.bool)
        log_probabilities, values = self.masked_log_probabilities(obs, action_masks)
        # An illegal action adds 0 * -1e8 = -0 here, so no second masking is needed.  The softmax of
        # log-probabilities is their exponential; taken directly, that of -1e8 costs three times as
        # much.
        entropies = -(log_probabilities.softmax(dim=-1) * log_probabilities).sum(dim=-1)
        taken = log_probabilities.gather(1, actions.unsqueeze(1)).squeeze(1)
        return values, taken, entropies


def policy_arguments(width: int) -> dict[str, Any]:
    """What makes a `PolicyNetwork` of a width: one shared layer, one each for policy and value."""
    return {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"features_dim": width},
        "net_arch": {"pi": [width], "vf": [width]},
        "activation_fn": nn.ReLU,
    }


def build_network(space: gymnasium.spaces.Box, actions: int, width: int) -> PolicyNetwork:
    """A fresh network for an observation space and a number of actions.

    The global generator of torch, from which its layers draw, is left as it was.
    """
    with torch.random.fork_rng(devices=[]):
        return PolicyNetwork(
            space,
            gymnasium.spaces.Discrete(actions),
            lr_schedule=lambda _: 0.0,
            **policy_arguments(width),
        )


def draw_actions(probabilities: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one action a row.

    Args:
        probabilities: float32[n, A], not negative, a positive sum in every row.
        rng: One number a row is drawn from it.

    Returns:
        int64[n]; an action of probability 0 is never drawn.
    """
    sums = probabilities.cumsum(axis=1, dtype=np.float64)
    total = sums[:, -1]
    # Rounding could lift the threshold to the total, which no sum exceeds.
    threshold = np.minimum(rng.random(len(sums)) * total, np.nextafter(total, 0.0))
    actions: NDArray[np.int64] = (sums > threshold[:, None]).argmax(axis=1)
    return actions


class NetworkAgent:
    """Plays from a network, all situations in one pass.

    Args:
        network: The network to play from; it is not changed.
        greedy: True plays the likeliest action, False draws by probability.
    """

    def __init__(self, network: PolicyNetwork, *, greedy: bool = False) -> None:
        self.network = network
        self.greedy = greedy

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Choose an action for each row.

        Args:
            observations: int8[n, D].
            masks: bool[n, A].
            rng: Drawn from unless greedy.

        Returns:
            int64[n], legal action ids.
        """
        self.network.set_training_mode(False)
        with torch.no_grad():
            log_probabilities, _ = self.network.masked_log_probabilities(
                torch.as_tensor(observations), torch.as_tensor(masks)
            )
            if self.greedy:
                greediest: NDArray[np.int64] = log_probabilities.argmax(dim=1).numpy()
                return greediest
            return draw_actions(log_probabilities.exp().numpy(), rng)
