"""Box files, the printed facts of a game, read and checked by a Pydantic model."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from shakespeare_env.checks.limits import parse_toml, read_text
from shakespeare_env.checks.values import short_repr
from shakespeare_env.errors import BoxError

Keys = tuple[str | int, ...]
"""The keys that lead to an entry of a file. An entry of a list has its index as key."""
Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Identifier = Annotated[str, StringConstraints(pattern="^[a-z0-9_]+$")]
Ids = tuple[Identifier, ...]


class Facts(BaseModel):
    """The model of a table of a box file, or of a complete box."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


F = TypeVar("F", bound=Facts)


def box_in_force(package: Path, variable: str) -> Path:
    """Return the box file that an environment variable names, by default the package's own."""
    return Path(os.environ.get(variable) or package / "box.toml")


def read_box(kind: type[F], package: Path, path: Path) -> F:
    """Read a box file and check it by its model.

    Tables that the file lacks are taken from the package's own box.

    Raises:
        BoxError: the file cannot be read, or an entry is wrong; the message names file, entry and
            value.
    """
    return checked_box(kind, complete_facts(package, path), path)


def checked_box(kind: type[F], facts: Mapping[str, Any], path: Path) -> F:
    """Check the parsed facts of a box file by its model; `path` names the file in errors.

    Raises:
        BoxError: an entry is wrong; the message names file, entry and value.
    """
    text = json.dumps(_without_sources(facts), default=str)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        fault = first["msg"].removeprefix("Value error, ")
        # A missing entry has no value to quote. If `loc` is empty, the value is the complete box,
        # which is too long to quote.
        if first["type"] != "missing" and first["loc"]:
            fault = f"{short_repr(first['input'])}: {fault}"
        raise BoxError(f"{path}: {_entry_prefix(facts, first['loc'])}{fault}") from None


def facts_digest(package: Path, path: Path) -> str:
    """Return the SHA-256 of a box file without comments and sources.

    Tables that the file lacks are taken from the package's own box.
    """
    return parsed_facts_digest(complete_facts(package, path))


def parsed_facts_digest(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the parsed facts of a box file without their sources."""
    text = json.dumps(_without_sources(facts), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def box_facts(path: Path) -> dict[str, Any]:
    """Return a box file's facts without sources; BoxError if it cannot be read or is not TOML."""
    facts: dict[str, Any] = _without_sources(_parsed(path))
    return facts


def _without_sources(value: Any) -> Any:
    """Return parsed TOML without the entries that say where values come from."""
    if isinstance(value, Mapping):
        return {
            key: _without_sources(entry)
            for key, entry in value.items()
            if key not in ("source", "sources")
        }
    if isinstance(value, list):
        return [_without_sources(item) for item in value]
    return value


def complete_facts(package: Path, path: Path) -> dict[str, Any]:
    """Return the parsed facts of a box file, with tables that it lacks from the package's own box.

    Raises:
        BoxError: a file cannot be read or is not TOML.
    """
    return {**_parsed(package / "box.toml"), **_parsed(path)}


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_text(path))
    except OSError as error:
        raise BoxError(f"{path}: cannot be read ({error.strerror}); give a box file") from error
    except ValueError as error:
        raise BoxError(f"{path}: it is not a TOML file ({error}); correct it") from error


def _entry_prefix(facts: Any, keys: Keys) -> str:
    """Return how errors name an entry, such as `characters.hamlet.cost: `.

    An entry of a list is named by its `id`, or by its index if it has none.
    """
    if not keys:
        return ""

    names = []
    value = facts
    for key in keys:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            value = None
        name = str(key)
        if isinstance(key, int) and isinstance(value, Mapping) and isinstance(value.get("id"), str):
            name = value["id"]
        if name != "[key]":  # Pydantic's mark for a fault of a key instead of its value
            names.append(name)
    return f"{'.'.join(names)}: "
