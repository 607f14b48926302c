"""How the rules are compiled, and where their machine code is kept.

`rule` compiles functions into their callers, `kernel` the few entry points from Python, which alone
are kept on disk.  Numba's own cache looks only at the cached function's file and would run old
rules after an edit of a callee.  Here its folder is named after what is compiled: the functions and
values that this process holds in memory.  So no edit of a file can make stale code be loaded.

Loading compiled code runs it: whoever can write the folder can run code.
"""

from __future__ import annotations

import dis
import fcntl
import hashlib
import os
import secrets
import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from enum import Enum, EnumType
from functools import cache, partial, wraps
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CodeType, EllipsisType, FunctionType, ModuleType, NoneType
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
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj
from platformdirs import user_cache_path

P = ParamSpec("P")
R = TypeVar("R")
AnyFunction = Callable[..., Any]

CACHE_VARIABLE = "SHAKESPEARE_CACHE"
_OWN_FOLDER = f"set {CACHE_VARIABLE} to a folder that you can write and nobody else"


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


def kernel(owner: str, purpose: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile an entry point when it is first called, and keep its machine code on disk.

    `owner` names the folder, besides the digest; `purpose` is shown to whoever waits, by default
    the function's name.
    """

    def compile_and_keep(function: Callable[P, R]) -> Callable[P, R]:
        if numba.config.DISABLE_JIT:
            return function
        compiled: Callable[P, R] = njit(**_OPTIONS)(function)
        KernelCode(compiled, owner, purpose or function.__name__)
        return compiled

    return compile_and_keep


class KernelCode(Cache):  # type: ignore[misc]
    """Numba's cache of one kernel, in a folder of ours; one process compiles, the others wait."""

    def __init__(self, dispatcher: Any, owner: str, purpose: str) -> None:
        name = dispatcher.py_func.__name__.strip("<>")
        self._cache_path = ""
        self._cache_file: Any = None
        self._purpose = purpose
        compile_kernel = dispatcher.compile

        def compile_in_turn(signature: Any) -> Any:
            folder = code_folder(owner, dispatcher.py_func)
            if folder is None:
                self._cache_file = None
                return compile_kernel(signature)
            # The folder's name stands for the source.
            self._cache_path = str(folder)
            self._cache_file = IndexDataCacheFile(self._cache_path, name, source_stamp=None)
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
            if self._cache_file is not None:
                content = self._cache_file.load(self._index_key(sig, target_context.codegen()))
                if content is not None:
                    return self._rebuilt(target_context, content)
        except Exception as fault:
            _warn(
                f"{self._cache_path} holds unusable compiled code ({fault}), compiling anew; "
                f"{_OWN_FOLDER}"
            )
            with suppress(OSError):
                self.flush()
        with suppress(OSError, ValueError, AttributeError):  # a program without a console
            sys.stderr.write(f"shakespeare-env: compiling {self._purpose}, for the first use ...\n")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; a warning if the disk does not allow it."""
        try:
            reduced = None if self._cache_file is None else self._reduced(data)
            if reduced is not None:
                self._cache_file.save(self._index_key(sig, data.codegen), reduced)
        except OSError as fault:
            _warn(
                f"compiled code is not kept ({fault}), every process will compile it anew; "
                f"{_OWN_FOLDER}"
            )

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
    warnings.warn(fault, RuntimeWarning, stacklevel=2)


def code_folder(owner: str, function: AnyFunction) -> Path | None:
    """Return the folder of a function's machine code, or None, with a warning, if there is none.

    It is below `SHAKESPEARE_CACHE`, or else in the user's cache folder, and is named after the
    owner and what is compiled.
    """
    try:
        digest = code_digest(function)
    except TypeError as fault:
        _warn(f"compiled code is not kept ({fault})")
        return None
    home = os.environ.get(CACHE_VARIABLE) or user_cache_path()
    return Path(home) / "shakespeare-env" / f"{owner}-{digest[:24]}"


def code_digest(function: AnyFunction) -> str:
    """Return the SHA-256 of all that a function's machine code is made from.

    That is the code of the function and of those that it calls, the values that they read, and the
    compiler, all as this process holds them: their files may have changed since Python read them.

    Raises:
        TypeError: a function reads what cannot be described, or differs from what was compiled.
    """
    parts: list[object] = [_OPTIONS, _VERSIONS, _compiler_code()]
    functions: list[Any] = [getattr(function, "py_func", function)]
    undescribed: list[TypeError] = []
    for each in functions:  # which grows by those that are called
        callees: list[FunctionType] = []
        try:
            content = _content_of(each, callees)
        except TypeError as fault:
            content = f"cannot be described: {fault}"
            undescribed.append(fault)
        if _first_read.setdefault(each, (content, callees)) != (content, callees):
            raise TypeError(
                f"{each.__module__}.{each.__qualname__}, or a value that it reads, was changed "
                "after it was first used; start Python anew"
            )
        functions += [callee for callee in dict.fromkeys(callees) if callee not in functions]
        parts.append((content, [functions.index(callee) for callee in callees]))
    if undescribed:  # late, so that all others are known as they are compiled
        raise undescribed[0]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _device_compiler() -> str:
    """Return the version of the compiler for GPUs, empty if it is not installed."""
    with suppress(PackageNotFoundError):
        return version("numba-cuda")
    return ""


_VERSIONS = (
    numba.__version__,
    llvmlite.__version__,
    np.__version__,
    sys.version,
    _device_compiler(),
)
_LIBRARIES = {"_operator", "builtins", "cmath", "math", "numba", "numpy", "operator", "random"}
"""Modules whose functions are known by their names, since `_VERSIONS` tells what they do.

They are those that the compiler knows; one's own file may be called like any other module.
"""
_CODE = (
    *("name", "flags", "argcount", "posonlyargcount", "kwonlyargcount", "code", "exceptiontable"),
    *("consts", "names", "varnames", "freevars", "cellvars"),
)
"""The attributes of a code object that decide what it does, without their prefix."""
_first_read: dict[FunctionType, tuple[str, list[FunctionType]]] = {}
"""Functions as they were first compiled or loaded.

A rule stays as it was compiled when a value that it reads is set anew, so no kernel that is
compiled with it later is what its digest would say.
"""


@cache
def _compiler_code() -> list[object]:
    """Return a description of this module's functions and passes of the compiler."""
    places = (sys.modules[__name__], RuleCompiler, _RuleLowering, RuleLibrary)
    functions = (value for place in places for value in vars(place).values())
    own = (it for it in functions if isinstance(it, FunctionType) and it.__module__ == __name__)
    return [_described(function.__code__, []) for function in own]


def _content_of(function: FunctionType, callees: list[FunctionType]) -> str:
    """Return a description of a function and of what it reads; those that it calls are added."""
    code, names_read = _code_of(function.__code__)
    names = function.__globals__
    read: list[object] = []
    for first, *attributes in names_read:
        if first not in names:  # a name of Python itself
            read.append(first)
            continue
        value = names[first]
        while attributes and isinstance(value, ModuleType | EnumType) and not _library_name(value):
            value = getattr(value, attributes.pop(0), None)
        read += [_described(value, callees), attributes]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    kept = (function.__defaults__, function.__kwdefaults__ and (*function.__kwdefaults__.items(),))
    held = [_described(value, callees) for value in (*kept, *cells)]
    return repr((function.__module__, function.__qualname__, code, read, held))


@cache
def _code_of(code: CodeType) -> tuple[str, list[list[str]]]:
    """Return the SHA-256 of code, and the global names that it reads.

    Each name is followed by the attributes that are taken from it at once: ["np", "float32"].
    """
    names: list[list[str]] = []
    path: list[str] = []
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_GLOBAL":
            path = [step.argval]
            names.append(path)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            path.append(step.argval)
        elif step.opname != "EXTENDED_ARG":
            path = []
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names += _code_of(inner)[1]
    facts = [_described(getattr(code, f"co_{part}"), []) for part in _CODE]
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()
    return digest, [*map(list, dict.fromkeys(map(tuple, names)))]


def _described(value: Any, callees: list[FunctionType]) -> object:
    """Return what a value is, as numbers and texts; functions are added to those called.

    Raises:
        TypeError: changes of such a value would go unnoticed.
    """
    kind = type(value)
    label = f"{kind.__module__}.{kind.__qualname__}"
    if kind in (bool, int, float, complex, str, bytes, slice, NoneType, EllipsisType):
        return label, repr(value)
    if name := _library_name(value):
        return name
    if isinstance(value, Dispatcher):
        dispatcher: Any = value
        if dispatcher.overloads and dispatcher.py_func not in _first_read:
            raise TypeError(
                f"it calls {dispatcher.py_func.__qualname__}, which was compiled before for other "
                "code, perhaps with other values; compile it by `rule`, and call kernels first"
            )
        callees.append(dispatcher.py_func)
        compiler = dispatcher._compiler
        chosen = [*dispatcher.targetoptions.items(), *compiler.locals.items()]
        # Arguments are converted to the signatures of a function that takes no others.
        given = [] if dispatcher._can_compile else dispatcher.nopython_signatures
        return label, repr(compiler.pipeline_class), sorted(map(repr, [*chosen, *given]))
    if isinstance(value, FunctionType):  # what an `overload` puts in its place is not found here
        raise TypeError(f"it calls {value!r}, which is no rule; compile it by `rule`")
    if isinstance(value, CodeType):
        return _code_of(value)[0]
    if isinstance(value, Enum):
        return label, value.name, repr(value.value)
    if isinstance(value, tuple):
        fields = getattr(kind, "_fields", ())
        return label, fields, [_described(item, callees) for item in value]
    if kind is frozenset:
        return label, sorted(repr(_described(item, callees)) for item in value)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        content = hashlib.sha256(value.tobytes()).hexdigest()
        return label, repr(value.dtype), value.shape, repr(value.flags), content
    if isinstance(value, np.dtype | types.Type):
        return label, repr(value)
    if isinstance(value, EnumType):
        return label, _described((*value.__members__.values(),), callees)
    if isinstance(value, type) and issubclass(value, tuple | BaseException):
        return value.__module__, value.__qualname__, getattr(value, "_fields", ())
    raise TypeError(f"it reads {value!r}, whose changes would go unnoticed; make it an argument")


def _library_name(value: Any) -> str:
    """Return the name of a module, function or class of a library, else an empty text."""
    is_module = isinstance(value, ModuleType)
    module = value.__name__ if is_module else getattr(value, "__module__", None) or ""
    if module.partition(".")[0] not in _LIBRARIES:
        return ""
    name = "" if is_module else getattr(value, "__name__", "")
    found = value if is_module else getattr(sys.modules.get(module), name, None)
    return f"{module}.{name}" if found is value else ""


def seconds_spent() -> float:
    """The seconds that this process has spent compiling, for those who time what compiles."""
    return _clock.duration if _clock.done else 0.0
