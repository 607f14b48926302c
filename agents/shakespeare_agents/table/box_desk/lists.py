"""Lists of cards or spaces in a box file: added to, and taken from."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import tomlkit
from tomlkit.items import AoT

from shakespeare_agents.table.box_desk.sources import inline
from shakespeare_env.box_entries import Keys


def item_of(keys: Keys) -> Keys:
    """The item of a list that an entry belongs to; () if to none."""
    depth = max((place for place, key in enumerate(keys) if isinstance(key, int)), default=-1)
    return keys[: depth + 1]


def add(document: Any, keys: Keys, own: str, source: str) -> None:
    """Put another item at the end of a list: what the last one says under another id."""
    items = _at(document, keys)
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
        del _at(document, tuple(keys))[number]


def before(keys: Keys, taken: Collection[Keys]) -> Keys:
    """The keys of an entry before items were taken away."""
    item = item_of(keys)
    if not item:
        return keys
    number = int(item[-1])
    for other in sorted(int(other[-1]) for other in taken if other[:-1] == item[:-1]):
        number += number >= other
    return (*item[:-1], number, *keys[len(item) :])


def _at(document: Any, keys: Keys) -> Any:
    for key in keys:
        document = document[key]
    return document
