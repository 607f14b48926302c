"""Kernels for a GPU: a thread for every row, around the same rules as the processor's.

`NUMBA_ENABLE_CUDASIM=1` and `NUMBA_DISABLE_JIT=1` together have Numba's simulator run them in
Python, without a GPU, on tensors of the processor.
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
"""Whether there is a simulator in place of a GPU."""
_THREADS = 256
"""Threads of a block: of 32 to 256, these step a million games fastest on an H100, by a quarter."""


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
    """A CUDA kernel that calls a rule with every row's number and its arguments."""

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
    """Do a rule, (number of the row, *arguments), on each row, on the GPU's current stream.

    Arguments are numbers, and tensors or tuples of them, which are not copied. For owner and
    purpose see `decorators.kernel`.
    """
    if not rows:
        return
    kernel, given = kernel_over_rows(row, owner, purpose), (rows, _passed(arguments))
    threads = min(rows, _THREADS)
    blocks = -(-rows // threads)
    if SIMULATED:
        kernel[blocks, threads](*given)
        return
    with cuda.gpus[device.index]:
        stream = torch.cuda.current_stream(device).cuda_stream
        _configured(kernel, blocks, threads, stream, device.index)(*given)


@cache
def _configured(kernel: Any, blocks: int, threads: int, stream: int, index: int) -> Any:
    """A kernel for so many threads on a stream of a GPU; that they are few is no fault."""
    of_numba = cuda.external_stream(stream) if stream else cuda.default_stream()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kernel[blocks, threads, of_numba]


def device_array(tensor: torch.Tensor) -> Any:
    """A tensor as kernels take it, without a copy."""
    return tensor.numpy() if SIMULATED else cuda.as_cuda_array(tensor)


def device_words(tensor: torch.Tensor) -> Any:
    """int64 as kernels take words without a sign, which PyTorch does not compute with."""
    return device_array(tensor).view(np.uint64)


def _passed(argument: Any) -> Any:
    if isinstance(argument, torch.Tensor):
        return device_array(argument)
    return tuple(map(_passed, argument)) if isinstance(argument, tuple) else argument
