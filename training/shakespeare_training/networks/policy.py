"""Networks that learn, in PyTorch, and the losses of their outputs.

`mlp.py` has the project's own network, and `own_network.py` makes those of users.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.network import ILLEGAL, Tensors
from shakespeare_agents.networks.threads import one_thread
from shakespeare_agents.search.agent import SearchAgent, SearchSettings
from shakespeare_env.core.game import Game
from shakespeare_env.extras import requires_extra
from shakespeare_env.play.agent import AnyAgent

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
            `Game.score_scale`; with a reward of the user's own, its sum until the end.
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


class Policy:
    """A PyTorch module that learns, in the form that learners use. Subclasses say how it plays.

    The module returns by name `logits` [n, A], `win_logits` [n, S] and `changes` [n, S] (see
    `Outputs`). It stays in evaluation mode, so that moves are learned from with the probabilities
    with which they were chosen.

    Args:
        network: The module.
        game: The game.

    Attributes:
        network: The module.
        use_bfloat16: Whether layers multiply in bfloat16, which is more than twice as fast on some
            processors; weights, logits and forecasts stay float32.
    """

    def __init__(self, network: nn.Module, game: Game) -> None:
        self.network = network.eval()
        self.game = game
        self.use_bfloat16 = False

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> Mapping[str, torch.Tensor]:
        """Return the module's outputs by name.

        Args:
            observations: int8[n, D].
            masks: bool[n, A].
        """
        raise NotImplementedError

    def tensors_of(self, state: Mapping[str, torch.Tensor]) -> dict[str, NDArray[np.float32]]:
        """Return a copy of the weights in the module's `state_dict`, to save and to play with."""
        raise NotImplementedError

    def agent(self, tensors: Tensors | None = None, *, greedy: bool = True) -> AnyAgent:
        """Return an agent that plays with weights from `tensors_of`, by default the present ones.

        The agent keeps to these weights, whatever the module learns later.
        """
        raise NotImplementedError

    def search(self, settings: SearchSettings, *, horizon: int, temperature: float) -> SearchAgent:
        """Return a search with the present weights (see `network_search`)."""
        raise NotImplementedError

    def start_from(self, weights: Path) -> None:
        """Take over the weights of a checkpoint's folder or of a file.

        Raises:
            CheckpointError: they are damaged, or for another game or version.
            ValueError: they are not for this module.
        """
        raise NotImplementedError

    def save(self, folder: Path, tensors: Tensors, facts: TrainingFacts) -> None:
        """Write weights from `tensors_of` into a folder, to play with."""
        raise NotImplementedError

    def agent_name(self, folder: Path) -> str:
        """Return the name of the agent that plays with the weights that `save` has written."""
        raise NotImplementedError

    def parameter_groups(self) -> list[list[nn.Parameter]]:
        """Return the parameters that learn, in lists whose gradients are clipped separately."""
        return [self.parameters()]

    def parameters(self) -> list[nn.Parameter]:
        """Return the parameters that learn."""
        return [weights for weights in self.network.parameters() if weights.requires_grad]

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Return a copy of the present weights (see `tensors_of`)."""
        return self.tensors_of(self.network.state_dict())

    def outputs(self, observations: torch.Tensor, masks: torch.Tensor) -> Outputs:
        """Return all outputs for observations, int8[n, D], and masks, bool[n, A]."""
        logits, win_logits, changes = self._heads(observations, masks)
        return Outputs(masked_log_softmax(logits, masks), win_logits, changes)

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the present probabilities of actions, as `Advisor.probabilities` asks."""
        device = next(self.network.parameters()).device
        with torch.no_grad():
            outputs = self.outputs(
                torch.from_numpy(observations).to(device), torch.from_numpy(masks).to(device)
            )
            return outputs.log_probabilities.exp().cpu().numpy()

    def evaluate_actions(
        self, observations: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> ActionEvaluation:
        """Return log-probabilities of actions, int64[n], and the other outputs for learning.

        The numbers equal those from `outputs`, but their gradients take half the time.
        """
        logits, win_logits, changes = self._heads(observations, masks)
        log_probs, entropies = _MaskedCategorical.apply(logits, masks, actions)  # type: ignore[no-untyped-call]
        return ActionEvaluation(log_probs, entropies, win_logits, changes)

    @contextmanager
    def keep_weights(self) -> Iterator[None]:
        """Convert the weights to bfloat16 only once for a block in which nothing learns.

        On a GPU the block has no effect: a recorded graph would go on reading the weights that were
        converted when it was recorded.
        """
        device = next(self.network.parameters()).device.type
        # PyTorch forgets converted weights at the end of its outermost block, enabled or not.
        with torch.autocast(device, enabled=False) if device == "cpu" else nullcontext():
            yield

    def _heads(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, ...]:
        device = observations.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self.use_bfloat16):
            outputs = self.forward(observations, masks)
        return outputs["logits"], outputs["win_logits"].float(), outputs["changes"].float()


PolicyMaker = Callable[[Game, torch.Generator], Policy]
"""Makes the policy that learns a game. The generator draws the initial weights."""


@dataclass(frozen=True, kw_only=True)
class TrainingFacts:
    """Facts about a training that are saved with its weights.

    Attributes:
        players: The numbers of seats that the network was trained with.
        command: The command that trains it again.
        settings: Its settings, as JSON values.
        figures: Its results, as JSON values.
        reward: The name of the user's own reward, which `changes` then forecasts; empty without.
    """

    players: Sequence[int]
    command: str
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]
    reward: str = ""


def masked_log_softmax(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return log-probabilities, float32[n, A], about -1e8 where bool[n, A] masks are False."""
    return torch.log_softmax(torch.where(masks, logits.float(), _ILLEGAL), dim=-1)


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


def bfloat16_is_faster(policy: Policy, batch_size: int) -> bool:
    """Return whether an update on the policy's device is faster in bfloat16 than in float32.

    The timing takes about half a second, leaves the policy as it was and draws nothing random.
    """
    former_choice = policy.use_bfloat16
    game = policy.game
    device = next(policy.network.parameters()).device
    observations = torch.zeros(batch_size, game.layout.size, dtype=torch.int8, device=device)
    masks = observations.new_ones((batch_size, game.actions.size), dtype=torch.bool)
    # The precisions take turns. The shortest time of each counts, because other work on the machine
    # can only make an update slower.
    seconds = {False: math.inf, True: math.inf}
    try:
        for bfloat16 in [False, True] * _REPEATS:
            with one_thread():
                policy.use_bfloat16 = bfloat16
                began = time.perf_counter()
                outputs = policy.outputs(observations, masks)
                loss = (outputs.log_probabilities[:, 0] + outputs.changes[:, 0]).mean()
                loss.backward()  # type: ignore[no-untyped-call]
                if device.type == "cuda":
                    torch.cuda.synchronize()
                seconds[bfloat16] = min(seconds[bfloat16], time.perf_counter() - began)
    except RuntimeError:
        # Some operations of users' modules have no form in bfloat16. Faults that have another cause
        # show in the first rollout.
        return False
    finally:
        policy.use_bfloat16 = former_choice
        policy.network.zero_grad()
    return seconds[False] > _LEAST_SPEEDUP * seconds[True]
