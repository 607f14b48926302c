"""The network that learns, in PyTorch.

Its layers have the same names as in `shakespeare_agents.networks.network`, which runs the trained
network without PyTorch.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.network import ILLEGAL, Network, Tensors, input_scale
from shakespeare_env.core.game import ObservationLayout
from shakespeare_env.extras import requires_extra

with requires_extra("train", "training needs"):
    import torch
    from torch import nn

_ILLEGAL = float(ILLEGAL)
_REPEATS = 7  # the number of updates that are timed in each precision
_LEAST_SPEEDUP = 1.1  # bfloat16 is used if it is faster by more than this factor


class Outputs(NamedTuple):
    """The network's outputs for n observations, of a game with at most S seats.

    Seats are counted clockwise from the seat whose observation it is.

    Attributes:
        log_probabilities: float32[n, A], about -1e8 for illegal actions.
        win_logits: float32[n, S], logits of each seat's share of the victory; meaningless for
            absent seats.
        changes: float32[n, S], changes of the scores until the end, in units of
            `Game.score_scale`.
    """

    log_probabilities: torch.Tensor
    win_logits: torch.Tensor
    changes: torch.Tensor


class ActionEvaluation(NamedTuple):
    """The log-probabilities of n actions, with the network's other outputs in their situations.

    Attributes:
        log_probs: float32[n], log-probabilities of the actions.
        entropies: float32[n], entropies of the policy.
        win_logits: float32[n, S], as in `Outputs`.
        changes: float32[n, S], as in `Outputs`.
    """

    log_probs: torch.Tensor
    entropies: torch.Tensor
    win_logits: torch.Tensor
    changes: torch.Tensor


class _MaskedCategorical(torch.autograd.Function):
    """Log-probabilities of actions, and entropies, from all actions' logits and masks.

    The gradient is written by hand. PyTorch's own would pass over the large tensors twice as often.
    """

    @staticmethod
    def forward(
        ctx: Any, logits: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        log_probs = masked_log_softmax(logits, masks)
        # The softmax of log-probabilities equals their exponential, but exp() takes three times as
        # long on -1e8. An illegal action adds 0 * -1e8 = -0 to the entropy.
        probabilities = log_probs.softmax(dim=-1)
        entropies = -(probabilities * log_probs).sum(dim=-1)
        ctx.save_for_backward(log_probs, probabilities, entropies, actions)
        ctx.dtype = logits.dtype
        return log_probs.gather(1, actions[:, None]).squeeze(1), entropies

    @staticmethod
    def backward(
        ctx: Any, grad_log_probs: torch.Tensor, grad_entropies: torch.Tensor
    ) -> tuple[torch.Tensor, None, None]:
        log_probs, probabilities, entropies, actions = ctx.saved_tensors
        # With respect to the logits, the gradient of the entropy is -p * (log(p) + entropy). That
        # of an action's log-probability is -p, plus 1 at the action.
        gradient = (log_probs + entropies[:, None]).mul_(grad_entropies[:, None])
        gradient.add_(grad_log_probs[:, None]).mul_(probabilities).neg_()
        gradient.scatter_add_(1, actions[:, None], grad_log_probs[:, None])
        return gradient.to(ctx.dtype), None, None


class PolicyNetwork(nn.Module):
    """The network that is trained, with heads for the policy and the forecasts.

    Fresh heads forecast equal shares of the victory and no changes of scores.

    Args:
        layout: The layout of the observations.
        actions: The number of actions.
        seats: The most seats of the game.
        width: The width of the layers.
        rng: The generator that draws the initial weights; PyTorch's global one is left alone.

    Attributes:
        use_bfloat16: Whether layers multiply in bfloat16, which is more than twice as fast on some
            processors; weights, logits and forecasts stay float32.
    """

    scale: torch.Tensor

    def __init__(
        self,
        layout: ObservationLayout,
        *,
        actions: int,
        seats: int,
        width: int,
        rng: torch.Generator,
    ) -> None:
        super().__init__()
        self.use_bfloat16 = False
        self.register_buffer("scale", torch.from_numpy(input_scale(layout)), persistent=False)
        self.trunk = _uninitialised_layer(layout.size, width)
        self.norm = nn.LayerNorm(width)
        self.win = _uninitialised_layer(width, seats)
        self.score = _uninitialised_layer(width, seats)
        self.policy = _uninitialised_layer(width, width)
        self.outlook = _uninitialised_layer(width, width)
        self.action = _uninitialised_layer(width, actions)
        for hidden in (self.trunk, self.policy, self.outlook):
            nn.init.orthogonal_(hidden.weight, math.sqrt(2), generator=rng)
        nn.init.orthogonal_(self.action.weight, 0.01, generator=rng)
        nn.init.zeros_(self.win.weight)
        nn.init.zeros_(self.score.weight)
        layers = [self.trunk, self.win, self.score, self.policy, self.outlook, self.action]
        for layer in layers:
            nn.init.zeros_(layer.bias)

    def outputs(self, observations: torch.Tensor, masks: torch.Tensor) -> Outputs:
        """Return all outputs for observations, int8[n, D], and masks, bool[n, A]."""
        logits, win_logits, changes = self._heads(observations)
        return Outputs(masked_log_softmax(logits, masks), win_logits, changes)

    def evaluate_actions(
        self, observations: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> ActionEvaluation:
        """Return log-probabilities of actions, int64[n], and the other outputs for learning.

        The numbers equal those from `outputs`, but their gradients take half the time.
        """
        logits, win_logits, changes = self._heads(observations)
        log_probs, entropies = _MaskedCategorical.apply(logits, masks, actions)  # type: ignore[no-untyped-call]
        return ActionEvaluation(log_probs, entropies, win_logits, changes)

    def in_precision(self, observations: torch.Tensor) -> torch.autocast:
        """Return the context in which layers multiply in the precision of `use_bfloat16`."""
        device = observations.device.type
        return torch.autocast(device, torch.bfloat16, enabled=self.use_bfloat16)

    def features(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the output of the shared layer, float[n, width]. Call it within `in_precision`."""
        # Scaling the weights has the effect of scaling the observations, which are far more
        # numerous. Also, unscaled observations are small integers, which are exact in bfloat16.
        weight = self.trunk.weight * self.scale
        inputs = observations.to(torch.bfloat16 if self.use_bfloat16 else weight.dtype)
        return torch.relu(self.norm(nn.functional.linear(inputs, weight, self.trunk.bias)))

    def _heads(self, observations: torch.Tensor) -> tuple[torch.Tensor, ...]:
        with self.in_precision(observations):
            features = self.features(observations)
            logits = self.action(torch.relu(self.policy(features)))
            outlook = torch.relu(self.outlook(features))
            win_logits = self.win(outlook)
            changes = self.score(outlook)
        return logits, win_logits.float(), changes.float()

    def parameter_groups(self) -> list[list[nn.Parameter]]:
        """Return the parameters in three lists: shared layer, policy head, forecast heads."""
        groups = (
            [self.trunk, self.norm],
            [self.policy, self.action],
            [self.outlook, self.win, self.score],
        )
        return [[weight for layer in group for weight in layer.parameters()] for group in groups]

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Return a copy of the weights, for `shakespeare_agents.networks.network.Network`."""
        return tensors_of(self.state_dict())

    def set_tensors(self, tensors: Tensors) -> None:
        """Take over a copy of a network's weights. Heads that the network lacks become fresh.

        Raises:
            RuntimeError: the weights have another width or are for another game.
        """
        shapes = Network.head_shapes(self.norm.weight.numel(), self.win.bias.numel())
        fresh = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        given = {**fresh, **tensors}
        self.load_state_dict({name: torch.tensor(given[name]) for name in self.state_dict()})


def _uninitialised_layer(inputs: int, outputs: int) -> nn.Linear:
    """Return a layer without the initial weights that PyTorch draws from its global generator."""
    layer: nn.Linear = nn.utils.skip_init(nn.Linear, inputs, outputs)  # type: ignore[no-untyped-call]
    return layer


def tensors_of(state: dict[str, torch.Tensor]) -> dict[str, NDArray[np.float32]]:
    """Return the weights in a policy's `state_dict`, with a value head added.

    The value is the first output of `score`: the forecast change of the observing seat's own score.
    """
    tensors = {name: tensor.cpu().numpy().copy() for name, tensor in state.items()}
    for kind in ("weight", "bias"):
        tensors[f"value.{kind}"] = tensors[f"score.{kind}"][:1].copy()
    return tensors


def masked_log_softmax(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return log-probabilities, float32[n, A], about -1e8 where bool[n, A] masks are False."""
    return torch.log_softmax(logits.float().masked_fill(~masks, _ILLEGAL), dim=-1)


