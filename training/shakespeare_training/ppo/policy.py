"""`shakespeare_agents.networks.network.Network` in PyTorch, as a policy of stable-baselines3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

_ILLEGAL = float(ILLEGAL)
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
        # Scaling the weights equals scaling the far more numerous observations, and integers up to
        # 256 are exact in bfloat16.
        weight = self.linear.weight * self.scale
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


class Judged(NamedTuple):
    """What n actions are worth to a learner; see `Outputs`.

    Attributes:
        log_probs: float32[n], of the actions.
        entropies: float32[n], of the policy in the situations.
        win_logits: float32[n, S].
        changes: float32[n, S].
    """

    log_probs: torch.Tensor
    entropies: torch.Tensor
    win_logits: torch.Tensor
    changes: torch.Tensor


class _Choices(torch.autograd.Function):
    """Log-probabilities of actions and entropies, from logits of all actions and masks.

    PyTorch alone would pass over every action of every situation twice as often.
    """

    @staticmethod
    def forward(
        ctx: Any, logits: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        logs = masked_log_softmax(logits, masks)
        # The softmax of log-probabilities equals their exponential, but exp() takes three times as
        # long on -1e8.  An illegal action adds 0 * -1e8 = -0.
        shares = logs.softmax(dim=-1)
        entropies = -(shares * logs).sum(dim=-1)
        ctx.save_for_backward(logs, shares, entropies, actions)
        ctx.dtype = logits.dtype
        return logs.gather(1, actions[:, None]).squeeze(1), entropies

    @staticmethod
    def backward(
        ctx: Any, of_log_probs: torch.Tensor, of_entropies: torch.Tensor
    ) -> tuple[torch.Tensor, None, None]:
        logs, shares, entropies, actions = ctx.saved_tensors
        found = (logs + entropies[:, None]).mul_(of_entropies[:, None])
        found.add_(of_log_probs[:, None]).mul_(shares).neg_()
        found.scatter_add_(1, actions[:, None], of_log_probs[:, None])
        return found.to(ctx.dtype), None, None


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
        logits, win_logits, changes = self._heads(observations)
        return Outputs(masked_log_softmax(logits, masks), win_logits, changes)

    def judged(
        self, observations: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> Judged:
        """What learning from some actions, int64[n], needs of `outputs`, in half the time."""
        logits, win_logits, changes = self._heads(observations)
        log_probs, entropies = _Choices.apply(logits, masks, actions)  # type: ignore[no-untyped-call]
        return Judged(log_probs, entropies, win_logits, changes)

    def _heads(self, observations: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Logits of all actions, of shares of the victory, and changes of scores."""
        with self.in_precision(observations):
            features = self.features_extractor(observations)
            latent_policy, outlook = self.mlp_extractor(features)
            logits = self.action_net(latent_policy)
            win_logits, changes = self.win_net(outlook), self.score_net(outlook)
        return logits, win_logits.float(), changes.float()

    def in_precision(self, observations: torch.Tensor) -> torch.autocast:
        """The context in which layers multiply as `use_bfloat16` says."""
        device = observations.device.type
        return torch.autocast(device, torch.bfloat16, enabled=self.use_bfloat16)

    def parts(self) -> list[list[nn.Parameter]]:
        """Its parameters in three lists: the shared layer's, the policy's and the forecasts'."""
        policy = (self.mlp_extractor.policy_net, self.action_net)
        outlook = (self.mlp_extractor.value_net, self.win_net, self.score_net)
        trunk = (self.features_extractor,)
        return [
            [p for module in part for p in module.parameters()] for part in (trunk, policy, outlook)
        ]

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """A copy of the weights, for `shakespeare_agents.networks.network.Network`."""
        return self.tensors_of(self.state_dict())

    def tensors_of(self, state: Mapping[str, torch.Tensor]) -> dict[str, NDArray[np.float32]]:
        """`tensors` of such a policy, by its `state_dict`."""
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


def log_shares(win_logits: torch.Tensor, players: torch.Tensor) -> torch.Tensor:
    """Logarithms of shares of the victory, float32[n, S], for int64[n] seats at the tables."""
    places = torch.arange(win_logits.shape[1], device=win_logits.device)
    present = places < players[:, None]
    return win_logits.masked_fill(~present, _ILLEGAL).log_softmax(dim=1)


def forecast_losses(
    found: Outputs | Judged, players: torch.Tensor, shares: torch.Tensor, changes: torch.Tensor
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
    return torch.log_softmax(logits.float().masked_fill(~masks, _ILLEGAL), dim=-1)


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
