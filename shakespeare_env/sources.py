"""Source files: whether a user wrote them, what they import, and digests of their code.

Agents and workers are identified by the files that their code depends on. Compiled code is
identified by functions and values in memory instead; see `compile/digest.py`.
"""

from __future__ import annotations

import ast
import hashlib
import linecache
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from importlib.util import find_spec, resolve_name
from pathlib import Path

PACKAGES = (
    "shakespeare_env",
    "shakespeare_agents",
    "shakespeare_arena",
    "shakespeare_research",
    "shakespeare_table",
    "shakespeare_training",
)
"""This project's packages."""
_LIBRARY_FOLDERS = [Path(sysconfig.get_path(kind)) for kind in ("stdlib", "purelib", "platlib")]


def is_own_file(name: str) -> bool:
    """Return whether a source file is a user's own, neither this project's nor a library's."""
    file = Path(name)
    if {"site-packages", "dist-packages"} & set(file.parts):
        return False
    imported = [sys.modules[package] for package in PACKAGES if package in sys.modules]
    project_folders = [Path(module.__file__ or "").parent for module in imported]
    return not any(map(file.is_relative_to, [*project_folders, *_LIBRARY_FOLDERS]))


def source_digest(place: Path) -> str:
    """Return the SHA-256 of the current text of a file or of a notebook's cell."""
    if place.exists():
        linecache.checkcache(str(place))
    text = "".join(linecache.getlines(str(place)))
    return hashlib.sha256(text.encode()).hexdigest()


def is_same_source(place: Path, other: Path) -> bool:
    """Return whether two places are the same file, or cells of the same notebook.

    The place of a notebook's cell is a made-up path. All cells of a notebook have the same parent
    folder, and no file exists at their places.
    """
    if place.resolve() == other.resolve():
        return True
    return place.parent == other.parent and not place.exists() and not other.exists()


def find_module(name: str) -> ModuleSpec | None:
    """Return where a process that has imported nothing would find a module; None if nowhere."""
    spec: ModuleSpec | None = None
    folders: Sequence[str] | None = None
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        specs = (finder.find_spec(module, folders) for finder in sys.meta_path)
        spec = next((found for found in specs if found is not None), None)
        if spec is None:
            return None
        folders = spec.submodule_search_locations
        if folders is None and module != name:  # a module that is no package contains no others
            return None
    return spec


def imported_sources(module: ModuleSpec) -> dict[str, bytes]:
    """Return the source of a module, and of users' own modules that it imports, by module name.

    Imports count wherever they stand in a file. Modules of the package that the module belongs to
    count even if the package is installed; other installed packages do not.
    """
    package = module.name.partition(".")[0]
    sources: dict[str, bytes] = {}
    left = [module]
    while left:
        spec = left.pop()
        if spec.name in sources or not (spec.has_location and spec.origin):
            continue
        is_of_package = spec.name.partition(".")[0] == package
        if is_of_package or is_own_file(spec.origin):
            sources[spec.name] = Path(spec.origin).read_bytes()
            left += _imports_of(sources[spec.name], spec.parent or "")
    return sources


def edited_since_import(sources: Mapping[str, bytes]) -> list[str]:
    """Return the modules among these that this process has imported from another source.

    Only modules that `own_files` has loaded are known; see `own_files.record_sources`.
    """
    edited = []
    for name, source in sources.items():
        loader = getattr(getattr(sys.modules.get(name), "__spec__", None), "loader", None)
        # Modules whose loader keeps no source count as not edited.
        if getattr(loader, "source", source) != source:
            edited.append(name)
    return edited


def _imports_of(source: bytes, package: str) -> list[ModuleSpec]:
    """Return the modules that a source imports, as far as they are found in files."""
    names: set[str] = set()
    with suppress(SyntaxError, ValueError, ImportError):  # the file is not Python, or has changed
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = resolve_name("." * node.level + (node.module or ""), package)
                names.add(base)
                names.update(f"{base}.{alias.name}" for alias in node.names)

    found = (find_module(name) for name in sorted(names))
    return [spec for spec in found if spec is not None]


def project_digest() -> str:
    """Return the SHA-256 of this project's source files and of the versions of NumPy and Numba."""
    digest = hashlib.sha256(f"{version('numpy')} {version('numba')}".encode())
    for file in _project_files():
        digest.update(file.read_bytes())
    return digest.hexdigest()


def edited_project_file(since: int) -> Path | None:
    """Return a file of this project that was edited since a time in nanoseconds, or None."""
    for file in _project_files():
        # A time in the future comes from another machine's clock and says nothing.
        if since < file.stat().st_mtime_ns <= time.time_ns():
            return file
    return None


def _project_files() -> Iterator[Path]:
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is None:
            continue
        for folder in spec.submodule_search_locations or []:
            yield from sorted(Path(folder).rglob("*.py"))
