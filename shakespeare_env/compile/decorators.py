"""How the rules are compiled, and where their machine code is kept.

`rule` compiles functions into their callers, `kernel` the few entry points from Python, which alone
are kept on disk.  Numba's own cache looks only at the cached function's file and would run old
rules after an edit of a callee.  Here its folder is named after the *contents* of all files that
may hold rules, so stale code cannot be loaded.

Loading compiled code runs it: whoever can write the folder can run code.
"""

from __future__ import annotations

import fcntl
import hashlib
import inspect
import os
import secrets
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from functools import cache, partial, wraps
from pathlib import Path
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba import _dynfunc, njit, types
from numba.core import event
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import Cache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj
from platformdirs import user_cache_path

from shakespeare_env.errors import OURS

P = ParamSpec("P")
R = TypeVar("R")
AnyFunction = Callable[..., Any]

CACHE_VARIABLE = "SHAKESPEARE_CACHE"
PACKAGE = Path(__file__).resolve().parents[1]
_WITHOUT_RULES = {
    *("cli", "datasets", "drawing", "drawing.py", "film", "text", "text.py", "words", "wrappers"),
    *("analysis", "arena", "mcp", "strategy", "table", "workers.py"),
}
"""Parts of our packages whose edits compile nothing anew; no rule imports anything from them."""


class RuleCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler, but only as far as kernels need rules: to LLVM's language.

    Numba optimises every function and writes machine code for it, and again wherever it is called.
    Only kernels call rules, so rules are optimised and written as part of a kernel alone, which
    halves the time and yields the same speed.
    """

    def define_pipelines(self) -> list[PassManager]:
        """Numba's passes with the lowering replaced."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (_RuleLowering if step is NativeLowering else step, purpose)
            for step, purpose in passes.passes
        ]
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=True, analysis_only=False)
class _RuleLowering(NativeLowering):  # type: ignore[misc]
    """Writes a rule in LLVM's language, for callers to include."""

    _name = "rule_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = RuleLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        lowered = state.cr
        # Numba knows a called function by its entry point, though nobody enters here.
        entry = _dynfunc.make_function(
            lowered.fndesc.lookup_module(),
            lowered.fndesc.qualname.rpartition(".")[2],
            f"for callers of {lowered.fndesc.qualname}",
            0,  # no address
            lowered.env,
            (state.library,),
        )
        state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
        state.cr = lowered._replace(cfunc=entry)
        return True


class RuleLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A rule's code, which is only used inside its callers' code."""

    def _optimize_final_module(self) -> None:
        """Leave it to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # The debug build: elsewhere a wrong index reads or writes elsewhere in memory.
    "boundscheck": os.environ.get("SHAKESPEARE_BOUNDS") == "1",
    # Nothing is allocated in compiled code, so arrays need no reference counts there; counting
    # them would cost atomic operations for every row of a batch, which threads contend for.
    "_nrt": False,
}
_clock = event.TimingListener()
event.register("numba:compile", _clock)
# Numba tells closures of one name apart by counting.  Where two processes compile, both count from
# 1, and a third one that loads from both runs the code of one under the name of the other.
FunctionIdentity._unique_ids = iter(partial(secrets.randbits, 64), None)


def _keep_negative_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Rules never count from the end, but a wrong index may be -1: the check refuses it."""
    return context.cast(builder, index, kind, types.intp)


if _OPTIONS["boundscheck"]:
    arrayobj.fix_integer_index = _keep_negative_index


def rule(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    """Compile a function that other compiled functions call, with options of Numba.

    All its integers arrive as 64 bits: versions for mixtures would more than double compile time.
    """
    if numba.config.DISABLE_JIT:
        return _with_wide_integers(function)
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(**_OPTIONS, **options, pipeline_class=RuleCompiler)(function)
    template = dispatcher.get_call_template

    def widened_template(args: Any, kws: Any) -> Any:
        return template(
            tuple(map(_widened, args)), {name: _widened(kind) for name, kind in kws.items()}
        )

    dispatcher.get_call_template = widened_template
    return cast(Callable[P, R], dispatcher)


def part_of_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """`rule` for what several kernels do, which is always put into them: it takes many arrays."""
    return rule(function, forceinline=True)


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

    `owner` names the folder, besides the digest; `functions` are compiled in besides those that the
    kernel imports or closes over (it may close over functions, numbers and texts alone: TypeError);
    `purpose` is shown to whoever waits, by default its name.
    """

    def compile_and_keep(function: Callable[P, R]) -> Callable[P, R]:
        if numba.config.DISABLE_JIT:
            return function
        compiled: Callable[P, R] = njit(**_OPTIONS)(function)
        if (folder := code_folder(owner, function, *functions)) is not None:
            KernelCode(compiled, folder, purpose or function.__name__)
        return compiled

    return compile_and_keep


