"""Kernels for a GPU: a thread for every row, around the same rules as the processor's.

`NUMBA_ENABLE_CUDASIM=1` and `NUMBA_DISABLE_JIT=1` together have Numba's simulator run them in
Python, without a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numba import config, cuda
from numba.core.serialize import dumps

from shakespeare_env.compile.cache import KernelCode
from shakespeare_env.compile.decorators import AnyFunction, keep_code

config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # few games are no fault
SIMULATED = bool(config.ENABLE_CUDASIM)
"""Whether there is a simulator in place of a GPU."""
_THREADS = 64
"""Threads of a block: few, so that few games spread over all multiprocessors."""


class DeviceCode(KernelCode):
    """`KernelCode` of a GPU."""

    @staticmethod
    def _rebuilt(target_context: Any, content: Any) -> Any:
        from numba.cuda.dispatcher import _Kernel

        return _Kernel._rebuild(**content)

    @staticmethod
    def _reduced(data: Any) -> bytes | None:
        content: bytes = dumps(data._reduce_states())
        return content

    @staticmethod
    def _codegen(data: Any) -> Any:
        return data._codelibrary.codegen


def device_kernel(
    owner: str, *functions: AnyFunction, purpose: str | None = None
) -> Callable[[Callable[..., None]], Any]:
    """Compile a kernel when it is first launched, and keep its machine code; see `kernel`."""

    def compile_and_keep(function: Callable[..., None]) -> Any:
        dispatcher = cuda.jit(function)
        if not SIMULATED:
            keep_code(DeviceCode, dispatcher, owner, functions, purpose)
        return dispatcher

    return compile_and_keep


def launch(kernel: Any, rows: int, device: torch.device, *arguments: Any) -> None:
    """Launch a kernel with a thread for each of some rows, on PyTorch's current stream.

    Tensors among the arguments, in tuples too, are passed without a copy.
    """
    if not rows:
        return
    given = [_passed(argument) for argument in arguments]
    blocks = -(-rows // _THREADS)
    if SIMULATED:
        kernel[blocks, _THREADS](*given)
        return
    with cuda.gpus[device.index]:
        pointer = torch.cuda.current_stream(device).cuda_stream
        stream = cuda.external_stream(pointer) if pointer else cuda.default_stream()
        kernel[blocks, _THREADS, stream](*given)


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
