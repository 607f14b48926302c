"""The entries of a box file in order: name, value, permitted values, source."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from shakespeare_env.checks.box_entries import SOURCES, Keys, Kind, Wanted

from shakespeare_env.boxes import MISSING
from shakespeare_env.core import registry

OTHERS = "others"
"""The key for all that a source does not name."""
_LONGEST = 400
"""The most characters in a field."""
_LAST = 10**6


class FieldError(ValueError):
    """What somebody wrote into a field cannot be read at all."""


@dataclass(frozen=True)
class Fact:
    """An entry that an owner may change.

    Attributes:
        wanted: What it must be.
        value: What it is, `MISSING` where it is not there.
        bundled: What it is in the package's own box.
        source: Where it comes from, in the file's words.
        label: What it is called, below `heading`.
        heading: The title of its part of the section, "" if there is none.
        section: The section of the file.
    """

    wanted: Wanted
    value: Any
    bundled: Any
    source: str
    label: str
    heading: str
    section: str

    @property
    def name(self) -> str:
        """Its keys in one word."""
        return name_of(self.wanted.keys)

    @property
    def text(self) -> str:
        """Its value as a field shows it."""
        return written(self.value)

    @property
    def bundled_text(self) -> str:
        """The package's value as a field shows it."""
        return written(self.bundled)

    @property
    def differs(self) -> bool:
        """Whether the package's own box says something else."""
        return bool(self.value != self.bundled)

    @property
    def kind(self) -> str:
        """The word for its source: "reconstructed" of "reconstructed: in proportion"."""
        return self.source.partition(":")[0].strip()


def name_of(keys: Keys) -> str:
    """Keys in one word."""
    return ".".join(map(str, keys))


def bundled_box(game: str) -> str:
    """The text of the package's own box."""
    return (registry.folder(game) / "box.toml").read_text(encoding="utf-8")


def facts_of(game: str, data: Mapping[str, Any], asked: Sequence[Wanted]) -> list[Fact]:
    """The entries of a parsed file in its order.

    Args:
        game: Its name.
        data: The file.
        asked: What the game's reader asks of such files.
    """
    words = registry.box_words(game)
    own = tomllib.loads(bundled_box(game))
    entries = [wanted for wanted in _entries(asked) if wanted.keys[-1] != "id"]
    entries.sort(key=lambda wanted: _place(data, wanted.keys))
    return [
        Fact(
            wanted=wanted,
            value=value_at(data, wanted.keys),
            bundled=_at_ids(own, data, wanted.keys),
            source=source_of(data, wanted.keys),
            label=_called(words, data, wanted.keys),
            # The innermost table, unless it is the section.
            heading=_called(words, data, wanted.keys[:-1]) if len(wanted.keys) > 2 else "",
            section=_called(words, data, wanted.keys[:1]),
        )
        for wanted in entries
    ]


def missing_from(game: str, data: Mapping[str, Any]) -> list[str]:
    """What the package's own box has in lists, and this one has not, by section and name."""
    words = registry.box_words(game)
    own = tomllib.loads(bundled_box(game))
    lists = [tuple(pattern.split(".")[:-1]) for pattern in words if pattern.endswith(".*")]
    missing = []
    for keys in lists:
        items, kept = value_at(own, keys), value_at(data, keys)
        if isinstance(items, list) and isinstance(kept, list):
            ids = [item.get("id") for item in kept]
            for number, item in enumerate(items):
                if item.get("id") not in ids:
                    name = _called(words, own, (*keys, number))
                    missing.append(f"{_called(words, own, keys[:1])}: {name}")
    return missing


def sections_of(facts: Sequence[Fact]) -> list[tuple[str, list[tuple[str, list[Fact]]]]]:
    """Facts by section, and there by heading."""
    return [
        (
            section,
            [(heading, list(own)) for heading, own in groupby(group, lambda fact: fact.heading)],
        )
        for section, group in groupby(facts, lambda fact: fact.section)
    ]


