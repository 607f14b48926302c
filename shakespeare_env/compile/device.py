"""Kernels for a GPU, which run the CPU's rules with a thread for every row.

With `NUMBA_ENABLE_CUDASIM=1` and `NUMBA_DISABLE_JIT=1` Numba's simulator runs them in Python,
without a GPU, on tensors of the CPU.
"""

from __future__ import annotations

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
"""The threads of a block. Of 32 to 256, these step a million games fastest on an H100, by 25 %."""


class DeviceKernelCache(KernelCache):
    """The cache of one kernel for a GPU."""

    @staticmethod
    def _rebuilt(target_context: Any, content: Any) -> Any:
        from numba.cuda.dispatcher import _Kernel  # the simulator has none

        return _Kernel._rebuild(**content)

    @staticmethod
    def _reduced(data: Any) -> Any:
        return data._reduce_states()


@cache
def kernel_over_rows(row: AnyFunction, owner: str, purpose: str) -> Any:
    """Return a CUDA kernel that calls a rule with the number of each row and its arguments."""

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
    """Run a rule on each row, on the GPU's current stream.

    Args:
        row: The rule, called with the number of a row and `arguments`.
        owner: The owner of the kernel, as for `decorators.kernel`.
        purpose: What people wait for while the kernel is compiled.
        rows: The number of rows.
        device: The GPU.
        *arguments: Numbers, tensors, and tuples of them; tensors are not copied.
    """
    if not rows:
        return
    kernel = kernel_over_rows(row, owner, purpose)
    passed = _passed(arguments)
    threads = min(rows, _THREADS)
    blocks = -(-rows // threads)
    if SIMULATED:
        kernel[blocks, threads](rows, passed)
        return
    with cuda.gpus[device.index]:
        stream = torch.cuda.current_stream(device).cuda_stream
        _configured(kernel, blocks, threads, stream, device.index)(rows, passed)


@cache
def _configured(kernel: Any, blocks: int, threads: int, stream: int, index: int) -> Any:
    """Return a kernel set up for a number of threads and a stream of a GPU."""
    numba_stream = cuda.external_stream(stream) if stream else cuda.default_stream()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba warns of few threads, which is no fault
        return kernel[blocks, threads, numba_stream]


def device_array(tensor: torch.Tensor) -> Any:
    """Return a tensor as kernels take it, without a copy."""
    return tensor.numpy() if SIMULATED else cuda.as_cuda_array(tensor)


def device_uint64(tensor: torch.Tensor) -> Any:
    """Return a tensor, int64, as unsigned words for kernels; PyTorch cannot compute with those."""
    return device_array(tensor).view(np.uint64)


def _passed(argument: Any) -> Any:
    if isinstance(argument, torch.Tensor):
        return device_array(argument)
    return tuple(map(_passed, argument)) if isinstance(argument, tuple) else argument
