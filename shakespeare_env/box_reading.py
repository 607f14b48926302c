"""Reading a box file, the printed facts of a game.

Every refusal is a `BoxError` that names file, entry, fault with its value, and remedy.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from shakespeare_env.errors import BoxError

_MISSING = object()


@dataclass(frozen=True)
class Entry:
    """A table of a box file.

    Attributes:
        where: Its name in errors, e.g. "[[character]] hamlet"; empty for the whole file.
        prefix: The keys from there to this table, each followed by a dot.
    """

    path: Path
    where: str
    prefix: str
    data: Mapping[str, object]

    @property
    def digest(self) -> str:
        """SHA-256 of what it says, without sources."""
        text = json.dumps(_without_sources(self.data), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def refuse(self, key: str, fault: str, remedy: str) -> NoReturn:
        """Raise the BoxError for a key, or for the table if the key is empty."""
        keys = f"{self.prefix}{key}".rstrip(".")
        name = ": ".join(part for part in (self.where, keys) if part)
        raise BoxError(f"{self.path}: {name}: {fault}; {remedy}")

    def only(self, known: Sequence[str], noun: str = "key") -> None:
        """Refuse unknown keys, suggesting the closest."""
        for key in self.data:
            if key not in known:
                self.refuse(key, f"{key!r} is no {noun}", suggest(key, known))
        if "source" in known and "source" in self.data:
            self.text("source")

    def without(self, keys: Iterable[str], reason: str) -> None:
        """Refuse keys that such a table cannot have."""
        for key in keys:
            if key in self.data:
                self.refuse(key, f"{show(self.data[key])}: {reason}", f"remove {key}")

    def value(self, key: str, wanted: str) -> object:
        """A required key's value; the remedy says what is wanted."""
        if key not in self.data:
            self.refuse(key, "missing", f"add {key} ({wanted})")
        return self.data[key]

    def integer(self, key: str, low: int, high: int) -> int:
        """A whole number in a range."""
        wanted = f"a whole number from {low} to {high}"
        return self._whole(key, self.value(key, wanted), low, high)

    def integers(self, key: str, count: int, low: int, high: int) -> list[int]:
        """A list of such numbers."""
        wanted = f"a list of {count} whole numbers from {low} to {high}"
        values = self.value(key, wanted)
        if not isinstance(values, list) or len(values) != count:
            self.refuse(key, f"{show(values)} is not {wanted}", f"write {wanted}")
        return [self._whole(key, value, low, high) for value in values]

    def number(self, key: str, low: int, high: int, noun: str) -> int:
        """The key itself as such a number, without leading zeros."""
        if re.fullmatch("0|[1-9][0-9]{0,5}", key) is None or not low <= int(key) <= high:
            remedy = f"write a whole number from {low} to {high}"
            self.refuse(key, f"{key!r} is no {noun}", remedy)
        return int(key)

    def text(self, key: str) -> str:
        """A non-empty text."""
        value = self.value(key, "a text")
        if not isinstance(value, str) or not value.strip():
            self.refuse(key, f"{show(value)} is not a text", "write a text between quotes")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of distinct texts."""
        values = self.value(key, "a list of ids")
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            self.refuse(key, f"{show(values)} is not a list of ids", 'write e.g. ["a1", "a2"]')
        for value in values:
            if values.count(value) > 1:
                self.refuse(key, f"{value!r} is listed twice", "list it once")
        return tuple(values)

    def identifier(self, key: str) -> str:
        """An id."""
        value = self.text(key)
        if re.fullmatch("[a-z0-9_]+", value) is None:
            self.refuse(key, f"{value!r} is not an id", "use only a to z, 0 to 9 and _")
        return value

    def truth(self, key: str) -> bool:
        """True or false."""
        value = self.value(key, "true or false")
        if not isinstance(value, bool):
            self.refuse(key, f"{show(value)} is not true or false", "write true or false")
        return value

    def choice(self, key: str, known: Sequence[str], noun: str) -> str:
        """A known text."""
        value = self.text(key)
        if value not in known:
            self.refuse(key, f"{value!r} is no {noun}", suggest(value, known))
        return value

    def table(self, key: str) -> Entry:
        """The table under a key."""
        value = self.value(key, "a table")
        if not isinstance(value, dict):
            self.refuse(key, f"{show(value)} is not a table", f"write {key} = {{ ... }}")
        return Entry(self.path, self.where, f"{self.prefix}{key}.", value)

    def section(self, key: str) -> Entry:
        """A table of the whole file."""
        name = f"[{key}]"
        value = self.data.get(key)
        if value is None:
            self.refuse(name, "missing", f"add the table {name}; the package's box.toml has one")
        if not isinstance(value, dict):
            self.refuse(name, f"{show(value)} is not a table", f"write it under {name}")
        return Entry(self.path, name, "", value)

    def tables(self, key: str, where: str) -> list[Entry]:
        """A list of tables; errors name each by its id, or else its number."""
        values = self.value(key, "a list of tables")
        if not isinstance(values, list):
            self.refuse(key, f"{show(values)} is not a list of tables", "write one table for each")
        entries = []
        for number, value in enumerate(values, start=1):
            if not isinstance(value, dict):
                self.refuse(key, f"{show(value)} is not a table", "write one table for each")
            own = value.get("id")
            name = own if isinstance(own, str) and own.strip() else f"number {number}"
            entries.append(Entry(self.path, f"{where}{name}", "", value))
        return entries

    def _whole(self, key: str, value: object, low: int, high: int) -> int:
        remedy = f"write a whole number from {low} to {high}"
        # A TOML boolean is a Python bool, which is an int.
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(key, f"{show(value)} is not a whole number", remedy)
        if not low <= value <= high:
            self.refuse(key, f"{show(value)} is out of range", remedy)
        return value


def read_box(
    package: Path, variable: str, path: Path | None = None, later: Iterable[str] = ()
) -> Entry:
    """A whole box file, or the BoxError if it cannot be read or is not TOML.

    Args:
        package: The game's folder, which holds a `box.toml`.
        variable: The environment variable that names another file.
        path: Overrides both.
        later: Tables that older files lack, taken from the package's own.
    """
    if path is None:
        path = Path(os.environ.get(variable) or package / "box.toml")
    data = _parsed(path, f"give the path of a box file, or unset {variable}")
    if any(name not in data for name in later):
        own = _parsed(package / "box.toml", "install the package again")
        data = {**{name: own[name] for name in later}, **data}
    return Entry(path, "", "", data)


def facts_digest(package: Path, path: Path) -> str:
    """SHA-256 of a box file but for comments and sources; the package's tables fill gaps."""
    own = _parsed(package / "box.toml", "install the package again")
    facts = {**own, **_parsed(path, "give the path of a box file")}
    return Entry(path, "", "", facts).digest


