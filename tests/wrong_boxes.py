"""Copies of a game's box file with some entries changed."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomlkit

from shakespeare_env.core import registry

Data = dict[str, Any]


def write_box(
    folder: Path, game: str, *edits: str | tuple[str, Any] | Callable[[Data], object]
) -> Path:
    """Write a copy of a game's own box with some edits, and return its path.

    An edit is "a.b = value" or ("a.b", value), which set an entry; "del a.b", which removes one; or
    a function that changes the box's data.
    """
    data = tomllib.loads(registry.own_box(game).read_text(encoding="utf-8"))
    for edit in edits:
        if callable(edit):
            edit(data)
        else:
            _apply(edit, data)
    path = folder / "mine.toml"
    path.write_text(tomlkit.dumps(data), encoding="utf-8")
    return path


def _apply(edit: str | tuple[str, Any], data: Data) -> None:
    if isinstance(edit, str):
        path, _, text = edit.removeprefix("del ").partition("= ")
        value = tomllib.loads(f"value = {text}")["value"] if text else None
    else:
        path, value = edit
    *parents, last = path.strip().split(".")
    entry: Any = data
    for key in parents:
        if isinstance(entry, list):
            entry = next(table for table in entry if table["id"] == key)
        else:
            entry = entry[key]
    if value is None:
        del entry[last]
    else:
        entry[last] = value