def _entries(asked: Sequence[Wanted]) -> list[Wanted]:
    """The entries with a field of their own: no pairs of another entry, no tables of pairs."""
    wanted = {entry.keys: entry for entry in asked}
    pairs = {keys for keys, entry in wanted.items() if entry.kind == "pairs"}
    tables = {keys[:-1]: wanted[keys] for keys in pairs if keys[:-1] in pairs}
    fields = {}
    for keys, entry in wanted.items():
        if keys in tables:
            for choice in entry.choices:
                if choice != "source":
                    fields[*keys, choice] = replace(
                        tables[keys], keys=(*keys, choice), optional=True
                    )
        elif keys[:-1] not in pairs:
            fields[keys] = entry
    return list(fields.values())


def _place(data: Any, keys: Keys) -> tuple[int, ...]:
    """The place of keys in a file; absent keys come after their siblings."""
    place = []
    for key in keys:
        if isinstance(key, int):
            place.append(key)
        elif key.isdecimal():
            place.append(int(key))
        else:
            known = list(data) if isinstance(data, Mapping) else []
            place.append(known.index(key) if key in known else _LAST)
        data = value_at(data, (key,))
    return tuple(place)


def _at_ids(own: Any, data: Any, keys: Keys) -> Any:
    """The value of the package's own box, whose tables of lists are found by their ids."""
    for key in keys:
        data = value_at(data, (key,))
        if isinstance(key, int) and isinstance(own, list):
            ids = [item.get("id") for item in own]
            if data.get("id") not in ids:
                return MISSING
            key = ids.index(data.get("id"))
        own = value_at(own, (key,))
    return own


def _called(words: Mapping[str, str], data: Mapping[str, Any], keys: Keys) -> str:
    """What keys are called; "" if nothing."""
    for pattern, text in words.items():
        parts = pattern.split(".")
        if len(parts) == len(keys) and all(
            part in ("*", str(key)) for part, key in zip(parts, keys, strict=True)
        ):
            filling = [
                _name(data, keys[: place + 1]) for place, part in enumerate(parts) if part == "*"
            ]
            return text.format(*filling)
    return ""


def _name(data: Mapping[str, Any], keys: Keys) -> str:
    if isinstance(keys[-1], int):
        item = value_at(data, keys)
        return str(item.get("name") or item.get("id") or keys[-1] + 1)
    return keys[-1]


def value_at(data: Any, keys: Keys) -> Any:
    """What is there, or `MISSING`."""
    for key in keys:
        if isinstance(data, Mapping):
            data = data.get(str(key), MISSING)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return MISSING
    return data


def written(value: object) -> str:
    """A value of TOML as a field shows it."""
    if value is MISSING:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(written, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} = {written(item)}" for key, item in value.items())
    return str(value)


def read_value(kind: Kind, text: str) -> Any:
    """The value that a field holds, `MISSING` for an empty one.

    What is no number stays a text: the box's reader knows best what to say of it.

    Raises:
        FieldError: too long, or no pairs.
    """
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        raise FieldError(f"{len(text)} characters are too many; write {_LONGEST} at most")
    if kind == "pairs":
        return _pairs(text)
    if not text:
        return MISSING
    if kind in ("numbers", "ids"):
        parts = [part.strip() for part in text.split(",")]
        return parts if kind == "ids" else [_number(part) for part in parts]
    if kind == "number":
        return _number(text)
    if kind == "truth":
        return {"true": True, "false": False}.get(text, text)
    return text


def _pairs(text: str) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and key and value) or re.fullmatch(r"\w+", key, re.ASCII) is None:
            raise FieldError(f"{part!r} is no pair; write name = number, parted by commas")
        if key in pairs:
            raise FieldError(f"{key} is there twice; write it once")
        pairs[key] = _number(value)
    return pairs


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch("[+-]?[0-9]{1,9}", text) else text


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
        others, source = source.get(OTHERS), source.get(str(key))
        found = others if isinstance(others, str) and others else found
    return source if isinstance(source, str) and source else found


def meanings_of(text: str) -> dict[str, str]:
    """What a box file says of the words of its sources."""
    said = tomllib.loads(text).get(SOURCES, {})
    return {str(word): str(meaning) for word, meaning in said.items()}
