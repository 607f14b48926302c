"""Which files decide what compiled code does: all that it imports, and the boxes these read.

Import statements tell: none can be forgotten, and editing anything else (a drawing, a page)
recompiles nothing.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numba

PACKAGE = Path(__file__).resolve().parent


def functions_within(functions: Iterable[Callable[..., Any]]) -> list[FunctionType]:
    """Functions without their wrappers, each with all that it closes over.

    Raises:
        TypeError: one closes over a value, which no file shows.
    """
    found: list[FunctionType] = []
    waiting = list(functions)
    while waiting:
        function = inspect.unwrap(waiting.pop())
        if not isinstance(function, FunctionType):
            raise TypeError(
                f"{function!r} is closed over by compiled code that is kept on disk, which would "
                "not follow a change of it; make it an argument"
            )
        if function not in found:
            found.append(function)
            waiting += [cell.cell_contents for cell in function.__closure__ or ()]
    return found


def sources_of(modules: Iterable[str]) -> list[Path]:
    """The files that decide what modules hold, sorted, then the boxes in force.

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
        files[module] = path
        waiting += [name for name in _imports(module, path) if name.partition(".")[0] in followed]
    return [*sorted(files.values()), *_boxes(files.values())]


def _imports(module: str, path: Path) -> Iterator[str]:
    """The modules a file may import, also inside functions."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level]
            base = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            for alias in node.names:
                # A name is a module of the package or something that the package itself defines.
                inner = f"{base}.{alias.name}"
                yield inner if file_of(inner) is not None else base


def file_of(module: str) -> Path | None:
    """The file of a module, imported or not; None if it has none."""
    top, *inner = module.split(".")
    for folder in getattr(sys.modules.get(top), "__path__", ()) if inner else ():
        path = Path(folder).resolve().joinpath(*inner)
        for file in (path / "__init__.py", path.with_name(f"{path.name}.py")):
            if file.is_file():
                return file
    own = getattr(sys.modules.get(module), "__file__", None)
    return Path(own).resolve() if own else None


def _boxes(files: Iterable[Path]) -> Iterator[Path]:
    """The boxes in force of the games that files belong to."""
    for folder in sorted({file.parent for file in files}):
        own = folder / "box.toml"
        if own.is_file():
            yield own
            # A game's box can be replaced: SHAKESPEARE_BOX names another file for `shakespeare`.
            other = os.environ.get(f"{folder.name.upper()}_BOX")
            if other and Path(other).is_file():
                yield Path(other)


def digest_of(files: Iterable[Path]) -> str:
    """A hex digest of files' names and contents and of the compiler's version."""
    digest = hashlib.sha256(f"numba {numba.__version__} python {sys.version}".encode())
    for path in files:
        content = path.read_bytes()
        digest.update(f"\n{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:24]
