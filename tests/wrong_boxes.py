"""Copies of a game's box file with entries changed."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shakespeare_env.core import registry

Data = dict[str, Any]


def write_box(folder: Path, game: str, *edits: str | Callable[[Data], object]) -> Path:
    """A copy of a game's own box with these edits: "a.b = value" sets, "del a.b" removes."""
    data = copy.deepcopy(tomllib.loads(registry.own_box(game).read_text(encoding="utf-8")))
    for edit in edits:
        if isinstance(edit, str):
            _apply(edit, data)
        else:
            edit(data)
    path = folder / "mine.toml"
    lines = [f"{json.dumps(key)} = {_in_toml(value)}\n" for key, value in data.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _apply(edit: str, data: Data) -> None:
    where, _, text = edit.removeprefix("del ").partition("= ")
    *path, last = where.strip().split(".")
    entry: Any = data
    for key in path:
        is_list = isinstance(entry, list)
        entry = next(one for one in entry if one["id"] == key) if is_list else entry[key]
    if edit.startswith("del "):
        del entry[last]
    else:
        entry[last] = tomllib.loads(f"value = {text}")["value"]


def _in_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_in_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_in_toml, value)) + "]"
    return json.dumps(value)
