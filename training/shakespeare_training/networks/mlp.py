"""The project's own network, a multilayer perceptron that plays without PyTorch.

Its layers have the same names as in `shakespeare_agents.networks.network`, which runs the trained
network. `PolicyNetwork` is also an example of a module that learns (`policy.Policy`), and it can be
a part of users' modules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from shakespeare_agents.networks.checkpoint import load_checkpoint, save_checkpoint
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import HEADS, Network, Tensors, input_scale
from shakespeare_agents.search.agent import SearchAgent, SearchSettings, network_search
from shakespeare_env.core.game import Game
from shakespeare_training.networks.policy import Policy, TrainingFacts


class PolicyNetwork(nn.Module):
    """A shared layer with layer normalisation, and heads for the policy and the forecasts.

    Fresh heads forecast equal shares of the victory and no changes of scores.

    Args:
        game: The game, which decides the numbers of inputs and outputs.
        width: The width of the layers.
        rng: The generator that draws the initial weights, by default PyTorch's global one.
    """

    scale: torch.Tensor

    def __init__(self, game: Game, *, width: int = 256, rng: torch.Generator | None = None) -> None:
        super().__init__()
        layout = game.layout
        seats = game.max_seats
        self.register_buffer("scale", torch.from_numpy(input_scale(layout)), persistent=False)
        self._kept_weight: torch.Tensor | None = None
        self.trunk = _uninitialised_layer(layout.size, width)
        self.norm = nn.LayerNorm(width)
        self.win = _uninitialised_layer(width, seats)
        self.score = _uninitialised_layer(width, seats)
        self.policy = _uninitialised_layer(width, width)
        self.outlook = _uninitialised_layer(width, width)
        self.action = _uninitialised_layer(width, game.actions.size)
        for hidden in (self.trunk, self.policy, self.outlook):
            nn.init.orthogonal_(hidden.weight, math.sqrt(2), generator=rng)
        nn.init.orthogonal_(self.action.weight, 0.01, generator=rng)
        nn.init.zeros_(self.win.weight)
        nn.init.zeros_(self.score.weight)
        layers = [self.trunk, self.win, self.score, self.policy, self.outlook, self.action]
        for layer in layers:
            nn.init.zeros_(layer.bias)

    def forward(self, observations: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the outputs for observations, int8 or float32[n, D], by name (`Outputs`)."""
        features = self.features(observations)
        outlook = torch.relu(self.outlook(features))
        return {
            "logits": self.action(torch.relu(self.policy(features))),
            "win_logits": self.win(outlook),
            "changes": self.score(outlook),
        }

    def features(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the output of the shared layer, float[n, width]."""
        weight = self._kept_weight
        if weight is None:
            weight = self._scaled_weight()
        device = observations.device.type
        is_bfloat16 = torch.is_autocast_enabled(device)
        inputs = observations.to(torch.bfloat16 if is_bfloat16 else weight.dtype)
        return torch.relu(self.norm(nn.functional.linear(inputs, weight, self.trunk.bias)))

    @contextmanager
    def keep_weights(self, dtype: torch.dtype) -> Iterator[None]:
        """Scale the weights of the shared layer only once for a block in which nothing learns.

        Args:
            dtype: The type in which the layer multiplies.
        """
        self._kept_weight = self._scaled_weight().detach().to(dtype)
        try:
            yield
        finally:
            self._kept_weight = None

    def _scaled_weight(self) -> torch.Tensor:
        """Return the weights of the shared layer for observations that are not scaled.

        Weights are far fewer than observations. Also, unscaled observations are small integers,
        which are exact in bfloat16.
        """
        return self.trunk.weight * self.scale


class MlpPolicy(Policy):
    """The policy of a `PolicyNetwork`, which plays compiled and is saved as a checkpoint."""

    network: PolicyNetwork

    @classmethod
    def fresh(cls, game: Game, rng: torch.Generator, *, width: int) -> MlpPolicy:
        """Make a policy with initial weights (`PolicyMaker`)."""
        return cls(PolicyNetwork(game, width=width, rng=rng), game)

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> Mapping[str, torch.Tensor]:
        """Return the network's outputs by name."""
        return cast(Mapping[str, torch.Tensor], self.network(observations))

    @contextmanager
    def keep_weights(self) -> Iterator[None]:
        """Scale weights, and convert them to bfloat16, only once for a block.

        On a GPU the block has no effect (`Policy.keep_weights`).
        """
        with ExitStack() as kept:
            kept.enter_context(super().keep_weights())
            if self.network.scale.device.type == "cpu":
                dtype = torch.bfloat16 if self.use_bfloat16 else torch.float32
                kept.enter_context(self.network.keep_weights(dtype))
            yield

    def parameter_groups(self) -> list[list[nn.Parameter]]:
        """Return the parameters in three lists: shared layer, policy head, forecast heads."""
        network = self.network
        groups = (
            [network.trunk, network.norm],
            [network.policy, network.action],
            [network.outlook, network.win, network.score],
        )
        return [[weight for layer in group for weight in layer.parameters()] for group in groups]

    def tensors_of(self, state: Mapping[str, torch.Tensor]) -> dict[str, NDArray[np.float32]]:
        """Return the weights in a `state_dict`, with a value head added, for `Network`.

        The value is the first output of `score`: the forecast change of the observing seat's own
        score.
        """
        tensors = {name: tensor.cpu().numpy().copy() for name, tensor in state.items()}
        for kind in ("weight", "bias"):
            tensors[f"value.{kind}"] = tensors[f"score.{kind}"][:1].copy()
        return tensors

    def set_tensors(self, tensors: Tensors) -> None:
        """Take over a copy of a network's weights. Heads that the network lacks become fresh.

        Raises:
            RuntimeError: the weights have another width or are for another game.
        """
        network = self.network
        shapes = Network.head_shapes(network.norm.weight.numel(), network.win.bias.numel())
        fresh = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        given = {**fresh, **tensors}
        network.load_state_dict({name: torch.tensor(given[name]) for name in network.state_dict()})

    def agent(self, tensors: Tensors | None = None, *, greedy: bool = True) -> NetworkAgent:
        """Return an agent that plays with weights, by default the present ones."""
        tensors = self.tensors() if tensors is None else tensors
        return NetworkAgent(Network(tensors, self.game.layout), greedy=greedy)

    def search(self, settings: SearchSettings, *, horizon: int, temperature: float) -> SearchAgent:
        """Return a compiled search with the present weights."""
        network = Network(self.tensors(), self.game.layout)
        return network_search(
            self.game, network, settings, horizon=horizon, temperature=temperature
        )

    def start_from(self, weights: Path) -> None:
        """Take over the weights of a checkpoint's folder."""
        network, card = load_checkpoint(weights, self.game)
        width = self.network.norm.weight.numel()
        if card.width != width:
            raise ValueError(
                f"{weights}: width {card.width}, but the settings say width = {width}, which a "
                "trained network cannot change; leave width out of them, or add "
                f"--set width={card.width}"
            )
        self.set_tensors(network.tensors)

    def save(self, folder: Path, tensors: Tensors, facts: TrainingFacts) -> None:
        """Write a checkpoint.

        After learning from a reward of the user's own, it has no heads, because a search would take
        the forecasts of the reward for scores.
        """
        if facts.reward:
            tensors = {
                name: tensor
                for name, tensor in tensors.items()
                if name.partition(".")[0] not in HEADS
            }
        save_checkpoint(
            folder,
            tensors,
            self.game,
            players=facts.players,
            command=facts.command,
            settings=facts.settings,
            figures=facts.figures,
        )

    def agent_name(self, folder: Path) -> str:
        """Return the folder, which names the checkpoint."""
        return str(folder)


def _uninitialised_layer(inputs: int, outputs: int) -> nn.Linear:
    """Return a layer without the initial weights that PyTorch draws from its global generator."""
    layer: nn.Linear = nn.utils.skip_init(nn.Linear, inputs, outputs)  # type: ignore[no-untyped-call]
    return layer
