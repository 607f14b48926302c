"""The modules that compiled code imports, and the boxes that these loaded.

They are read off import statements: none can be forgotten, and editing anything else (a drawing, a
page) recompiles nothing.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from modulefinder import ModuleFinder
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np

PACKAGE = Path(__file__).resolve().parent
_IMPORT = dis.opmap["IMPORT_NAME"]


Constant: TypeAlias = bool | int | str


def functions_within(functions: Iterable[Callable[..., Any]]) -> list[FunctionType]:
    """Functions without their wrappers, each with all that it closes over.

    Raises:
        TypeError: one closes over something other than functions, numbers and texts.
    """
    return _within(functions)[0]


def constants_within(functions: Iterable[Callable[..., Any]]) -> list[Constant]:
    """The numbers and texts that functions close over; TypeError as of `functions_within`."""
    return _within(functions)[1]


def _within(
    functions: Iterable[Callable[..., Any]],
) -> tuple[list[FunctionType], list[Constant]]:
    found: list[FunctionType] = []
    constants: list[Constant] = []
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


def sources_of(modules: Iterable[str]) -> dict[str, Path]:
    """The files of modules and of their imports, by module.

    Imports are followed inside this package and those of the modules.
    """
    waiting = list(modules)
    followed = {name.partition(".")[0] for name in (__name__, *waiting)}
    files: dict[str, Path] = {}
    while waiting:
        module = waiting.pop()
        path = file_of(module)
        if module in files or path is None:
            continue
        files[module] = path.resolve()
        waiting += [name for name in _imports(module, path) if name.partition(".")[0] in followed]
    return files


def _imports(module: str, path: Path) -> Iterator[str]:
    """The modules that a file may import, at its top or inside a function."""
    package = (module if path.name == "__init__.py" else module.rpartition(".")[0]).split(".")
    for level, names, base in _import_statements(path):
        above = package[: len(package) + 1 - level] if level else []
        origin = ".".join([*above, *([base] if base else [])])
        if not names:
            yield origin
        for name in names:
            # A name is a module of the package or something that the package itself defines.
            inner = f"{origin}.{name}"
            yield inner if file_of(inner) is not None else origin


def _import_statements(path: Path) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Level, names and module of every import; bytecode is read, which is faster than a tree."""
    finder = ModuleFinder()
    waiting = [compile(path.read_bytes(), path, "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        waiting += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        if _IMPORT not in code.co_code:
            continue
        for kind, found in finder.scan_opcodes(code):
            if kind == "absolute_import":
                yield 0, found[0] or (), found[1]
            elif kind == "relative_import":
                yield found[0], found[1] or (), found[2]


def file_of(module: str) -> Path | None:
    """The file of a module, imported or not; None if it has none."""
    top, *inner = module.split(".")
    for folder in getattr(sys.modules.get(top), "__path__", ()) if inner else ():
        path = os.path.join(folder, *inner)
        for file in (os.path.join(path, "__init__.py"), f"{path}.py"):
            if os.path.isfile(file):
                return Path(file)
    own = getattr(sys.modules.get(module), "__file__", None)
    return Path(own) if own else None


def boxes_in(modules: Iterable[str]) -> list[str]:
    """Sorted digests of the boxes that modules have loaded, each under the name `BOX`.

    The files, and the environment that names them, may have changed since.
    """
    boxes = (getattr(sys.modules.get(module), "BOX", None) for module in modules)
    return sorted({box.digest for box in boxes if box is not None})


def digest_of(files: Iterable[Path]) -> str:
    """A hex digest of files' names and contents and of the compiler's version."""
    compiler = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    digest = hashlib.sha256(repr(compiler).encode())
    for path in sorted(set(files)):
        content = path.read_bytes()
        digest.update(f"\n{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
