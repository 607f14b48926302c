"""The shell's completion of agents' names, which imports nothing that it finds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from shakespeare_agents.naming import names
from shakespeare_env.checks.limits import read_regular

_MOST_BYTES = 2**20
"""The most bytes of a file that is searched for names."""


def complete_agent(incomplete: str) -> list[str]:
    """Completions: names, checkpoints, definitions in Python files, and folders on the way."""
    found = [name for name in names() if name.startswith(incomplete)]
    folder, _, begun = incomplete.rpartition("/")
    written = f"{folder}/" if "/" in incomplete else ""
    try:
        paths = sorted(Path(written or ".").iterdir())
        for path in paths:
            if path.name.startswith(begun) and (begun or not path.name.startswith(".")):
                found += _at(path, f"{written}{path.name}")
            elif path.suffix == ".py" and begun.startswith(f"{path.name}:"):
                found += [name for name in _at(path, f"{written}{path.name}") if name > incomplete]
    except (OSError, ValueError):  # no such folder, or no permission
        pass
    return [name for name in found if name.startswith(incomplete)]


def _at(path: Path, written: str) -> Iterator[str]:
    if path.suffix == ".py" and path.is_file():
        for name in _defined(path):
            yield f"{written}:{name}"
    elif (path / "card.json").is_file():
        yield written
    elif path.is_dir():
        yield f"{written}/"


def _defined(path: Path) -> list[str]:
    """The public classes and functions of a file, read but not run."""
    try:
        module = ast.parse(read_regular(path, _MOST_BYTES))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    kinds = (ast.ClassDef, ast.FunctionDef)
    return [n.name for n in module.body if isinstance(n, kinds) and not n.name.startswith("_")]
