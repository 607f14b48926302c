"""Digests of everything that a function's machine code is made from.

A digest covers functions and values as this process holds them in memory. No file is read, because
a file may have been edited since Python read it. A digest does not cover code that compiled
functions never call, such as drawing, so an edit of that code causes no recompilation.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from enum import Enum, EnumType
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import Any, NamedTuple

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

from shakespeare_env.compile.rule_compiler import COMPILER_OPTIONS

AnyFunction = Callable[..., Any]


def _device_compiler() -> str:
    """Return the version of the compiler for GPUs, or an empty string if it is not installed."""
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
"""The modules whose functions are described by name alone, since `_VERSIONS` decides what they do.

Only modules that a user's file cannot replace are listed.
"""
_COMPILER_MODULES = (
    "shakespeare_env.compile.cache",
    "shakespeare_env.compile.decorators",
    "shakespeare_env.compile.digest",
    "shakespeare_env.compile.rule_compiler",
)
"""The modules that decide how functions are compiled and cached."""
_CODE_PARTS = (
    "co_name",
    "co_flags",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_code",
    "co_exceptiontable",
    "co_consts",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
)
"""The attributes of a code object that decide what it does."""
_DESCRIBED_BY_REPR = (bool, int, float, complex, str, bytes, slice, NoneType, EllipsisType)
"""The types whose values `repr` describes in full."""

first_read: dict[FunctionType, tuple[str, list[FunctionType]]] = {}
"""The description and the callees of each function when it was first compiled or loaded.

