"""The entries of a box file, checked as they are read.

Every refusal is a `BoxError` that names file, entry, fault with its value, and remedy.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NoReturn

from shakespeare_env.errors import BoxError

SOURCES = "sources"
"""The table that says what the words of sources mean."""
Kind = Literal["number", "numbers", "text", "ids", "truth", "choice", "pairs"]
Keys = tuple[str | int, ...]
"""The path from a file to one of its entries; tables of a list go by their index."""


@dataclass(frozen=True)
class Wanted:
    """What an entry of a box file must be, as its reader asks for it.

    Attributes:
        kind: "pairs" is a table that may hold any of `choices`, or none.
        words: A description such as "a whole number from 0 to 50".
        choices: The texts that may be chosen, or the keys that pairs may have.
        optional: Whether it may be missing.
    """

    keys: Keys
    kind: Kind
    words: str
    choices: tuple[str, ...] = ()
    optional: bool = False


def ignore_entry(wanted: Wanted) -> None:
    """Ignore an entry, for readers that only want the values."""


@dataclass(frozen=True)
class Entry:
    """A table of a box file.

    Attributes:
        where: Its name in errors, e.g. "[[character]] hamlet"; empty for the whole file.
        prefix: The keys from there to this table, each followed by a dot.
        keys: All keys to it.
        noted: Called with every entry that is asked for.
    """

    path: Path
    where: str
    prefix: str
    data: Mapping[str, object]
    keys: Keys = ()
    noted: Callable[[Wanted], None] = ignore_entry

    @property
    def digest(self) -> str:
        """SHA-256 of its content, without sources."""
        text = json.dumps(without_sources(self.data), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def refuse(self, key: str, fault: str, remedy: str) -> NoReturn:
        """Raise the BoxError for a key, or for the table if the key is empty."""
        keys = f"{self.prefix}{key}".rstrip(".")
        name = ": ".join(part for part in (self.where, keys) if part)
        place = (*self.keys, *key.split(".")) if key else self.keys
        raise BoxError(f"{self.path}: {name}: {fault}; {remedy}", place, fault, remedy)

    def only(self, known: Sequence[str], noun: str = "key") -> None:
        """Refuse unknown keys, suggesting the closest."""
        for key in self.data:
            if key not in known:
                self.refuse(key, f"{key!r} is no {noun}", suggest(key, known))
        if "source" in known and "source" in self.data:
            self.check_source()

    def given(self, known: Sequence[str], noun: str) -> Iterable[str]:
        """The keys of a table that may hold any of some words."""
        words = f"none or several of {', '.join(known)}"
        self.noted(Wanted(self.keys, "pairs", words, tuple(known)))
        self.only(known, noun)
        return self.data

    def numbered(self, low: int, high: int, noun: str, but: Sequence[str] = ()) -> dict[int, str]:
        """The keys, besides `but`, that are whole numbers in a range, without leading zeros."""
        choices = (*map(str, range(low, high + 1)), *but)
        self.noted(Wanted(self.keys, "pairs", f"by {noun}, from {low} to {high}", choices))
        keys = {}
        for key in self.data:
            if key in but:
                continue
            if re.fullmatch("0|[1-9][0-9]{0,5}", key) is None or not low <= int(key) <= high:
                remedy = f"write a whole number from {low} to {high}"
                self.refuse(key, f"{key!r} is no {noun}", remedy)
            keys[int(key)] = key
        return keys

    def check_source(self) -> None:
        """Refuse a source that is neither a text nor a table of texts by entry."""
        for value in _leaves(self.data["source"]):
            if not isinstance(value, str) or not value.strip():
                self.refuse("source", f"{show(value)} is not a text", "write a text between quotes")

    def check_meanings(self) -> None:
        """Refuse a table of sources with anything but a text for each word."""
        for key, value in self.data.items():
            self._text(key, value)

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
        value = self._asked(key, "number", f"a whole number from {low} to {high}")
        return self._whole(key, value, low, high)

    def integers(self, key: str, count: int, low: int, high: int) -> list[int]:
        """A list of such numbers."""
        wanted = f"a list of {count} whole numbers from {low} to {high}"
        values = self._asked(key, "numbers", wanted)
        if not isinstance(values, list) or len(values) != count:
            self.refuse(key, f"{show(values)} is not {wanted}", f"write {wanted}")
        return [self._whole(key, value, low, high) for value in values]

    def text(self, key: str, default: str | None = None) -> str:
        """A non-empty text; required where there is no default."""
        value = self._asked(key, "text", "a text", default=default)
        return self._text(key, value) if key in self.data else str(value)

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of distinct texts; required where there is no default."""
        values: Any = self._asked(key, "ids", "a list of ids", default=default)
        if key not in self.data:
            return tuple(values)
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            self.refuse(key, f"{show(values)} is not a list of ids", 'write e.g. ["a1", "a2"]')
        for value in values:
            if values.count(value) > 1:
                self.refuse(key, f"{value!r} is listed twice", "list it once")
        return tuple(values)

    def identifier(self, key: str) -> str:
        """An id."""
        value = self._text(key, self._asked(key, "text", "a to z, 0 to 9 and _"))
        if re.fullmatch("[a-z0-9_]+", value) is None:
            self.refuse(key, f"{value!r} is not an id", "use only a to z, 0 to 9 and _")
        return value

    def truth(self, key: str, default: bool | None = None) -> bool:
        """True or false; required where there is no default."""
        value = self._asked(key, "truth", "true or false", default=default)
        if not isinstance(value, bool):
            self.refuse(key, f"{show(value)} is not true or false", "write true or false")
        return value

    def choice(self, key: str, known: Sequence[str], noun: str) -> str:
        """A known text."""
        words = f"one of {', '.join(known)}"
        value = self._text(key, self._asked(key, "choice", words, choices=tuple(known)))
        if value not in known:
            self.refuse(key, f"{value!r} is no {noun}", suggest(value, known))
        return value

    def table(self, key: str) -> Entry:
        """The table under a key."""
        value = self.value(key, "a table")
        if not isinstance(value, dict):
            self.refuse(key, f"{show(value)} is not a table", f"write {key} = {{ ... }}")
        prefix = f"{self.prefix}{key}."
        return replace(self, prefix=prefix, data=value, keys=(*self.keys, key))

    def section(self, key: str) -> Entry:
        """A table of the whole file."""
        name = f"[{key}]"
        value = self.data.get(key)
        if value is None:
            self.refuse(name, "missing", f"add the table {name}; the package's box.toml has one")
        if not isinstance(value, dict):
            self.refuse(name, f"{show(value)} is not a table", f"write it under {name}")
        return replace(self, where=name, prefix="", data=value, keys=(key,))

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
            keys = (*self.keys, key, number - 1)
            entries.append(replace(self, where=f"{where}{name}", prefix="", data=value, keys=keys))
        return entries

    def _asked(
        self,
        key: str,
        kind: Kind,
        words: str,
        choices: tuple[str, ...] = (),
        default: object = None,
    ) -> object:
        """Note an entry; its value, or the default of one that may be missing."""
        self.noted(Wanted((*self.keys, key), kind, words, choices, default is not None))
        return default if default is not None and key not in self.data else self.value(key, words)

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            self.refuse(key, f"{show(value)} is not a text", "write a text between quotes")
        return value

    def _whole(self, key: str, value: object, low: int, high: int) -> int:
        remedy = f"write a whole number from {low} to {high}"
        # A TOML boolean is a Python bool, which is an int.
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(key, f"{show(value)} is not a whole number", remedy)
        if not low <= value <= high:
            self.refuse(key, f"{show(value)} is out of range", remedy)
        return value


def without_sources(value: Any) -> Any:
    """Parsed TOML without its sources."""
    if isinstance(value, Mapping):
        facts = (key for key in value if key not in ("source", SOURCES))
        return {key: without_sources(value[key]) for key in facts}
    return [without_sources(item) for item in value] if isinstance(value, list) else value


def _leaves(value: object) -> Iterator[object]:
    """The values in nested tables."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    else:
        yield value


def suggest(word: str, known: Sequence[str]) -> str:
    """The remedy for an unknown word."""
    close = get_close_matches(word, known, n=1)
    choices = f"use one of {', '.join(known)}"
    return f"did you mean {close[0]!r}? {choices}" if close else choices


def show(value: object) -> str:
    """A value as errors quote it."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