def differing_facts(package: Path, path: Path) -> list[str]:
    """The entries of a box file that differ from the package's own: `acts.length`."""
    own = dict(_entries(_without_sources(_parsed(package / "box.toml", "install it again"))))
    given = dict(_entries(_without_sources(_parsed(path, "give the path of a box file"))))
    added = {name.partition(".")[0] for name in own} - {name.partition(".")[0] for name in given}
    later = {name for name in own if name.partition(".")[0] in added}
    names = dict.fromkeys([*own, *given])
    return [n for n in names if n not in later and own.get(n, _MISSING) != given.get(n, _MISSING)]


def _entries(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every fact under its name; tables of a list go by their ids, or else numbers."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _entries(item, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        for number, item in enumerate(value, 1):
            yield from _entries(item, f"{name}.{item.get('id', number)}")
    else:
        yield name, value


def _parsed(path: Path, remedy: str) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoxError(f"{path}: cannot be read ({error.strerror}); {remedy}") from error
    except ValueError as error:
        remedy = "correct it, or start again from the package's box.toml"
        raise BoxError(f"{path}: not a TOML file ({error}); {remedy}") from error


def _without_sources(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_sources(item) for key, item in value.items() if key != "source"}
    return [_without_sources(item) for item in value] if isinstance(value, list) else value


def suggest(word: str, known: Sequence[str]) -> str:
    """The remedy for an unknown word."""
    close = get_close_matches(word, known, n=1)
    choices = f"use one of {', '.join(known)}"
    return f"did you mean {close[0]!r}? {choices}" if close else choices


def show(value: object) -> str:
    """A value as errors quote it."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
