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
"""The keys that lead to an entry of a file; tables of a list are numbered."""
Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Identifier = Annotated[str, StringConstraints(pattern="^[a-z0-9_]+$")]
Ids = tuple[Identifier, ...]


class Facts(BaseModel):
    """A table of a box file, or a whole box."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


F = TypeVar("F", bound=Facts)


def box_in_force(package: Path, variable: str) -> Path:
    """Return the box file that an environment variable names, or else the package's own."""
    return Path(os.environ.get(variable) or package / "box.toml")


def read_box(kind: type[F], package: Path, path: Path) -> F:
    """Read a box file and check it by its model.

    Tables that the file lacks are those of the package's own box.

    Raises:
        BoxError: the file cannot be read, or an entry is wrong; names file, entry and value.
    """
    return checked_box(kind, complete_facts(package, path), path)


def checked_box(kind: type[F], facts: Mapping[str, Any], path: Path) -> F:
    """Check the parsed facts of a box file by its model; `path` names the file in errors.

    Raises:
        BoxError: an entry is wrong; names file, entry and value.
    """
    text = json.dumps(_without_sources(facts), default=str)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        fault = first["msg"].removeprefix("Value error, ")
        if first["type"] != "missing" and first["loc"]:
            fault = f"{short_repr(first['input'])}: {fault}"
        raise BoxError(f"{path}: {_entry(facts, first['loc'])}{fault}") from None


def facts_digest(package: Path, path: Path) -> str:
    """Return the SHA-256 of a box file without comments and sources.

    Tables that the file lacks are those of the package's own box.
    """
    return digest_of_facts(complete_facts(package, path))


def digest_of_facts(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the parsed facts of a box file without their sources."""
    text = json.dumps(_without_sources(facts), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def box_facts(path: Path) -> dict[str, Any]:
    """Return a box file's facts without sources; BoxError if it cannot be read or is no TOML."""
    facts: dict[str, Any] = _without_sources(_parsed(path))
    return facts


def _without_sources(value: Any) -> Any:
    """Return parsed TOML without the entries that say where values come from."""
    if isinstance(value, Mapping):
        facts = (key for key in value if key not in ("source", "sources"))
        return {key: _without_sources(value[key]) for key in facts}
    return [_without_sources(item) for item in value] if isinstance(value, list) else value


def complete_facts(package: Path, path: Path) -> dict[str, Any]:
    """Return the parsed facts of a box file; tables that it lacks are those of the package's own.

    Raises:
        BoxError: a file cannot be read or is no TOML.
    """
    return {**_parsed(package / "box.toml"), **_parsed(path)}


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_text(path))
    except OSError as error:
        raise BoxError(f"{path}: cannot be read ({error.strerror}); give a box file") from error
    except ValueError as error:
        raise BoxError(f"{path}: it is no TOML file ({error}); correct it") from error


def _entry(facts: Any, keys: Keys) -> str:
    """Return how errors name an entry, such as `characters.hamlet.cost: `, by ids of tables."""
    names = []
    for key in keys:
        try:
            facts = facts[key]
        except (KeyError, IndexError, TypeError):
            facts = None
        own = facts.get("id") if isinstance(facts, Mapping) else None
        names.append(own if isinstance(key, int) and isinstance(own, str) else str(key))
    return f"{'.'.join(name for name in names if name != '[key]')}: " if names else ""
