"""Python objects named `my.py:NAME` or `package.module:NAME`, and the faults of users' code."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from shakespeare_env.checks.values import did_you_mean
from shakespeare_env.errors import own_frames
from shakespeare_env.own_files import load_file_anew, spec_of_file
from shakespeare_env.sources import find_module, imported_sources


class PythonName(NamedTuple):
    """An object in Python code, written `source:attribute`."""

    source: str  # the path of a `.py` file, or the name of a module
    attribute: str  # the object's name, which may contain dots; empty if only a file was named

    def __str__(self) -> str:
        return ":".join(self)

    @property
    def is_in_file(self) -> bool:
        """Whether the source is a file rather than a module."""
        return self.source.endswith(".py")


def load(name: PythonName) -> Any:
    """Import the object that a name refers to, with the current folder first on the path.

    Raises:
        ValueError: there is no such file or object.
        ImportError: the source cannot be imported. The message says where it fails.
    """
    module = module_of(name)
    try:
        return attrgetter(name.attribute)(module)
    except AttributeError:
        question = did_you_mean(name.attribute, vars(module))
        raise ValueError(f"there is no {name} in {name.source}{question}") from None


def module_of(name: PythonName) -> ModuleType:
    """Import the module in which a name is looked up. Raises the errors of `load`."""
    if name.is_in_file and not os.path.isfile(name.source):
        raise ValueError(f"there is no file {name.source!r}; give the path of an existing file")
    if not name.attribute:
        raise ValueError(f"{name.source} is a file; name an agent in it: {name.source}:NAME")
    try:
        with _current_folder_on_path():
            if name.is_in_file:
                return load_file_anew(Path(name.source))
            return importlib.import_module(name.source)
    except (Exception, SystemExit) as fault:
        raise ImportError(f"{name} cannot be imported: {fault_in_words(fault)}") from fault


def sources_of(name: PythonName) -> dict[str, bytes]:
    """Return the sources on the disk that decide what a name stands for, by module.

    They are the sources of its module and of the users' own modules that it imports (see
    `imported_sources`). Nothing is imported.
    """
    with _current_folder_on_path():
        found = spec_of_file(Path(name.source)) if name.is_in_file else find_module(name.source)
        return {} if found is None else imported_sources(found)


@contextmanager
def _current_folder_on_path() -> Iterator[None]:
    folder = os.getcwd()
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)


def fault_in_words(fault: BaseException) -> str:
    """Describe an exception with its place in users' code: `my.py, line 3: KeyError: 'x'`."""
    if isinstance(fault, SyntaxError):
        return f"{fault.filename}, line {fault.lineno}: {type(fault).__name__}: {fault.msg}"
    frames = own_frames(fault)
    place = f"{frames[-1].filename}, line {frames[-1].lineno}: " if frames else ""
    return f"{place}{type(fault).__name__}: {fault}"
