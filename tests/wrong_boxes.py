"""Copies of a game's box file with entries changed, and what is said of them."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shakespeare_env.errors import BoxError

Data = dict[str, Any]


def cases(lines: str) -> list[Any]:
    """Pairs of lines: what is edited, then what the message says of it.

    "a.b = value" sets, "del a.b" removes, "a.b += value" adds to a list; " & " parts several
    edits.  In a message " ..." stands for words left out.
    """
    pairs = [line for line in lines.splitlines() if line]
    return [
        pytest.param(edit.split(" & "), said.strip(), id=edit)
        for edit, said in zip(pairs[::2], pairs[1::2], strict=True)
    ]


def write_box(folder: Path, bundled: Path, *edits: str | Callable[[Data], object]) -> Path:
    """A copy of a box file with these edits."""
    data = copy.deepcopy(tomllib.loads(bundled.read_text(encoding="utf-8")))
    for edit in edits:
        if isinstance(edit, str):
            _apply(edit, data)
        else:
            edit(data)
    path = folder / "mine.toml"
    lines = [f"{json.dumps(key)} = {_in_toml(value)}\n" for key, value in data.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def assert_refused(load_box: Callable[[Path], object], path: Path, said: str) -> BoxError:
    """The file is refused in these words, after its name."""
    with pytest.raises(BoxError) as caught:
        load_box(path)
    pattern = re.escape(f"{path}: {said}").replace(re.escape(" ..."), ".*")
    assert re.fullmatch(pattern, str(caught.value)), caught.value
    return caught.value


def _apply(edit: str, data: Data) -> None:
    where, _, text = edit.removeprefix("del ").partition("= ")
    *path, last = where.rstrip(" +").split(".")
    entry: Any = data
    for key in path:
        entry = entry[_place(entry, key)]
    if edit.startswith("del "):
        del entry[_place(entry, last)]
    elif where.endswith("+"):
        entry[last].append(tomllib.loads(f"value = {text}")["value"])
    else:
        entry[last] = tomllib.loads(f"value = {text}")["value"]


def _place(data: Any, key: str) -> Any:
    """The index of the table with an id in a list of tables; a key of a table is its own place."""
    if isinstance(data, list):
        return next(place for place, table in enumerate(data) if table["id"] == key)
    return key


def _in_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_in_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_in_toml, value)) + "]"
    return json.dumps(value)
