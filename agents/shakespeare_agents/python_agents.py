"""Importing what `my.py:NAME` and `package.module:NAME` name, and noticing changes."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from shakespeare_agents.naming import PythonName
from shakespeare_env.agent_faults import own_steps
from shakespeare_env.own_files import load_file
from shakespeare_env.values import meant

_MOST_NAMED = 10
_digests: dict[PythonName, str] = {}
"""The digests of the sources that this process has loaded."""


def load(name: PythonName) -> Any:
    """The object that a name means, imported with the current folder first on the path.

    Raises:
        ValueError: there is no such file, or nothing of that name in it.
        ImportError: it cannot be imported; the message says where it failed.
    """
    module = _module(name)
    found: Any = module
    for part in name.attribute.split("."):
        if not hasattr(found, part):
            raise ValueError(_missing(name, module))
        found = getattr(found, part)
    defined_in = sys.modules.get(getattr(found, "__module__", None) or module.__name__, module)
    _digests[name] = _joined(_source_digest(one) for one in (module, defined_in))
    return found


def loaded_digest(name: PythonName) -> str:
    """SHA-256 of the source that a name was loaded from; empty if it was not, or from no file.

    It covers the module named and the one that defines the object, not what these import.
    """
    return _digests.get(name, "")


def fault_in_words(fault: BaseException) -> str:
    """An exception with its place in their code: `my.py, line 3: KeyError: 'x'`."""
    if isinstance(fault, SyntaxError):
        return f"{fault.filename}, line {fault.lineno}: {type(fault).__name__}: {fault.msg}"
    steps = own_steps(fault)
    place = f"{steps[-1].filename}, line {steps[-1].lineno}: " if steps else ""
    return f"{place}{type(fault).__name__}: {fault}"


def _module(name: PythonName) -> ModuleType:
    is_file = name.source.endswith(".py")
    if is_file and not _is_file(name.source):
        raise ValueError(f"there is no file {name.source!r}; give the path of one that is there")
    if not name.attribute:
        raise ValueError(f"{name.source} is a file; name an agent in it: {name.source}:NAME")
    try:
        with _current_folder_on_path():
            if is_file:
                return load_file(Path(name.source))
            return importlib.import_module(name.source)
    except (Exception, SystemExit) as fault:
        raise ImportError(f"{name} cannot be imported: {_remedied(name, fault)}") from fault


def _remedied(name: PythonName, fault: BaseException) -> str:
    words = fault_in_words(fault)
    missing = getattr(fault, "name", None) if isinstance(fault, ModuleNotFoundError) else None
    if missing is None:
        return words
    if name.source == missing or name.source.startswith(f"{missing}."):
        return f"there is no module {missing!r}, neither in this folder nor installed"
    beside = Path(name.source).parent / f"{missing}.py"
    if name.source.endswith(".py") and beside.is_file():
        return f"{words}; run the command in the folder that holds {beside.name}"
    return f"{words}; it is not installed"


def _missing(name: PythonName, module: ModuleType) -> str:
    known = [
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    listed = ", ".join(known[:_MOST_NAMED]) or "nothing that could play"
    if (more := len(known) - _MOST_NAMED) > 0:
        listed += f" and {more} more"
    question = meant(name.attribute, known)
    return f"{name.source} has no {name.attribute!r}{question}; it defines {listed}"


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # not a path
        return False


@contextmanager
def _current_folder_on_path() -> Iterator[None]:
    """Put the current folder on the path, as `python -m` does, for the length of a block."""
    try:
        folder = os.getcwd()
    except OSError:  # the folder has been deleted
        yield
        return
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)


def _source_digest(module: ModuleType) -> str:
    run = getattr(module.__loader__, "digest", "")
    if run or not getattr(module, "__file__", None):
        return str(run)
    try:
        return hashlib.sha256(Path(module.__file__ or "").read_bytes()).hexdigest()
    except OSError:
        return ""


def _joined(digests: Iterable[str]) -> str:
    found = sorted({*digests} - {""})
    return "".join(found) if len(found) < 2 else hashlib.sha256("".join(found).encode()).hexdigest()
