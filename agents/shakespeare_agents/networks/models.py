"""Networks that were trained elsewhere, as agents: PyTorch modules, ONNX files and functions.

A model maps observations and masks to outputs by name, as the exported network does
(docs/adopting.md): `logits`, and maybe `value`, `win_logits` and `changes`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.threads import one_thread
from shakespeare_env.core.game import Game
from shakespeare_env.extras import requires_extra
from shakespeare_env.play.agent import Agent, AnyAgent, Searcher
from shakespeare_env.play.generators import GameGenerators

Outputs = Mapping[str, NDArray[Any]]
"""Outputs of n positions: `logits` [n, A], `value` [n], `win_logits` [n, S], `changes` [n, S]."""
Model = Callable[[NDArray[np.int8], NDArray[np.bool_]], Outputs]
"""A function of observations, int8[n, D], and masks, bool[n, A]."""
OTHER_REWARD = "other_reward"
"""Key in the metadata of a file of weights. If the network was trained on a reward of the user's
own, the entry names that reward."""


class ModelAgent:
    """Plays a model's likeliest action, or a draw from its policy if `greedy` is False.

    Args:
        model: The model.
        game: The game that it plays.
        greedy: Whether it plays the likeliest action.
    """

    def __init__(self, model: Model, game: Game, *, greedy: bool = True) -> None:
        self.model = model
        self.greedy = greedy
        self._game = game

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """Choose an action in each game, as `Agent.act` asks."""
        probabilities = self.probabilities(observations, masks)
        if self.greedy:
            actions: NDArray[np.int64] = probabilities.argmax(axis=1)
            return actions
        return rng.choose(probabilities)

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the policy's probabilities, as `Advisor.probabilities` asks."""
        logits = np.where(masks, self.outputs(observations, masks)["logits"], -np.inf)
        return _softmax(logits).astype(np.float32)

    def _all_legal(self, size: int) -> NDArray[np.bool_]:
        return np.ones((size, self._game.actions.size), np.bool_)

    def outputs(self, observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> Outputs:
        """Return the model's outputs for n positions.

        Raises:
            ValueError: the outputs do not fit the game.
        """
        outputs = self.model(observations, masks)
        size = len(masks)
        seats = self._game.max_seats
        shapes = {
            "logits": masks.shape,
            "value": (size,),
            "win_logits": (size, seats),
            "changes": (size, seats),
        }
        if "logits" not in outputs:
            raise ValueError(f"a model needs the output `logits`; it has {', '.join(outputs)}")
        for name, shape in shapes.items():
            if name in outputs and outputs[name].shape != shape:
                raise ValueError(
                    f"the model's output `{name}` has the shape {outputs[name].shape} for {size} "
                    f"positions of {self._game.name}; it must be {shape}"
                )
        if np.isnan(outputs["logits"]).any():
            raise ValueError("the model's logits hold NaN")
        return outputs


class EstimatingModelAgent(ModelAgent):
    """Plays as `ModelAgent` does, from a model that estimates the return of the seat to move."""

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the model's values, as `Estimator.values` asks.

        If the model has no output `value`, its forecast of the change of the seat's own score is
        used.
        """
        outputs = self.outputs(observations, self._all_legal(len(observations)))
        values = outputs["value"] if "value" in outputs else outputs["changes"][:, 0]
        return values.astype(np.float32)


class ForecastingModelAgent(EstimatingModelAgent):
    """Plays as `ModelAgent` does, from a model that forecasts the outcome for every seat."""

    def forecasts(
        self, observations: NDArray[np.int8], players: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return shares of the victory and changes of scores, as `Forecaster.forecasts` asks."""
        outputs = self.outputs(observations, self._all_legal(len(observations)))
        is_present = np.arange(self._game.max_seats) < players[:, None]
        shares = _softmax(np.where(is_present, outputs["win_logits"], -np.inf))
        changes = np.where(is_present, outputs["changes"], 0.0)
        return shares.astype(np.float32), changes.astype(np.float32)


def model_agent(model: Model, game: Game, *, greedy: bool = True) -> ModelAgent:
    """Make the agent that plays from a model, and try the model once.

    Raises:
        ValueError: the outputs do not fit the game.
    """
    agent = ModelAgent(model, game, greedy=greedy)
    observations = np.zeros((1, game.layout.size), np.int8)
    outputs = agent.outputs(observations, np.ones((1, game.actions.size), np.bool_))
    if {"win_logits", "changes"} <= outputs.keys():
        return ForecastingModelAgent(model, game, greedy=greedy)
    if "value" in outputs:
        return EstimatingModelAgent(model, game, greedy=greedy)
    return agent


def _softmax(logits: NDArray[Any]) -> NDArray[Any]:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[Any] = weights / weights.sum(axis=1, keepdims=True)
    return shares


def is_torch_module(candidate: object) -> bool:
    """Return whether an object is a PyTorch module, without importing PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(candidate, torch.nn.Module)


class TorchModel:
    """The model of a PyTorch module, which is put into evaluation mode.

    The module gets observations as float32[n, D] on its own device and, if it takes a second
    argument, masks. It may return outputs by name, logits alone, or logits and values.

    Attributes:
        module: The module.
        forecasts_scores: Whether the output `changes`, if there is one, forecasts scores. If it
            forecasts a reward of the user's own instead, this output is left out.
    """

    def __init__(self, module: Any) -> None:
        self.module = module.eval()
        self.forecasts_scores = True
        self._takes_masks = _positional_parameters(module.forward) > 1

    def forward(self, observations: Any, masks: Any) -> dict[str, Any]:
        """Return the module's outputs by name, as tensors.

        Args:
            observations: float32[n, D], a tensor on the module's device.
            masks: bool[n, A], a tensor on the module's device.
        """
        inputs = (observations, masks) if self._takes_masks else (observations,)
        return _by_name(self.module(*inputs))

    def __call__(self, observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> Outputs:
        """Return the outputs for n positions, as `Model` asks."""
        import torch

        parameter = next(self.module.parameters(), None)
        device = "cpu" if parameter is None else parameter.device
        # `torch.tensor` copies, because the arrays of a batch are read-only.
        with one_thread(), torch.inference_mode():
            outputs = self.forward(
                torch.tensor(observations, dtype=torch.float32, device=device),
                torch.tensor(masks, device=device),
            )
        arrays = {name: output.float().cpu().numpy() for name, output in outputs.items()}
        if not self.forecasts_scores:
            arrays.pop("changes", None)
        return arrays


def torch_agent(module: Any, game: Game, *, greedy: bool = True, weights: str = "") -> AnyAgent:
    """Make the agent that plays from a PyTorch module, with the weights of a file if one is named.

    A module that has a method `act` or `search` is the agent itself.

    Raises:
        ValueError: the weights or the outputs do not fit, or `greedy` is False although the module
            chooses its actions itself.
    """
    model = TorchModel(module)
    if weights:
        load_weights(module, Path(weights))
        model.forecasts_scores = forecasts_scores(Path(weights))
    if isinstance(module, Agent | Searcher):
        if not greedy:
            raise ValueError("this module chooses its actions itself; drop greedy=false")
        return module
    return model_agent(model, game, greedy=greedy)


def load_weights(module: Any, file: Path) -> None:
    """Load a file with the `state_dict` of a PyTorch module into the module.

    Raises:
        ValueError: the file cannot be read, or belongs to a module of another shape.
    """
    import torch

    try:
        if file.suffix == ".safetensors":
            from safetensors.torch import load_file

            tensors = load_file(file)
        else:
            tensors = torch.load(file, map_location="cpu", weights_only=True)
        misfits = [
            f"{name} has the shape {tuple(tensors[name].shape)} instead of {tuple(wanted.shape)}"
            for name, wanted in module.state_dict().items()
            if name in tensors and tensors[name].shape != wanted.shape
        ]
        if not misfits:
            module.load_state_dict(tensors)
    except Exception as fault:  # loading can raise errors of many classes
        raise ValueError(f"the weights {str(file)!r} cannot be loaded: {fault}") from fault
    if misfits:
        raise ValueError(
            f"the weights {str(file)!r} do not fit {type(module).__name__}: {misfits[0]}; give "
            "weights that were trained for the same game, with the same options of the module"
        )


def forecasts_scores(weights: Path) -> bool:
    """Return whether a network was trained to forecast scores, not a reward of the user's own.

    Training names such a reward in the metadata of its safetensors files (`OTHER_REWARD`). Files of
    other formats are taken to forecast scores.
    """
    if weights.suffix != ".safetensors":
        return True
    from safetensors import safe_open

    with safe_open(weights, framework="numpy") as file:
        return OTHER_REWARD not in (file.metadata() or {})


def function_model(function: Callable[..., Any]) -> Model:
    """Return the model of a function of arrays, which may return outputs as a PyTorch module may.

    These forms are described in `TorchModel`.
    """

    def model(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> Outputs:
        with one_thread():
            outputs = _by_name(function(observations, masks))
        return {name: np.asarray(output) for name, output in outputs.items()}

    return model


def model_in_file(file: Path) -> Model:
    """Return the model of an ONNX file, or of a TorchScript file.

    Raises:
        ValueError: the file cannot be read.
        ModuleNotFoundError: the package that reads it is not installed.
    """
    if file.suffix == ".onnx":
        return _onnx_model(file)
    with requires_extra("train", "a TorchScript file needs"):
        import torch
    try:
        return TorchModel(torch.jit.load(file, map_location="cpu"))  # type: ignore[no-untyped-call]
    except (RuntimeError, OSError) as fault:
        raise ValueError(
            f"{file} cannot be read as TorchScript ({str(fault).splitlines()[0]}); name weights "
            "with their class instead: my.py:Net,weights=net.pt"
        ) from fault


def _onnx_model(file: Path) -> Model:
    with requires_extra("export", "an ONNX file needs"):
        import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1  # workers share the cores
    try:
        session = onnxruntime.InferenceSession(str(file), settings)
    except Exception as fault:  # onnxruntime raises errors of its own classes
        raise ValueError(f"{file} cannot be read as ONNX: {fault}") from fault
    types = {"tensor(int8)": np.int8, "tensor(bool)": np.bool_, "tensor(float)": np.float32}
    inputs = session.get_inputs()
    unknown = [f"{each.name}: {each.type}" for each in inputs if each.type not in types]
    if unknown or len(inputs) > 2:
        raise ValueError(
            f"{file} takes {', '.join(unknown) or f'{len(inputs)} inputs'}; a model takes "
            "observations, int8 or float32, and maybe masks, bool"
        )
    names = [output.name for output in session.get_outputs()]

    def model(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> Outputs:
        given = zip(inputs, (observations, masks), strict=False)  # it may take no masks
        feed: dict[str, NDArray[Any]] = {
            each.name: array.astype(types[each.type]) for each, array in given
        }
        outputs = session.run(None, feed)
        return _by_name(dict(zip(names, outputs, strict=True)) if "logits" in names else outputs)

    return model


def _by_name(outputs: Any) -> dict[str, Any]:
    """Return outputs by name: those of a mapping, logits alone, or logits and values."""
    if isinstance(outputs, Mapping):
        named = dict(outputs)
    elif isinstance(outputs, tuple | list):
        if len(outputs) > 2:
            raise ValueError(
                f"a model returned {len(outputs)} outputs without names; return logits, logits and "
                "values, or a dict of logits, value, win_logits and changes"
            )
        named = dict(zip(("logits", "value"), outputs, strict=False))  # perhaps without values
    else:
        named = {"logits": outputs}
    if "value" in named:  # many networks return values in a column
        named["value"] = named["value"].reshape(-1)
    return named


def _positional_parameters(function: Callable[..., Any]) -> int:
    """Return the number of positional arguments that a function requires."""
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # methods of TorchScript have no signature
        return 1
    return sum(
        parameter.kind in kinds and parameter.default is Parameter.empty for parameter in parameters
    )
