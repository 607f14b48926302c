"""Networks of users' own that learn: PyTorch modules that are named in the settings."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from numpy.typing import NDArray
from torch import nn

from shakespeare_agents.making import call_maker, required_positional
from shakespeare_agents.naming import AgentSpec
from shakespeare_agents.networks.checkpoint import OWN_WEIGHTS_NAME
from shakespeare_agents.networks.models import (
    OTHER_REWARD,
    ModelAgent,
    TorchModel,
    is_torch_module,
    load_weights,
    model_agent,
)
from shakespeare_agents.networks.network import Tensors
from shakespeare_agents.python_names import fault_in_words, load
from shakespeare_agents.search.agent import SearchAgent, SearchSettings, advisor_search
from shakespeare_agents.storage import write_atomically
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.game import Game
from shakespeare_env.errors import AgentNote, own_frames
from shakespeare_training.networks.policy import Policy, TrainingFacts

_drawing = threading.Lock()
"""Held while PyTorch's global generator draws initial weights."""


class OwnPolicy(Policy):
    """The policy of a user's module, which plays in PyTorch and is saved as its `state_dict`.

    Args:
        name: The name of the module's class or function, with its options.
        network: The module. It gets observations as float32 and, if it takes a second argument,
            masks.
        game: The game.
    """

    def __init__(self, name: str, network: nn.Module, game: Game) -> None:
        super().__init__(network, game)
        self.name = name
        self._model = TorchModel(network)

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> Mapping[str, torch.Tensor]:
        """Return the module's outputs by name."""
        try:
            return self._model.forward(observations.float(), masks)
        except Exception as fault:
            fault.add_note(AgentNote(f"The network {self.name} failed."))
            raise

    def tensors_of(self, state: Mapping[str, torch.Tensor]) -> dict[str, NDArray[np.float32]]:
        """Return a copy of the tensors in a `state_dict`."""
        return {name: tensor.cpu().numpy().copy() for name, tensor in state.items()}

    def agent(self, tensors: Tensors | None = None, *, greedy: bool = True) -> ModelAgent:
        """Return an agent that plays, on the CPU, with a copy of the module."""
        copy = deepcopy(self.network).cpu()
        if tensors is not None:
            # The parameters of the copy share the arrays' memory.
            state = {name: torch.from_numpy(array) for name, array in tensors.items()}
            copy.load_state_dict(state, assign=True)
        return model_agent(TorchModel(copy), self.game, greedy=greedy)

    def search(self, settings: SearchSettings, *, horizon: int, temperature: float) -> SearchAgent:
        """Return a search in batches."""
        return advisor_search(
            self.game, self.agent(), settings, horizon=horizon, temperature=temperature
        )

    def start_from(self, weights: Path) -> None:
        """Take over the weights of a file with a `state_dict`."""
        if weights.is_dir():
            raise ValueError(
                f"{weights} is a folder, but {self.name} starts from a file of weights: "
                f"--start {self.name},weights=FILE"
            )
        load_weights(self.network, weights)

    def save(self, folder: Path, tensors: Tensors, facts: TrainingFacts) -> None:
        """Write the `state_dict` as a safetensors file.

        If the network was trained with the user's own reward, this is noted in the file. Agents
        that load such a file do not return `changes`, as a search would take them for scores.
        """
        metadata = {"network": self.name, "command": facts.command}
        if facts.reward:
            metadata[OTHER_REWARD] = facts.reward
        content = safetensors.numpy.save(dict(tensors), metadata)
        write_atomically(folder / OWN_WEIGHTS_NAME, content)

    def agent_name(self, folder: Path) -> str:
        """Return the module's name with the file of its weights."""
        return f"{self.name},weights={folder / OWN_WEIGHTS_NAME}"


