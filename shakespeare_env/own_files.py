"""Imports of users' Python files from any folder, as modules named `own_files.<path>`.

Files that share a name do not clash, and objects that they define can be pickled.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from shakespeare_env.sources import edited_since_import, is_own_file

__path__: list[str] = []  # this module has submodules, but no folder holds them


def load_file(path: Path) -> ModuleType:
    """Import a file and return its module. An exception that the file raises is passed on."""
    return import_module(module_name(path))


def module_name(path: Path) -> str:
    """Return the name of the module that stands for a file."""
    # A dot in the path would divide the module's name.
    return f"{__name__}.{quote(os.fsencode(path.resolve())).replace('.', '%2E')}"


def spec_of_file(path: Path) -> ModuleSpec | None:
    """Return the spec of the module in a file, which is not run; None if there is no file."""
    return _Finder().find_spec(module_name(path), None)


def load_file_anew(path: Path) -> ModuleType:
    """Return the module in a file, which is run again if it was edited since it was run."""
    module = load_file(path)
    if module.__spec__ is not None and edited_since_import({module.__name__: path.read_bytes()}):
        del sys.modules[module.__name__]
        module = load_file(path)
    return module


def record_sources() -> None:
    """Record the source of each of users' own modules that this process imports from now on.

    `sources.edited_since_import` then knows whether a file is still what was imported.
    """
    if not any(isinstance(finder, _RecordingFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _RecordingFinder())


class _Loader(SourceFileLoader):
    """A loader that runs the file as it is now, never an older version from a `__pycache__`."""

    source = b""  # of the file when it was run

    def get_code(self, fullname: str) -> CodeType:
        self.source = self.get_data(self.path)
        code: CodeType = self.source_to_code(self.source, self.path)
        return code


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        package, _, quoted = fullname.rpartition(".")
        file = Path(os.fsdecode(unquote_to_bytes(quoted)))
        if package != __name__ or not (file.is_absolute() and file.is_file()):
            return None
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, str(file)))


class _RecordingFinder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or type(spec.loader) is not SourceFileLoader:
            return None
        if is_own_file(spec.origin):
            spec.loader = _Loader(fullname, spec.origin)
            return spec
        return None


# The finder is installed here rather than in `load_file`, because another process imports this
# module before it unpickles objects of a file.
sys.meta_path.append(_Finder())