A compiled rule keeps the values that it read then, even if one of them is assigned again. A digest
of the new values would not describe its machine code, so `code_digest` refuses changed functions.
"""


def code_digest(function: AnyFunction) -> str:
    """Return the SHA-256 of everything that a function's machine code is made from.

    This is the code of the function and of all functions that it calls, the values that they read,
    and the compiler.

    Raises:
        TypeError: a function reads a value that cannot be described, or a function or its values
            have changed since it was compiled.
    """
    parts: list[object] = [COMPILER_OPTIONS, _VERSIONS, _compiler_code()]
    functions: list[Any] = [getattr(function, "py_func", function)]
    undescribed: list[TypeError] = []
    for current in functions:  # the list grows by the callees of each function
        callees: list[FunctionType] = []
        try:
            content = _content_of(current, callees)
        except TypeError as fault:
            content = f"cannot be described: {fault}"
            undescribed.append(fault)

        if first_read.setdefault(current, (content, callees)) != (content, callees):
            raise TypeError(
                f"{current.__module__}.{current.__qualname__}, or a value that it reads, was "
                "changed after it was first used; start Python anew"
            )
        functions += [callee for callee in dict.fromkeys(callees) if callee not in functions]
        parts.append((content, [functions.index(callee) for callee in callees]))

    if undescribed:  # raised only now, so that `first_read` holds all the other functions
        raise undescribed[0]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _compiler_code() -> list[object]:
    """Return descriptions of all functions and methods in `_COMPILER_MODULES`."""
    described: list[object] = []
    for name in _COMPILER_MODULES:
        module = import_module(name)
        classes = [value for value in vars(module).values() if isinstance(value, type)]
        for holder in (module, *classes):
            for value in vars(holder).values():
                if isinstance(value, FunctionType) and value.__module__ == name:
                    described.append(_describe(value.__code__, []))
    return described


def _content_of(function: FunctionType, callees: list[FunctionType]) -> str:
    """Return a description of a function and of the values that it reads.

    Append the functions that it calls to `callees`.
    """
    code = code_facts(function.__code__)
    read: list[object] = []
    for first, *attributes in code.names_read:
        if first not in function.__globals__:  # it is a builtin
            read.append(first)
            continue
        value = function.__globals__[first]
        while attributes and isinstance(value, ModuleType | EnumType) and not _library_name(value):
            value = getattr(value, attributes.pop(0), None)
        read += [_describe(value, callees), attributes]

    keyword_defaults = tuple((function.__kwdefaults__ or {}).items())
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    bound_values = (function.__defaults__, keyword_defaults, *cells)
    bound = [_describe(value, callees) for value in bound_values]
    return repr((function.__module__, function.__qualname__, code.digest, read, bound))


class CodeFacts(NamedTuple):
    """The SHA-256 of a code object, and the global names that it reads.

    A name comes with the attributes that are read from it, as in `("np", "float32")`.
    """

    digest: str
    names_read: list[tuple[str, ...]]


@cache
def code_facts(code: CodeType) -> CodeFacts:
    """Return the digest of a code object and the names that it reads."""
    # Collect each global name with the attributes that the next instructions read from it.
    paths: list[list[str]] = []
    path: list[str] = []
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_GLOBAL":
            path = [step.argval]
            paths.append(path)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            path.append(step.argval)
        elif step.opname != "EXTENDED_ARG":  # EXTENDED_ARG is a prefix of the next one
            path = []

    names = [tuple(path) for path in paths]
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names += code_facts(inner).names_read

    parts = [_describe(getattr(code, part), []) for part in _CODE_PARTS]
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()
    return CodeFacts(digest, list(dict.fromkeys(names)))


def _describe(value: Any, callees: list[FunctionType]) -> object:
    """Return a description of a value by numbers and strings.

    Append the compiled functions that it holds to `callees`.

    Raises:
        TypeError: the value is of a type whose changes would go unnoticed.
    """
    kind = type(value)
    label = f"{kind.__module__}.{kind.__qualname__}"
    if kind in _DESCRIBED_BY_REPR:
        return label, repr(value)
    if name := _library_name(value):
        return name
    if isinstance(value, Dispatcher):
        return label, *_describe_compiled(value, callees)
    if isinstance(value, FunctionType):
        # Numba may compile a registered `overload` in its place, whose code the digest would miss.
        raise TypeError(f"it calls {value!r}, which is no rule; compile it by `rule`")
    if isinstance(value, CodeType):
        return code_facts(value).digest
    if isinstance(value, Enum):
        return label, value.name, repr(value.value)
    if isinstance(value, tuple):
        fields = getattr(kind, "_fields", ())
        return label, fields, [_describe(item, callees) for item in value]
    if kind is frozenset:
        return label, sorted(repr(_describe(item, callees)) for item in value)
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        content = hashlib.sha256(value.tobytes()).hexdigest()
        return label, repr(value.dtype), value.shape, repr(value.flags), content
    if isinstance(value, np.dtype | types.Type):
        return label, repr(value)
    if isinstance(value, EnumType):
        return label, _describe(tuple(value.__members__.values()), callees)
    if isinstance(value, type) and issubclass(value, tuple | BaseException):
        return value.__module__, value.__qualname__, getattr(value, "_fields", ())
    raise TypeError(f"it reads {value!r}, whose changes would go unnoticed; make it an argument")


def _describe_compiled(dispatcher: Any, callees: list[FunctionType]) -> tuple[object, ...]:
    """Return a description of how a function is compiled, and append it to `callees`."""
    function = dispatcher.py_func
    if dispatcher.overloads and function not in first_read:
        raise TypeError(
            f"it calls {function.__qualname__}, which was compiled before for other code, perhaps "
            "with other values; compile it by `rule`, and call kernels first"
        )
    callees.append(function)

    compiler = dispatcher._compiler
    options = [*dispatcher.targetoptions.items(), *compiler.locals.items()]
    # A function with fixed signatures converts its arguments to them.
    signatures = [] if dispatcher._can_compile else dispatcher.nopython_signatures
    return repr(compiler.pipeline_class), sorted(map(repr, [*options, *signatures]))


def _library_name(value: Any) -> str:
    """Return the name of a library's module, function or class, or "" for other values."""
    is_module = isinstance(value, ModuleType)
    module = value.__name__ if is_module else getattr(value, "__module__", None) or ""
    if module.partition(".")[0] not in _LIBRARIES:
        return ""
    if is_module:
        return str(module)
    name = getattr(value, "__name__", "")
    found = getattr(sys.modules.get(module), name, None)
    return f"{module}.{name}" if found is value else ""