def log_shares(win_logits: torch.Tensor, players: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of forecast shares of the victory, float32[n, S].

    Args:
        win_logits: float32[n, S], as in `Outputs`.
        players: int64[n], seats at the tables.
    """
    places = torch.arange(win_logits.shape[1], device=win_logits.device)
    is_present = places < players[:, None]
    return win_logits.masked_fill(~is_present, _ILLEGAL).log_softmax(dim=1)


def forecast_losses(
    forecast: Outputs | ActionEvaluation,
    players: torch.Tensor,
    shares: torch.Tensor,
    changes: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the cross-entropy of the shares of the victory and the squared error of the changes.

    Args:
        forecast: The network's outputs for n observations.
        players: int64[n], seats at the tables. Solo games do not count in the cross-entropy.
        shares: float32[n, S], the real shares; 0 where nobody sits.
        changes: float32[n, S], the real changes of scores.
    """
    has_opponents = (players > 1).float()
    cross_entropies = -(shares * log_shares(forecast.win_logits, players)).sum(dim=1)
    win_loss = (cross_entropies * has_opponents).sum() / has_opponents.sum().clamp(min=1.0)

    is_present = torch.arange(shares.shape[1], device=shares.device) < players[:, None]
    squared_errors = (forecast.changes - changes).square() * is_present
    score_loss = squared_errors.sum() / is_present.sum()
    return win_loss, score_loss


def bfloat16_is_faster(policy: PolicyNetwork, batch_size: int) -> bool:
    """Return whether an update on the policy's device is faster in bfloat16 than in float32.

    The timing takes about half a second, leaves the policy as it was and draws nothing random.
    """
    former_choice = policy.use_bfloat16
    device = policy.scale.device
    observations = torch.zeros(batch_size, len(policy.scale), dtype=torch.int8, device=device)
    masks = observations.new_ones((batch_size, len(policy.action.bias)), dtype=torch.bool)
    # The precisions take turns. The shortest time of each counts, because other work on the machine
    # can only make an update slower.
    seconds = {False: math.inf, True: math.inf}
    for _ in range(_REPEATS):
        for bfloat16 in seconds:
            policy.use_bfloat16 = bfloat16
            began = time.perf_counter()
            outputs = policy.outputs(observations, masks)
            (outputs.log_probabilities[:, 0] + outputs.changes[:, 0]).mean().backward()  # type: ignore[no-untyped-call]
            if device.type == "cuda":
                torch.cuda.synchronize()
            seconds[bfloat16] = min(seconds[bfloat16], time.perf_counter() - began)
    policy.use_bfloat16 = former_choice
    policy.zero_grad()
    return seconds[False] > _LEAST_SPEEDUP * seconds[True]
