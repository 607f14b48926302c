"""How the rules are compiled, and which folder keeps their machine code.

`rule` compiles functions into their callers, `kernel` the few entry points from Python, which alone
are kept on disk.

Numba's own cache looks only at the cached function's file and would run old rules after an edit of
a callee.  Here the folder is named after the *contents* of all files that may hold rules, so stale
code cannot be loaded: an edit of any of them compiles anew.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from pathlib import Path
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba import njit, types
from numba.core.compiler_lock import global_compiler_lock

from shakespeare_env.compile.bounds import bounds_checked
from shakespeare_env.compile.cache import KernelCode
from shakespeare_env.compile.folder import folder_named
from shakespeare_env.compile.rule_compiler import RuleCompiler

P = ParamSpec("P")
R = TypeVar("R")
AnyFunction = Callable[..., Any]

PACKAGE = Path(__file__).resolve().parents[1]
_OURS = ("shakespeare_env", "shakespeare_agents", "shakespeare_training")
_WITHOUT_RULES = {
    *("cli", "datasets", "drawing", "film", "text", "words", "wrappers"),
    *("analysis", "arena", "mcp", "strategy", "table", "workers"),
}
"""Folders of our packages whose edits compile nothing anew; no rule imports anything from them."""
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
    return _rule(function)


def part_of_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """`rule` for what several kernels do, which is always put into them: it takes many arrays."""
    return _rule(function, forceinline=True)


def _rule(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    if numba.config.DISABLE_JIT:
        return _with_wide_integers(function)
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher = njit(**_OPTIONS, **options, pipeline_class=RuleCompiler)(function)
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
            may close over functions, numbers and texts alone: TypeError); kernels of the same ones
            share a folder.
        purpose: What it is for, shown to whoever waits; by default owner and name.
    """

    def compile_and_keep(function: Callable[P, R]) -> Callable[P, R]:
        if numba.config.DISABLE_JIT:
            return function
        dispatcher = njit(**_OPTIONS)(function)
        keep_code(KernelCode, dispatcher, owner, functions, purpose)
        compiled: Callable[P, R] = dispatcher
        return compiled

    return compile_and_keep


def keep_code(
    kind: type[KernelCode],
    dispatcher: Any,
    owner: str,
    functions: Iterable[AnyFunction],
    purpose: str | None,
) -> None:
    """Keep what one of Numba's dispatchers compiles; see `kernel`."""
    function = dispatcher.py_func
    # A kernel around other functions of the same files is another kernel.
    inner = [f"{f.__qualname__}-{f.__code__.co_firstlineno}" for f in _within([function])[0]]
    code = kind(
        function.__name__.strip("<>"),
        " ".join(inner),
        code_folder(owner, function, *functions),
        purpose or f"{owner}: {function.__name__}",
    )
    dispatcher._cache = code
    compile_kernel = dispatcher.compile

    def compile_in_turn(signature: Any) -> Any:
        # The lock keeps apart what threads compile at the same time.
        with global_compiler_lock, code:
            return compile_kernel(signature)

    dispatcher.compile = compile_in_turn


def code_folder(owner: str, *functions: AnyFunction) -> Path | None:
    """The folder for an owner's compiled functions, or None; see `folder_named`.

    Functions without a file, as in notebooks, have none.
    """
    within, constants = _within(functions)
    modules = frozenset(function.__module__ for function in within)
    if any(_file_of(module) is None for module in modules):
        return None
    # Compiled code names its modules, and the name of a file outside packages holds its path.
    parts = [_digest(modules), *sorted(modules), *map(repr, constants)]
    return folder_named(f"{owner}-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:24]}")


def _within(functions: Iterable[AnyFunction]) -> tuple[list[FunctionType], list[bool | int | str]]:
    """Functions without wrappers and all that they close over: functions and constants."""
    found: list[FunctionType] = []
    constants: list[bool | int | str] = []
    waiting: list[Any] = list(functions)
    while waiting:
        one = waiting.pop()
        if isinstance(one, bool | int | str):
            constants.append(one)
            continue
        function = inspect.unwrap(one)
        if not isinstance(function, FunctionType):
            raise TypeError(
                f"{function!r} is closed over by compiled code that is kept on disk, which would "
                "not follow a change of it; make it an argument"
            )
        if function not in found:
            found.append(function)
            waiting += [cell.cell_contents for cell in function.__closure__ or ()]
    return found, constants


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).resolve() if file else None


@cache  # this process runs what the files held when it first asked
def _digest(modules: frozenset[str]) -> str:
    """A digest of all files and boxes that rules may come from, the compiler and its options."""
    files, games = sources_of(modules)
    tables = [sys.modules.get(f"{PACKAGE.name}.{game}.box.tables") for game in games]
    # The boxes as they were loaded: their files, and the environment, may have changed since.
    boxes = [repr(module.BOX) for module in tables if module is not None]
    return " ".join([digest_of(files), *boxes, repr(_OPTIONS)])


def digest_of(files: Mapping[str, Path]) -> str:
    """A hex digest of files' names and contents and of the compiler's version."""
    compiler = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    digest = hashlib.sha256(repr(compiler).encode())
    for name, path in sorted(files.items()):
        content = path.read_bytes()
        digest.update(f"\n{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def sources_of(modules: Iterable[str]) -> tuple[dict[str, Path], list[str]]:
    """The files that the rules in modules may come from, by name, and the games they belong to.

    The files are those of the modules, of their packages and of this package.  Of our games only
    those count that hold one of the modules or that are named in one.
    """
    own = [file for module in modules if (file := _file_of(module)) is not None]
    games, others = [], {*_WITHOUT_RULES}
    for game in sorted(box.parent.name for box in PACKAGE.glob("*/box.toml")):
        named = f"{PACKAGE.name}.{game}".encode()
        if any(PACKAGE / game in file.parents or named in file.read_bytes() for file in own):
            games.append(game)
        else:
            others.add(game)
    tops = [sys.modules[module.partition(".")[0]] for module in modules]
    folders = {Path(path).resolve() for top in tops for path in getattr(top, "__path__", ())}
    files = {file.name: file for file in own}
    for folder in {PACKAGE, *folders}:
        left_out = others if folder.name in _OURS else set()
        for path in folder.rglob("*.py"):
            place = path.relative_to(folder.parent)
            if left_out.isdisjoint(place.parts):
                files[str(place)] = path
    return files, games
