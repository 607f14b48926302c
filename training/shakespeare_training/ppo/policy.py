"""`shakespeare_agents.networks.network.Network` in PyTorch, as a policy of stable-baselines3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from shakespeare_agents.networks.network import ILLEGAL, Network, Tensors, input_scale
from shakespeare_env.core.game import ObservationLayout

_LAYERS = {
    "trunk": "features_extractor.linear",
    "norm": "features_extractor.norm",
    "policy": "mlp_extractor.policy_net.0",
    "action": "action_net",
    "outlook": "mlp_extractor.value_net.0",
    "win": "win_net",
    "score": "score_net",
}
"""The names of `Network`'s layers in stable-baselines3."""
_OUTPUTS = ("action", "value", "win", "score")
"""Layers with an output for each action or seat; the others' grow with the width."""
_EVENNESS = 4.0
"""How evenly the copies of a unit share its weight: the concentration of a Dirichlet draw."""


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
        """Numbers of int8's range, [n, D or more] -> float[n, features_dim]."""
        # Scaling the weights equals scaling the far more numerous observations, and integers up to
        # 256 are exact in bfloat16.
        weight = self.linear.weight * self.scale
        observations = observations[:, : self.scale.numel()]
        device = observations.device.type
        autocast = torch.is_autocast_enabled(device)
        dtype = torch.get_autocast_dtype(device) if autocast else weight.dtype
        hidden = nn.functional.linear(observations.to(dtype), weight, self.linear.bias)
        return torch.relu(self.norm(hidden))


class Outputs(NamedTuple):
    """The network's outputs for n situations; float32, S being the most seats of the game.

    Attributes:
        log_probabilities: [n, A], about -1e8 for illegal actions.
        win_logits: [n, S], of shares of the victory by seat clockwise of the one that looks;
            meaningless for absent seats.
        changes: [n, S], of the scores until the end, in units of `Game.score_scale`.
    """

    log_probabilities: torch.Tensor
    win_logits: torch.Tensor
    changes: torch.Tensor


class PolicyNetwork(MaskableActorCriticPolicy):
    """`Network` with heads, a single log-softmax, and no sampling of its own.

    The stock distribution normalises logits twice, validates them, and samples from the global
    generator.  Fresh heads are zero: all present seats have the same share of the victory, and no
    score changes.  The value of `Network` is the own seat's change of score.

    Args:
        *arguments: Arguments of the base class.
        seats: The most seats of the game.
        **options: Options of the base class (`policy_arguments`).

    Attributes:
        use_bfloat16: Whether layers multiply in bfloat16, on some processors more than twice as
            fast; weights, logits and forecasts stay float32.
    """

    use_bfloat16 = False

    def __init__(self, *arguments: Any, seats: int, **options: Any) -> None:
        self.seats = seats
        super().__init__(*arguments, **options)

    def _build(self, lr_schedule: Schedule) -> None:
        # This precedes the optimiser, which takes all parameters that exist.
        self.win_net = nn.Linear(self.features_dim, self.seats)
        self.score_net = nn.Linear(self.features_dim, self.seats)
        for head in (self.win_net, self.score_net):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        super()._build(lr_schedule)
        # The heads are the critic.
        del self.value_net
        rate = lr_schedule(1)
        self.optimizer = self.optimizer_class(self.parameters(), lr=rate, **self.optimizer_kwargs)  # type: ignore[call-arg]

    def outputs(self, observations: torch.Tensor, masks: torch.Tensor) -> Outputs:
        """Everything, in one pass.

        Args:
            observations: int8[n, D].
            masks: bool[n, A].
        """
        with self.in_precision(observations):
            features = self.features_extractor(observations)
            latent_policy, outlook = self.mlp_extractor(features)
            logits = self.action_net(latent_policy)
            win_logits, changes = self.win_net(outlook), self.score_net(outlook)
        return Outputs(masked_log_softmax(logits, masks), win_logits.float(), changes.float())

    def in_precision(self, observations: torch.Tensor) -> torch.autocast:
        """The context in which layers multiply as `use_bfloat16` says."""
        device = observations.device.type
        return torch.autocast(device, torch.bfloat16, enabled=self.use_bfloat16)

    def parts(self) -> list[list[nn.Parameter]]:
        """Its parameters in three lists: the shared layer's, the policy's and the forecasts'."""
        policy = (self.mlp_extractor.policy_net, self.action_net)
        outlook = (self.mlp_extractor.value_net, self.win_net, self.score_net)
        modules = ((self.features_extractor,), policy, outlook)
        return [[p for module in part for p in module.parameters()] for part in modules]

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """A copy of the weights, for `shakespeare_agents.networks.network.Network`."""
        state = self.state_dict()
        found = {o: state[theirs].cpu().numpy().copy() for o, theirs in self._parameter_names()}
        for kind in ("weight", "bias"):
            found[f"value.{kind}"] = found[f"score.{kind}"][:1].copy()
        return found

    def set_tensors(self, tensors: Tensors) -> None:
        """Copy the weights of a network in; heads that it lacks become fresh.

        Raises:
            RuntimeError: they are of another width or for another game.
        """
        shapes = Network.head_shapes(self.features_dim, self.seats)
        given = {**{name: np.zeros(shape, np.float32) for name, shape in shapes.items()}, **tensors}
        new = {theirs: torch.tensor(given[ours]) for ours, theirs in self._parameter_names()}
        # It is not strict, as the scale of the trunk belongs to the game, not to the weights.
        self.load_state_dict(new, strict=False)

    def _parameter_names(self) -> Iterator[tuple[str, str]]:
        """Names of tensors, in `Network` and here."""
        for ours, theirs in _LAYERS.items():
            for kind in ("weight", "bias"):
                yield f"{ours}.{kind}", f"{theirs}.{kind}"