class KernelCode(Cache):  # type: ignore[misc]
    """Numba's cache of one kernel, in a folder of ours; one process compiles, the others wait."""

    def __init__(self, dispatcher: Any, folder: Path, purpose: str) -> None:
        name = dispatcher.py_func.__name__.strip("<>")
        self._cache_path, self._purpose = str(folder), purpose
        # The folder's name stands for the source.
        self._cache_file = IndexDataCacheFile(self._cache_path, name, source_stamp=None)
        compile_kernel = dispatcher.compile

        def compile_in_turn(signature: Any) -> Any:
            with ExitStack() as turn:
                with suppress(OSError):  # a folder that cannot be written
                    folder.mkdir(0o700, parents=True, exist_ok=True)
                    lock = turn.enter_context((folder / f"{name}.lock").open("wb"))
                    fcntl.flock(lock, fcntl.LOCK_EX)
                return compile_kernel(signature)

        dispatcher.compile, dispatcher._cache = compile_in_turn, self

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature; None, with a notice, if it is to be compiled."""
        target_context.refresh()
        try:
            content = self._cache_file.load(self._index_key(sig, target_context.codegen()))
            if content is not None:
                return self._rebuilt(target_context, content)
        except Exception as fault:
            _warn(f"{self._cache_path} holds unusable compiled code ({fault}), compiling anew")
            with suppress(OSError):
                self.flush()
        with suppress(OSError, ValueError, AttributeError):  # a program without a console
            sys.stderr.write(f"shakespeare-env: compiling {self._purpose}, for the first use ...\n")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; a warning if the disk does not allow it."""
        try:
            if (reduced := self._reduced(data)) is not None:
                self._cache_file.save(self._index_key(sig, data.codegen), reduced)
        except OSError as fault:
            _warn(f"compiled code is not kept ({fault}), every process will compile it anew")

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return repr(sig), codegen.magic_tuple(), numba.config.BOUNDSCHECK

    @staticmethod
    def _rebuilt(target_context: Any, content: Any) -> Any:
        return CompileResult._rebuild(target_context, *content)

    @staticmethod
    def _reduced(data: Any) -> Any:
        """What is kept; None for code that holds dynamic globals, addresses of this process."""
        return None if data.library.has_dynamic_globals else data._reduce()


@cache  # of each fault once, however many kernels it concerns
def _warn(fault: str) -> None:
    remedy = f"set {CACHE_VARIABLE} to a folder that you can write and nobody else"
    warnings.warn(f"{fault}; {remedy}", RuntimeWarning, stacklevel=2)


def code_folder(owner: str, *functions: AnyFunction) -> Path | None:
    """The folder for compiled functions; None if one has no file, as in notebooks.

    It is below `SHAKESPEARE_CACHE`, or else in the user's cache folder.
    """
    within = _within(functions)
    modules = frozenset(part.__module__ for part in within if isinstance(part, FunctionType))
    if any(_file_of(module) is None for module in modules):
        return None
    # A kernel around other functions of the same files is another kernel.  Compiled code names its
    # modules, and the name of a file outside packages holds its path.
    parts = " ".join([_digest(modules), *sorted(modules), repr(_OPTIONS), *map(_name_of, within)])
    home = os.environ.get(CACHE_VARIABLE) or user_cache_path()
    digest = hashlib.sha256(parts.encode()).hexdigest()[:24]
    return Path(home) / "shakespeare-env" / f"{owner}-{digest}"


def _name_of(part: Any) -> str:
    if isinstance(part, FunctionType):
        return f"{part.__qualname__}-{part.__code__.co_firstlineno}"
    return repr(part)


def _within(functions: Iterable[AnyFunction]) -> list[Any]:
    """Functions without wrappers and all that they close over: functions, numbers and texts."""
    within: list[Any] = []
    waiting: list[Any] = list(functions)
    while waiting:
        part = inspect.unwrap(waiting.pop())
        if not isinstance(part, FunctionType | bool | int | str):
            raise TypeError(
                f"{part!r} is closed over by compiled code that is kept on disk, which would "
                "not follow a change of it; make it an argument"
            )
        if not any(part is other for other in within):
            within.append(part)
            waiting += [cell.cell_contents for cell in getattr(part, "__closure__", None) or ()]
    return within


def _file_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).resolve() if file else None


@cache  # this process runs what the files held when it first asked
def _digest(modules: frozenset[str]) -> str:
    """A digest of the files and boxes that rules may come from, and of the compiler."""
    files, games = sources_of(modules)
    tables = [sys.modules.get(f"{PACKAGE.name}.{game}.box.tables") for game in games]
    # The boxes as they were loaded: their files, and the environment, may have changed since.
    boxes = [repr(module.BOX) for module in tables if module is not None]
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    digest = hashlib.sha256(repr((boxes, versions)).encode())
    for name, path in sorted(files.items()):
        content = path.read_bytes()
        digest.update(f"\n{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def sources_of(modules: Iterable[str]) -> tuple[dict[str, Path], list[str]]:
    """The files that rules in modules may come from, by module or place, and the games they are of.

    The files are those of the modules, of their packages and of this package.  Of our games only
    those count that hold one of the modules or that are named in one.
    """
    files = {module: file for module in modules if (file := _file_of(module)) is not None}
    games, others = [], {*_WITHOUT_RULES}
    for game in sorted(box.parent.name for box in PACKAGE.glob("*/box.toml")):
        named, folder = f"{PACKAGE.name}.{game}".encode(), PACKAGE / game
        if any(folder in path.parents or named in path.read_bytes() for path in files.values()):
            games.append(game)
        else:
            others.add(game)
    tops = [sys.modules[module.partition(".")[0]] for module in modules]
    folders = {Path(path).resolve() for top in tops for path in getattr(top, "__path__", ())}
    for folder in {PACKAGE, *folders}:
        left_out = others if folder.name in OURS else set()
        for path in folder.rglob("*.py"):
            place = path.relative_to(folder.parent)
            if left_out.isdisjoint(place.parts):
                files[str(place)] = path
    return files, games


def seconds_spent() -> float:
    """The seconds that this process has spent compiling, for those who time what compiles."""
    return _clock.duration if _clock.done else 0.0
