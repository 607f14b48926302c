"""How the rules are compiled, and where machine code is kept.

`rule` compiles functions into their callers, `kernel` the few entry points from Python, which alone
are kept on disk.

Numba's own cache looks only at the cached function's file and would run old rules after an edit of
a callee.  Here the folder is named after the *contents* of all that is compiled in
(`compiled_sources.py`): stale code cannot be loaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numba import njit, types

from shakespeare_env.compiled_bounds import bounds_checked
from shakespeare_env.compiled_cache import KeptCode
from shakespeare_env.compiled_folder import folder_named
from shakespeare_env.compiled_progress import announce
from shakespeare_env.compiled_rules import RuleCompiler
from shakespeare_env.compiled_sources import (
    Constant,
    boxes_in,
    constants_within,
    digest_of,
    file_of,
    functions_within,
    sources_of,
)

P = ParamSpec("P")
R = TypeVar("R")
AnyFunction = Callable[..., Any]

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": bounds_checked(),
    # Nothing is allocated in compiled code, so arrays need no reference counts there; counting
    # them would cost atomic operations for every row of a batch, which threads contend for.
    "_nrt": False,
}


def rule(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that other compiled functions call.

    All its integers arrive as 64 bits: versions for mixtures of int8, int32 and literals would more
    than double compile time.
    """
    if numba.config.DISABLE_JIT:
        return _with_wide_integers(function)
    dispatcher = njit(
        **_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=RuleCompiler
    )(function)
    template = dispatcher.get_call_template

    def widened_template(args: Any, kws: Any) -> Any:
        return template(
            tuple(map(_widened, args)), {name: _widened(kind) for name, kind in kws.items()}
        )

    dispatcher.get_call_template = widened_template
    compiled: Callable[P, R] = dispatcher
    return compiled


def _with_wide_integers(function: Callable[P, R]) -> Callable[P, R]:
    """`rule` for the interpreter, where NumPy would keep sums of int8 in eight bits."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        wide: Any = [int(value) if isinstance(value, np.signedinteger) else value for value in args]
        return function(*wide, **kwargs)

    return call


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def kernel(
    owner: str, *functions: AnyFunction, purpose: str | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile an entry point when it is first called, and keep its machine code on disk.

    Args:
        owner: Names the folder, besides the digest.
        *functions: Functions compiled in besides those that the kernel imports or closes over (it
            may close over nothing else: TypeError); kernels of the same ones share a folder.
        purpose: What it is for, shown to whoever waits; by default owner and name.
    """

    def compile_and_keep(function: Callable[P, R]) -> Callable[P, R]:
        if numba.config.DISABLE_JIT:
            return function
        dispatcher = njit(**_OPTIONS)(function)
        folder = code_folder(owner, function, *functions)
        if folder is not None:
            kept = dispatcher._cache = KeptCode(function, folder)
            dispatcher.compile = _followed_by(kept.end_turn, dispatcher.compile)
        often = "as in every process" if folder is None else "for the first use"
        announce(dispatcher, purpose or f"{owner}: {function.__name__}", often)
        compiled: Callable[P, R] = dispatcher
        return compiled

    return compile_and_keep


def _followed_by(last: Callable[[], None], function: Callable[P, R]) -> Callable[P, R]:
    """A function after which another is called, even if it fails."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        finally:
            last()

    return call


def code_folder(owner: str, *functions: AnyFunction) -> Path | None:
    """The folder for compiled functions, or None; see `folder_named`.

    Functions without a file, as in notebooks, have none.
    """
    modules = sorted({function.__module__ for function in functions_within(functions)})
    if any(file_of(module) is None for module in modules):
        return None
    return folder_named(f"{owner}-{_digest(tuple(modules), constants_within(functions))}")


def _digest(modules: tuple[str, ...], constants: Sequence[Constant]) -> str:
    followed, sources = _followed(modules)
    parts = (sources, str(_OPTIONS), *boxes_in(followed), *map(repr, constants))
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:24]


@cache
def _followed(modules: tuple[str, ...]) -> tuple[frozenset[str], str]:
    """All relevant modules and the digest that their files had at this process's first call."""
    files = sources_of(modules)
    return frozenset(files), digest_of(files.values())
