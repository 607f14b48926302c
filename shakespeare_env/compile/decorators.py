"""The decorators `rule` and `kernel`, which compile the functions of a game.

`rule` compiles functions that other compiled functions call. `kernel` compiles the few entry points
that Python calls. Only kernels are kept on disk (`cache.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba import njit, types
from numba.core import event

from shakespeare_env.compile.cache import KernelCache
from shakespeare_env.compile.rule_compiler import COMPILER_OPTIONS, RuleCompiler

P = ParamSpec("P")
R = TypeVar("R")

_compile_timer = event.TimingListener()
event.register("numba:compile", _compile_timer)


def rule(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    """Compile a function for other compiled functions to call.

    The function receives every integer as 64 bits. Compiling it for each mixture of sizes would
    more than double the time of compilation.

    Args:
        function: A function that reads and changes records and arrays, and allocates nothing.
        **options: Further options of Numba.
    """
    if numba.config.DISABLE_JIT:
        return _with_wide_integers(function)
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(**COMPILER_OPTIONS, **options, pipeline_class=RuleCompiler)(function)

    # Numba asks for this template whenever other compiled code calls the rule.
    get_call_template = dispatcher.get_call_template

    def get_widened_template(args: Any, kws: Any) -> Any:
        wide_args = tuple(map(_widened, args))
        wide_kws = {name: _widened(kind) for name, kind in kws.items()}
        return get_call_template(wide_args, wide_kws)

    dispatcher.get_call_template = get_widened_template
    return cast(Callable[P, R], dispatcher)


def inlined_rule(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a rule that is always inlined into its callers. Use it for rules with many arrays."""
    return rule(function, forceinline=True)


def _with_wide_integers(function: Callable[P, R]) -> Callable[P, R]:
    """Widen a rule's integers when nothing is compiled, since NumPy adds int8 in eight bits."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        wide: Any = [int(value) if isinstance(value, np.signedinteger) else value for value in args]
        return function(*wide, **kwargs)

    return call


def _widened(kind: Any) -> Any:
    """Return int64 for a type of signed integers, and any other type as it is."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def kernel(owner: str, purpose: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile an entry point when it is first called, and keep its machine code on disk.

    Args:
        owner: The beginning of the name of the folder that keeps the code, such as `"figaro"`.
        purpose: What is compiled, in words for people who wait; by default the function's name.
    """

    def compile_and_keep(function: Callable[P, R]) -> Callable[P, R]:
        if numba.config.DISABLE_JIT:
            return function
        compiled: Callable[P, R] = njit(**COMPILER_OPTIONS)(function)
        # The cache connects itself to the kernel, so nothing else has to keep it.
        KernelCache(compiled, owner, purpose or function.__name__)
        return compiled

    return compile_and_keep


def compile_seconds() -> float:
    """Return the seconds that this process has spent compiling, to subtract from timings."""
    return _compile_timer.duration if _compile_timer.done else 0.0
