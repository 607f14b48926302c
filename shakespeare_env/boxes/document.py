"""A box file as a document whose entries change and whose layout and comments stay."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tomlkit

from shakespeare_env.checks.box_entries import Keys

MISSING: Any = object()
"""The value of an entry that is not there."""


def at_keys(document: Any, keys: Keys) -> Any:
    """What is there; KeyError or IndexError if nothing is."""
    for key in keys:
        document = document[key]
    return document


def put_at(document: Any, keys: Keys, value: Any) -> None:
    """Give an entry a value; `MISSING` removes it."""
    table, last = at_keys(document, keys[:-1]), keys[-1]
    if value is MISSING:
        table.pop(last, None)
    else:
        table[last] = inline(value) if isinstance(value, dict) else value


def inline(table: Mapping[str, Any]) -> Any:
    """A table in one line, spaced as in the package's own boxes; keys are plain words."""
    inner = ", ".join(f"{key} = {_item(value).as_string()}" for key, value in table.items())
    # With the end of its line, which belongs to it.
    return tomlkit.parse(f"table = {{ {inner} }}\n" if inner else "table = {}\n")["table"]


def _item(value: Any) -> Any:
    return inline(value) if isinstance(value, Mapping) else tomlkit.item(value)


@contextmanager
def as_file(text: str) -> Iterator[Path]:
    """A temporary file that holds a box, since boxes are read from files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "box.toml")
        path.write_text(text, encoding="utf-8")
        yield path
