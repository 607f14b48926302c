"""Sources and lists of cards or spaces, changed in the document of a box file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import tomlkit
from tomlkit.items import AoT, Table

from shakespeare_agents.table.box_desk.facts import OTHERS
from shakespeare_env.boxes import at_keys, inline
from shakespeare_env.checks.box_files import Keys


def item_of(keys: Keys) -> Keys:
    """The item of a list that an entry belongs to; () if to none."""
    depth = max((place for place, key in enumerate(keys) if isinstance(key, int)), default=-1)
    return keys[: depth + 1]


def add_item(document: Any, keys: Keys, own: str, source: str) -> None:
    """Put another item at the end of a list: what the last one says under another id."""
    items = at_keys(document, keys)
    said = {**items[-1].unwrap(), "id": own, "source": source}
    if isinstance(items, AoT):
        table = tomlkit.table()
        for key, value in said.items():
            table[key] = inline(value) if isinstance(value, dict) else value
        items.append(table)
    else:
        items.append(inline(said))


def take_away(document: Any, items: Iterable[Keys]) -> None:
    """Take items from their lists."""
    for *keys, number in sorted(items, key=lambda item: item[-1], reverse=True):
        del at_keys(document, tuple(keys))[number]


def before(keys: Keys, taken: Collection[Keys]) -> Keys:
    """The keys of an entry before items were taken away."""
    item = item_of(keys)
    if not item:
        return keys
    number = int(item[-1])
    for other in sorted(int(other[-1]) for other in taken if other[:-1] == item[:-1]):
        number += number >= other
    return (*item[:-1], number, *keys[len(item) :])


def set_source(document: Any, keys: Keys, source: str) -> None:
    """Set the source of one entry and keep those of the others."""
    # The innermost table of a list, or else the section, is where readers look.
    depth = max(len(item_of(keys)), 1)
    owner, key, path = at_keys(document, keys[:depth]), "source", [*map(str, keys[depth:])]
    while path and isinstance(owner.get(key), Table):
        owner, key, path = owner[key], path[0], path[1:]
    owner[key] = inline(_with(owner.get(key), path, source)) if path else source


def _with(said: Any, path: list[str], source: str) -> Any:
    """The sources as before, but for one."""
    if not path:
        return source
    table = dict(said) if isinstance(said, Mapping) else {OTHERS: said} if said else {}
    table[path[0]] = _with(table.get(path[0]), path[1:], source)
    # The rest is read last.
    others = {OTHERS: table.pop(OTHERS)} if OTHERS in table else {}
    return table | others
