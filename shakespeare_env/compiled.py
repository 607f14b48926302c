"""How the rules are compiled, and where the machine code is kept.

Two decorators: `rule` for the functions of a game's rules, which are compiled into their callers,
and `kernel` for the few entry points that Python calls.  Only kernels are cached on disk.

Numba's own cache looks at the file of the cached function alone, so after an edit of a callee it
would go on running the old rules.  Here the folder is named after the *contents* of everything that
is compiled in: all sources of the package's engine and the box data.  Another content, another
folder: nothing stale can be loaded.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numba import njit, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

P = ParamSpec("P")
R = TypeVar("R")

CACHE_VARIABLE = "SHAKESPEARE_CACHE"
PACKAGE = Path(__file__).resolve().parent
_OWNER: dict[Callable[..., Any], str] = {}
_NOT_COMPILED = {
    "batch.py",
    "batch_checks.py",
    "cli",
    "crew.py",
    "drawing",
    "equality",
    "fonts",
    "position.py",
    "raster.py",
    "reading.py",
    "registration.py",
    "wrappers",
}
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    # Nothing is allocated in compiled code, so arrays need no reference counts there; counting
    # them would cost atomic operations for every row of a batch, which threads contend for.
    "_nrt": False,
}


def rule(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of the rules; called from other compiled functions, not from Python.

    Every integer argument arrives as 64 bits.  Numba would compile a version for each mixture of
    int8, int32 and literal arguments it meets, which more than doubles the time to compile and
    changes nothing else.
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
    """The same for the interpreter, where NumPy would keep a sum of int8 in eight bits."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        wide: Any = [int(value) if isinstance(value, np.signedinteger) else value for value in args]
        return function(*wide, **kwargs)

    return call


def _widened(kind: Any) -> Any:
    """The type an argument arrives as: int64 for every signed or literal integer."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def kernel(owner: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile an entry point; its machine code is kept under the digest of all engine sources.

    Args:
        owner: The game it is compiled for; the same function compiled for two games is two kernels.
    """

    def compile_and_keep(function: Callable[P, R]) -> Callable[P, R]:
        dispatcher = njit(**_OPTIONS)(function)
        if not numba.config.DISABLE_JIT and cache_folder() is not None:
            _OWNER[function] = owner
            dispatcher._cache = _EngineCache(function)
        compiled: Callable[P, R] = dispatcher
        return compiled

    return compile_and_keep


def engine_sources() -> list[Path]:
    """Every file whose contents decide what the compiled engine does, the box in force included."""
    files = [
        path
        for path in sorted(PACKAGE.rglob("*"))
        if (path.suffix == ".py" or path.name == "box.toml")
        and not _NOT_COMPILED.intersection(path.relative_to(PACKAGE).parts)
    ]
    for box in sorted(PACKAGE.rglob("box.toml")):
        # A game's box can be replaced: SHAKESPEARE_BOX names another file for the game shakespeare.
        other = os.environ.get(f"{box.parent.name.upper()}_BOX")
        if other and Path(other).is_file():
            files.append(Path(other))
    return files


def digest_of(files: Iterable[Path]) -> str:
    """A hex digest of the names and contents of files and of the compiler's version."""
    digest = hashlib.sha256(f"numba {numba.__version__} python {sys.version}".encode())
    for path in files:
        content = path.read_bytes()
        digest.update(f"\n{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:24]


@cache
def engine_digest() -> str:
    """The digest of the engine as it was when this process first asked."""
    return digest_of(engine_sources())


@cache
def cache_folder() -> Path | None:
    """The folder of this engine's machine code; None, with a warning, where nothing can be written.

    `SHAKESPEARE_CACHE` names another parent folder; the default is the user's cache folder.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    base = (
        Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    )
    folder = base / "shakespeare-env" / engine_digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as fault:
        warnings.warn(
            f"the compiled engine cannot be kept in {folder} ({fault}); "
            "every process will compile it anew. "
            f"Set {CACHE_VARIABLE} to a folder that can be written.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return folder


@contextmanager
def announced(what: str) -> Iterator[None]:
    """Say on stderr that compiling has begun, and how long it took, unless it was done before."""
    folder = cache_folder()
    done = None if folder is None else folder / f"{what}.compiled"
    if numba.config.DISABLE_JIT or (done is not None and done.exists()):
        yield
        return
    print(
        f"shakespeare-env: compiling the {what} engine, once per version ...",
        file=sys.stderr,
        flush=True,
    )
    started = time.perf_counter()
    yield
    print(
        f"shakespeare-env: compiled in {time.perf_counter() - started:.0f} s",
        file=sys.stderr,
        flush=True,
    )
    if done is not None:
        done.touch()


class _EngineLocator(_CacheLocator):  # type: ignore[misc]
    """Tells Numba to keep a kernel under the engine's digest."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self._py_file = function.__code__.co_filename  # Numba names it in its warnings

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return engine_digest()

    def get_disambiguator(self) -> str:
        return _OWNER[self._function]

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _EngineLocator:
        return cls(py_func)


class _EngineCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_EngineLocator,)


class _EngineCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _EngineCacheImpl

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        # The folder's name already stands for all code, closures included; what is left to tell
        # apart is the signature and the processor.
        return (sig, codegen.magic_tuple())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as fault:
            # A truncated file (a full disk, a killed process) must cost a compilation, not the
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
