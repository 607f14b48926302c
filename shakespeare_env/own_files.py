"""Imports of users' Python files from any folder, as modules named `own_files.<path>`.

Files that share a name do not clash, and objects that they define can be pickled.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from urllib.parse import quote, unquote_to_bytes

__path__: list[str] = []  # makes this module a package, so that it can have submodules


def load_file(path: Path) -> ModuleType:
    """Import a file and return its module. An exception that the file raises is passed on."""
    # A dot in the path would divide the module's name.
    return import_module(f"{__name__}.{quote(os.fsencode(path.resolve())).replace('.', '%2E')}")


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


# The finder is installed here rather than in `load_file`, because a process that unpickles an
# object of such a file imports this module but never calls `load_file`.
sys.meta_path.append(_Finder())