def make_own_policy(name: str, game: Game, rng: torch.Generator) -> OwnPolicy:
    """Make the policy of a module that is named as `my.py:Net` or `my.py:Net,width=64`.

    The name refers to a module, or to a class or function that makes one. It is written like the
    name of an agent.

    Args:
        name: The name.
        game: The game.
        rng: The generator that draws initial weights in place of PyTorch's global one.

    Raises:
        TypeError, ValueError: it makes no module that can learn.
        ImportError: its source cannot be imported.
    """
    spec = AgentSpec.parse(name)
    assert spec.python is not None  # `TrainingConfig` has checked it
    named = load(spec.python)
    if not is_torch_module(named) and not callable(named):
        raise TypeError(
            f"{name} is {short_repr(named)}; name a PyTorch module, or a class or function that "
            "makes one"
        )
    if not is_torch_module(named) and required_positional(named) > 1:
        raise TypeError(
            f"{name} takes {signature(named)}; name a PyTorch module, or a class or function that "
            "makes one from the game alone. A function of arrays cannot learn itself, but "
            f"shakespeare adopt {name} trains a network to decide as it does"
        )
    try:
        with _global_generator(rng):
            module: Any = named if isinstance(named, nn.Module) else None
            if module is None:
                module = call_maker(named, spec.name, game, spec.maker_options())
            if not is_torch_module(module):
                raise TypeError(
                    f"{name} makes {short_repr(module)}, which is no PyTorch module; a network "
                    "that learns has to be one"
                )
            policy = OwnPolicy(name, deepcopy(module), game)
            _check(policy)  # within the block, because a lazy module draws its weights only now
    except Exception as fault:
        if not own_frames(fault):  # the fault did not arise in the user's code
            raise
        raise TypeError(f"{name} makes no network: {fault_in_words(fault)}") from fault
    return policy


@contextmanager
def _global_generator(rng: torch.Generator) -> Iterator[None]:
    """Have PyTorch's global generator draw as `rng` for the length of the block."""
    with _drawing, torch.random.fork_rng(devices=[]):
        torch.default_generator.set_state(rng.get_state())
        yield


def _check(policy: OwnPolicy) -> None:
    """Raise ValueError unless a module's outputs and weights are such that it can learn."""
    name = policy.name
    game = policy.game
    size = 2
    masks = torch.ones(size, game.actions.size, dtype=torch.bool)
    with torch.no_grad():
        outputs = policy.forward(torch.zeros(size, game.layout.size, dtype=torch.int8), masks)
    shapes = {
        "logits": (size, game.actions.size),
        "win_logits": (size, game.max_seats),
        "changes": (size, game.max_seats),
    }
    missing = [output for output in shapes if output not in outputs]
    if missing:
        raise ValueError(
            f"{name} has no output {' and no output '.join(missing)}; return a dict with `logits` "
            f"[n, {game.actions.size}] and, for each of the {game.max_seats} seats clockwise from "
            f"the own one, `win_logits` [n, {game.max_seats}], the logits of its share of the "
            f"victory, and `changes` [n, {game.max_seats}], the change of its score until the end "
            f"in units of {game.score_scale:g} points. Two linear layers are enough"
        )
    for output, shape in shapes.items():
        if tuple(outputs[output].shape) != shape:
            raise ValueError(
                f"{name}: the output `{output}` has the shape {tuple(outputs[output].shape)} for "
                f"{size} positions; it must be {shape}"
            )
    if not policy.parameters():
        raise ValueError(f"{name} has no parameters that require gradients, so it cannot learn")
    for entry, tensor in policy.network.state_dict().items():
        if tensor.dtype != torch.float32:
            raise ValueError(
                f"{name}: `{entry}` is {tensor.dtype}, but runs save float32 only; use parameters "
                "of float32, register other buffers with persistent=False, and use LayerNorm in "
                "place of BatchNorm"
            )


def measured_bytes(policy: Policy) -> int:
    """Measure the memory of a decision in an update: what the module keeps for its gradients."""

    def kept(size: int) -> int:
        total = 0

        def count(tensor: torch.Tensor) -> torch.Tensor:
            nonlocal total
            total += tensor.nbytes
            return tensor

        game = policy.game
        observations = torch.zeros(size, game.layout.size, dtype=torch.int8)
        masks = torch.ones(size, game.actions.size, dtype=torch.bool)
        with torch.autograd.graph.saved_tensors_hooks(count, lambda tensor: tensor):
            policy.outputs(observations, masks)
        return total

    # The weights, which are kept too, cancel out.
    return (kept(4) - kept(2)) // 2