def widened(tensors: Tensors, times: int, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """The weights of a network `times` as wide that computes the same (Chen et al. 2016).

    Every unit becomes several, as the layer normalisation needs as many of each; what reads them
    parts its weight among them at random, so that training tells them apart.
    """
    wide: dict[str, NDArray[Any]] = {}
    for name, tensor in tensors.items():
        layer, _, kind = name.partition(".")
        new = tensor if layer in _OUTPUTS else np.tile(tensor, (times,) + (1,) * (tensor.ndim - 1))
        if kind == "weight" and layer not in ("trunk", "norm"):
            parts = rng.dirichlet(np.full(times, _EVENNESS), new.shape).astype(np.float32)
            new = np.concatenate([new * parts[..., part] for part in range(times)], axis=1)
        wide[name] = np.ascontiguousarray(new)
    return wide


def log_shares(win_logits: torch.Tensor, players: torch.Tensor) -> torch.Tensor:
    """Logarithms of shares of the victory, float32[n, S], for int64[n] seats at the tables."""
    places = torch.arange(win_logits.shape[1], device=win_logits.device)
    present = places < players[:, None]
    return win_logits.masked_fill(~present, float(ILLEGAL)).log_softmax(dim=1)


def forecast_losses(
    found: Outputs, players: torch.Tensor, shares: torch.Tensor, changes: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cross-entropy of the shares of the victory, and squared error of the changes of scores.

    Args:
        found: Outputs for n situations.
        players: int64[n], seats at the tables; solo games have no share to forecast.
        shares: float32[n, S], the real shares; 0 where nobody sits.
        changes: float32[n, S].
    """
    several = (players > 1).float()
    misses = -(shares * log_shares(found.win_logits, players)).sum(dim=1)
    win_loss = (misses * several).sum() / several.sum().clamp(min=1.0)
    present = torch.arange(shares.shape[1], device=shares.device) < players[:, None]
    squares = (found.changes - changes).square() * present
    return win_loss, squares.sum() / present.sum()


def masked_log_softmax(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Log-probabilities, float32[n, A], about -1e8 where bool[n, A] masks are False."""
    return torch.log_softmax(logits.float().masked_fill(~masks, float(ILLEGAL)), dim=-1)


def policy_arguments(width: int, layout: ObservationLayout, seats: int) -> dict[str, Any]:
    """The `policy_kwargs` of a `PolicyNetwork`."""
    return {
        "seats": seats,
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"features_dim": width, "scale": input_scale(layout)},
        "net_arch": {"pi": [width], "vf": [width]},
        "activation_fn": nn.ReLU,
        "optimizer_kwargs": {"eps": 1e-5, "fused": True},  # as in stable-baselines3
    }
