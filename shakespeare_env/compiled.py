"""How the rules are compiled, and where machine code is kept.

`rule` compiles functions into their callers, `kernel` the few entry points from Python, which alone
are kept on disk.

Numba's own cache looks only at the cached function's file and would run old rules after an edit of
a callee.  Here the folder is named after the *contents* of all that is compiled in
(`compiled_sources.py`): stale code cannot be loaded.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numba import njit, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from shakespeare_env.compiled_bounds import bounds_checked
from shakespeare_env.compiled_sources import (
    boxes_in,
    digest_of,
    file_of,
    functions_within,
    sources_of,
)

P = ParamSpec("P")
R = TypeVar("R")
AnyFunction = Callable[..., Any]

CACHE_VARIABLE = "SHAKESPEARE_CACHE"
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": bounds_checked(),
    # Nothing is allocated in compiled code, so arrays need no reference counts there; counting
    # them would cost atomic operations for every row of a batch, which threads contend for.
    "_nrt": False,
}
_folder_of: dict[AnyFunction, Path] = {}


def rule(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that other compiled functions call.

    All its integers arrive as 64 bits: versions for mixtures of int8, int32 and literals would more
    than double compile time.
    """
    if numba.config.DISABLE_JIT:
        return _with_wide_integers(function)
    dispatcher = njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    template = dispatcher.get_call_template

    def widened_template(args: Any, kws: Any) -> Any:
        return template(
            tuple(map(_widened, args)), {name: _widened(kind) for name, kind in kws.items()}
        )

    dispatcher.get_call_template = widened_template
    compiled: Callable[P, R] = dispatcher
    return compiled


def _with_wide_integers(function: Callable[P, R]) -> Callable[P, R]:
    """The same for the interpreter, where NumPy would keep sums of int8 in eight bits."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        wide: Any = [int(value) if isinstance(value, np.signedinteger) else value for value in args]
        return function(*wide, **kwargs)

    return call


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def kernel(owner: str, *functions: AnyFunction) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile an entry point and keep its machine code on disk.

    Args:
        owner: Names the folder, besides the digest.
        *functions: Compiled in, besides what the kernel imports or closes over (functions only, or
            a TypeError); kernels given the same ones share a folder.
    """

    def compile_and_keep(function: Callable[P, R]) -> Callable[P, R]:
        dispatcher = njit(**_OPTIONS)(function)
        folder = None if numba.config.DISABLE_JIT else code_folder(owner, function, *functions)
        if folder is not None:
            _folder_of[function] = folder
            dispatcher._cache = _Cache(function)
        compiled: Callable[P, R] = dispatcher
        return compiled

    return compile_and_keep


def code_folder(owner: str, *functions: AnyFunction) -> Path | None:
    """The folder for compiled functions; None, with a warning, if not writable.

    `SHAKESPEARE_CACHE` replaces the user's cache folder.  Functions without a file, as in
    notebooks, have none.
    """
    modules = sorted({function.__module__ for function in functions_within(functions)})
    if any(file_of(module) is None for module in modules):
        return None
    return _folder(owner, _digest(tuple(modules)))


def _digest(modules: tuple[str, ...]) -> str:
    followed, sources = _followed(modules)
    parts = (sources, str(_OPTIONS), *boxes_in(followed))
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:24]


@cache
def _followed(modules: tuple[str, ...]) -> tuple[frozenset[str], str]:
    """All modules that count and a digest of their files, as when this process first asked."""
    files = sources_of(modules)
    return frozenset(files), digest_of(files.values())


@cache
def _folder(owner: str, digest: str) -> Path | None:
    parent = os.environ.get(CACHE_VARIABLE) or os.environ.get("XDG_CACHE_HOME")
    base = Path(parent) if parent else Path.home() / ".cache"
    folder = base / "shakespeare-env" / f"{owner}-{digest}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as fault:
        warnings.warn(
            f"compiled code cannot be kept in {folder} ({fault}); "
            "every process will compile it anew. "
            f"Set {CACHE_VARIABLE} to a folder that can be written.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return folder


@contextmanager
def announced(what: str, folder: Path | None) -> Iterator[None]:
    """Say on stderr that compiling starts and how long it took, unless done before."""
    done = None if folder is None else folder / "compiled"
    if numba.config.DISABLE_JIT or (done is not None and done.exists()):
        yield
        return
    started = time.perf_counter()
    say = partial(print, file=sys.stderr, flush=True)
    say(f"shakespeare-env: compiling the {what} engine, once per version ...")
    yield
    say(f"shakespeare-env: compiled in {time.perf_counter() - started:.0f} s")
    if done is not None:
        done.touch()


class _Locator(_CacheLocator):  # type: ignore[misc]
    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self._py_file = function.__code__.co_filename  # Numba names it in its warnings

    def get_cache_path(self) -> str:
        return str(_folder_of[self._function])

    def get_source_stamp(self) -> str:
        return _folder_of[self._function].name

    def get_disambiguator(self) -> str:
        # The same kernel around other functions of the same files is another one.
        inner = functions_within([self._function])
        names = (f"{one.__qualname__}-{one.__code__.co_firstlineno}" for one in inner)
        return hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _Locator:
        return cls(py_func)


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _Cache(FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        # The names of folder and file stand for all code, closures included; left to tell apart
        # are signature, processor, and NUMBA_BOUNDSCHECK, which overrides the option.
        return (sig, codegen.magic_tuple(), numba.config.BOUNDSCHECK)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as fault:
            # A truncated file (a full disk, a killed process) may cost a compilation, not the
            # program; an index that cannot be read would make saving fail, too.
            warnings.warn(
                f"unreadable compiled code in {self.cache_path}: {fault}; compiling anew",
                stacklevel=2,
            )
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as fault:
            warnings.warn(
                f"compiled code cannot be kept in {self.cache_path}: {fault}; the next process "
                f"will compile it anew. Set {CACHE_VARIABLE} to a folder with room.",
                stacklevel=2,
            )
