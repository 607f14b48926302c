"""Kernels for a GPU, which run the same rules as the CPU, one thread for each game.

The games of one call are its rows, numbered from 0.

With `NUMBA_ENABLE_CUDASIM=1` and `NUMBA_DISABLE_JIT=1`, Numba's simulator runs the kernels in
Python on tensors of the CPU, so no GPU is needed.
"""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any

import numpy as np
import torch
from numba import config, cuda

from shakespeare_env.compile.cache import KernelCache
from shakespeare_env.compile.digest import AnyFunction

SIMULATED = bool(config.ENABLE_CUDASIM)
"""Whether a simulator stands in for the GPU."""
_THREADS = 256
"""The threads of a block. Of the sizes from 32 to 256, this one steps a million games fastest on an
H100, by 25 %."""


class DeviceKernelCache(KernelCache):
    """The cache of one kernel for a GPU."""

    @staticmethod
    def _rebuilt(target_context: Any, content: Any) -> Any:
        from numba.cuda.dispatcher import _Kernel  # it does not exist in the simulator

        return _Kernel._rebuild(**content)

    @staticmethod
    def _reduced(data: Any) -> Any:
        return data._reduce_states()


@cache
def kernel_over_rows(row: AnyFunction, owner: str, purpose: str) -> Any:
    """Return a CUDA kernel (rows, arguments) that calls `row(i, *arguments)` for each row i."""

    def over_rows(rows: int, arguments: Any) -> None:
        i = cuda.grid(1)
        if i < rows:
            row(i, *arguments)

    kernel = cuda.jit(over_rows)
    if not SIMULATED:
        DeviceKernelCache(kernel, f"{owner}-device", f"{purpose} for the GPU")
    return kernel


def launch(
    row: AnyFunction, owner: str, purpose: str, rows: int, device: torch.device, *arguments: Any
) -> None:
    """Run a rule on each row, on PyTorch's current stream of the GPU.

    Args:
        row: The rule, called with the number of a row and `arguments`.
        owner: The beginning of the name of the folder that keeps the code, such as `"figaro"`.
        purpose: What is compiled, in words for people who wait.
        rows: The number of rows.
        device: The GPU.
        *arguments: Numbers, tensors, and tuples of them; tensors are not copied.
    """
    if not rows:
        return
    kernel = kernel_over_rows(row, owner, purpose)
    kernel_arguments = _as_kernel_argument(arguments)
    threads = min(rows, _THREADS)
    blocks = math.ceil(rows / threads)
    if SIMULATED:
        kernel[blocks, threads](rows, kernel_arguments)
        return
    with cuda.gpus[device.index]:
        stream = torch.cuda.current_stream(device).cuda_stream
        configured = _configured(kernel, blocks, threads, stream, device.index)
        configured(rows, kernel_arguments)


@cache
def _configured(kernel: Any, blocks: int, threads: int, stream: int, index: int) -> Any:
    """Return a kernel with its launch configuration: blocks, threads and a stream of a GPU."""
    numba_stream = cuda.external_stream(stream) if stream else cuda.default_stream()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba warns of few threads, but few rows need few
        return kernel[blocks, threads, numba_stream]


def device_array(tensor: torch.Tensor) -> Any:
    """Return a tensor as an array for kernels, without a copy."""
    return tensor.numpy() if SIMULATED else cuda.as_cuda_array(tensor)


def device_uint64(tensor: torch.Tensor) -> Any:
    """Return an int64 tensor as a uint64 array for kernels, without a copy.

    Random states are int64 tensors because PyTorch can hardly compute with uint64.
    """
    return device_array(tensor).view(np.uint64)


def _as_kernel_argument(argument: Any) -> Any:
    if isinstance(argument, torch.Tensor):
        return device_array(argument)
    if isinstance(argument, tuple):
        return tuple(map(_as_kernel_argument, argument))
    return argument
