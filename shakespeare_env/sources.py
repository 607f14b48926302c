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
from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import ModuleType

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


def import_digests(*modules: ModuleType) -> list[str]:
    """Return the SHA-256 of the source that modules ran, and of each user's file that they import.

    Only imports in users' own files are followed. Imports inside functions count as well.
    """
    to_read = [module.__spec__ for module in modules]
    sources: dict[str, bytes] = {}
    while to_read:
        spec = to_read.pop()
        if spec is None or spec.name in sources:
            continue
        file = spec.origin if spec.has_location else None
        # The loader in `own_files.py` keeps the source that was run. The file may have changed
        # since.
        source: bytes = getattr(spec.loader, "source", b"")
        if not source and file:
            source = Path(file).read_bytes()
        sources[spec.name] = source
        if file and is_own_file(file):
            to_read += _own_imports(source, spec.parent or "")
    return sorted({hashlib.sha256(source).hexdigest() for source in sources.values()})


def _own_imports(source: bytes, package: str) -> list[ModuleSpec]:
    """Return the users' own modules that a source imports, as far as they are found."""
    names: set[str] = set()
    with suppress(SyntaxError, ValueError, ImportError):  # the file is not Python, or has changed
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = resolve_name("." * node.level + (node.module or ""), package)
                names.add(base)
                names.update(f"{base}.{alias.name}" for alias in node.names)

    found: list[ModuleSpec] = []
    for name in names:
        with suppress(Exception):  # not installed, not a module, or its package fails
            spec = find_spec(name)
            if spec is not None and spec.origin and is_own_file(spec.origin):
                found.append(spec)
    return found


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
