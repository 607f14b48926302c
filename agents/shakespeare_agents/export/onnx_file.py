"""A network as an ONNX file, which runtimes of many languages and browsers load."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents import storage
from shakespeare_agents.export.equality import Outputs, Runner
from shakespeare_agents.networks.network import Network, input_scale
from shakespeare_env.extras import needing

with needing("export", "an export to ONNX needs"):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

FILE = "network.onnx"
_OPSET, _IR_VERSION = 17, 8
"""The first with layer normalisation; runtimes of 2022 and later load it."""


def write_onnx(folder: Path, network: Network, about: Mapping[str, str]) -> None:
    """Write the file, with some properties of the model in it; the folder must exist."""
    model = _model(network)
    helper.set_model_props(model, dict(about))
    onnx.checker.check_model(model, full_check=True)
    storage.write_atomically(folder / FILE, model.SerializeToString())


def onnx_runner(folder: Path) -> Runner:
    """What the file of a folder computes in ONNX Runtime."""
    session = onnxruntime.InferenceSession(str(folder / FILE), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]

    def run(observations: NDArray[np.int8]) -> Outputs:
        return dict(zip(names, session.run(names, {"observation": observations}), strict=True))

    return run


def _model(network: Network) -> Any:
    tensors = network.tensors
    constants = {**tensors, "input_scale": input_scale(network.layout), "last": np.array([1])}
    seats = {"win_logits": "win", "changes": "score"} if network.has_heads else {}

    def linear(layer: str, read: str, written: str) -> Any:
        names = [read, f"{layer}.weight", f"{layer}.bias"]
        return helper.make_node("Gemm", names, [written], transB=1)

    nodes = [
        helper.make_node("Cast", ["observation"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "input_scale"], ["scaled"]),
        linear("trunk", "scaled", "sums"),
        helper.make_node("LayerNormalization", ["sums", "norm.weight", "norm.bias"], ["even"]),
        helper.make_node("Relu", ["even"], ["features"]),
        linear("policy", "features", "policy_sums"),
        helper.make_node("Relu", ["policy_sums"], ["policy"]),
        linear("action", "policy", "logits"),
        linear("outlook", "features", "outlook_sums"),
        helper.make_node("Relu", ["outlook_sums"], ["outlook"]),
        linear("value", "outlook", "values"),
        helper.make_node("Squeeze", ["values", "last"], ["value"]),
        *(linear(layer, "outlook", name) for name, layer in seats.items()),
    ]
    sizes = {"logits": [len(tensors["action.bias"])], "value": []}
    sizes |= {name: [len(tensors[f"{layer}.bias"])] for name, layer in seats.items()}

    def described(name: str, kind: int, size: list[int]) -> Any:
        return helper.make_tensor_value_info(name, kind, ["n", *size])

    graph = helper.make_graph(
        nodes,
        "network",
        [described("observation", TensorProto.INT8, [network.layout.size])],
        [described(name, TensorProto.FLOAT, size) for name, size in sizes.items()],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(
        graph,
        producer_name="shakespeare-env",
        ir_version=_IR_VERSION,
        opset_imports=[helper.make_opsetid("", _OPSET)],
    )
