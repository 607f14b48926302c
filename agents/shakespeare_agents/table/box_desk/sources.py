"""Where the values of a box come from, as its file says under `source`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.items import Table

from shakespeare_agents.table.box_desk.written import value_at
from shakespeare_env.box_entries import SOURCES, Keys

OTHERS = "others"
"""The key for all that a source does not name."""


def source_of(data: Mapping[str, Any], keys: Keys) -> str:
    """What a file says of an entry's source, "" if nothing."""
    table: Any = data
    found = ""
    for depth, key in enumerate(keys):
        if isinstance(table, Mapping) and "source" in table:
            found = _of(table["source"], keys[depth:]) or found
        table = value_at(table, (key,))
    return found


def _of(source: object, keys: Keys) -> str:
    found = ""
    for key in keys:
        if not isinstance(source, Mapping):
            break
        found = _text(source.get(OTHERS)) or found
        source = source.get(str(key))
    return _text(source) or found


def _text(value: object) -> str:
    return str(value) if isinstance(value, str) else ""


def set_source(data: MutableMapping[str, Any], keys: Keys, source: str) -> None:
    """Set the source of one entry and keep those of the others."""
    # The innermost table of a list, or else the section, is where readers look.
    depth = max((place for place, key in enumerate(keys) if isinstance(key, int)), default=0)
    owner: Any = data
    for key in keys[: depth + 1]:
        owner = owner[key]
    _set(owner, "source", list(map(str, keys[depth + 1 :])), source)


def _set(owner: Any, key: str, path: list[str], source: str) -> None:
    value = owner.get(key)
    if isinstance(value, Table) and path:
        _set(value, path[0], path[1:], source)
    else:
        owner[key] = inline(_with(value, path, source)) if path else source


def _with(said: Any, path: list[str], source: str) -> Any:
    """The sources as before, but for one."""
    if not path:
        return source
    table = dict(said) if isinstance(said, Mapping) else {OTHERS: said} if said else {}
    table[path[0]] = _with(table.get(path[0]), path[1:], source)
    # The rest is read last.
    others = {OTHERS: table.pop(OTHERS)} if OTHERS in table else {}
    return table | others


def inline(table: Mapping[str, Any]) -> Any:
    """A table in one line, spaced as in the package's own boxes; keys are plain words."""
    inner = ", ".join(
        f"{key} = {inline(value).as_string() if isinstance(value, Mapping) else _item(value)}"
        for key, value in table.items()
    )
    # With the end of its line, which belongs to it.
    return tomlkit.parse(f"table = {{ {inner} }}\n" if inner else "table = {}\n")["table"]


def _item(value: Any) -> str:
    return str(tomlkit.item(value).as_string())


def meanings_of(text: str) -> dict[str, str]:
    """What a box file says of the words of its sources."""
    said = tomllib.loads(text).get(SOURCES, {})
    return {str(word): str(meaning) for word, meaning in said.items()}


def kind_of(source: str) -> str:
    """The word before the remark: "reconstructed" of "reconstructed: in proportion"."""
    return source.partition(":")[0].strip()
