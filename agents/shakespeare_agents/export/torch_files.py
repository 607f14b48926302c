"""A network for PyTorch: weights as safetensors, and the module that reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from shakespeare_agents import storage
from shakespeare_agents.export.equality import Outputs, Runner
from shakespeare_agents.networks.network import Network, input_scale
from shakespeare_env.extras import needing
from shakespeare_env.own_files import load_file

with needing("train", "an export for PyTorch needs"):
    import torch

WEIGHTS, MODULE = "model.safetensors", "network.py"
_SOURCE = Path(__file__).parent / "torch_network.py"


def write_torch(folder: Path, network: Network) -> None:
    """Write both files; the folder must exist."""
    tensors = {**network.tensors, "input_scale": input_scale(network.layout)}
    content = safetensors.numpy.save(
        {name: np.asarray(tensor, order="C") for name, tensor in tensors.items()},
        metadata={"format": "pt"},
    )
    storage.write_atomically(folder / WEIGHTS, content)
    storage.write_atomically(folder / MODULE, _SOURCE.read_bytes())


def torch_runner(folder: Path) -> Runner:
    """What the files of a folder compute, loaded as a user loads them."""
    loaded = load_file(folder / MODULE).load(folder)

    @torch.no_grad()
    def run(observations: NDArray[np.int8]) -> Outputs:
        return {name: out.numpy() for name, out in loaded(torch.from_numpy(observations)).items()}

    return run
