"""Reading a box file, the printed facts of a game, and comparing two of them."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shakespeare_env.checks.box_entries import SOURCES, Entry, Wanted, ignore_entry, without_sources
from shakespeare_env.checks.regular_files import read_regular
from shakespeare_env.errors import BoxError

LARGEST_BOX = 2**20
"""The most bytes of a box file, far more than any has."""
_MISSING = object()


def read_box(
    package: Path,
    variable: str,
    path: Path | None = None,
    later: Iterable[str] = (),
    noted: Callable[[Wanted], None] = ignore_entry,
) -> Entry:
    """A whole box file, or the BoxError if it cannot be read or is not TOML.

    Args:
        package: The game's folder, which holds a `box.toml`.
        variable: The environment variable that names another file.
        path: Overrides both.
        later: Tables that older files lack, taken from the package's own.
        noted: Called with every entry that is asked for.
    """
    if path is None:
        path = Path(os.environ.get(variable) or package / "box.toml")
    data = _parsed(path, f"give the path of a box file, or unset {variable}")
    if any(name not in data for name in later):
        own = _parsed(package / "box.toml", "install the package again")
        data = {**{name: own[name] for name in later}, **data}
    root = Entry(path, "", "", data, noted=noted)
    if SOURCES in data:
        root.section(SOURCES).check_meanings()
    return root


def box_paths(package: Path, variable: str) -> tuple[Path, ...]:
    """The box files in force: the package's own, or those that an environment variable names.

    The variable holds a file, several, separated as in PATH, or a folder of `.toml` files.

    Raises:
        BoxError: a folder holds no box, or two boxes have one name.
    """
    named = os.environ.get(variable)
    if not named:
        return (package / "box.toml",)
    if os.path.isdir(named):  # unlike a Path's, this takes many names in a row
        paths = _in_folder(Path(named))
        if not paths:
            raise BoxError(f"{named}: no box (*.toml) in it; name another folder in {variable}")
    elif os.path.exists(named):
        paths = [Path(named)]
    else:
        paths = [Path(path) for path in named.split(os.pathsep) if path]
    stems = [path.stem for path in paths]
    for path in paths:
        if stems.count(path.stem) > 1:
            raise BoxError(f"{path}: two boxes are named {path.stem!r}; rename one of the files")
    return tuple(paths)


def _in_folder(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.toml"))


def digest_of_all(digests: Sequence[str]) -> str:
    """One digest for the boxes in force together."""
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()


def facts_digest(package: Path, path: Path) -> str:
    """SHA-256 of a box file but for comments and sources; the package's tables fill gaps.

    Of a folder, the digest of its boxes together.
    """
    if os.path.isdir(path):  # a path that is too long is no folder
        return digest_of_all([facts_digest(package, file) for file in _in_folder(path)])
    own = _parsed(package / "box.toml", "install the package again")
    facts = {**own, **_parsed(path, "give the path of a box file")}
    return Entry(path, "", "", facts).digest


def box_facts(path: Path) -> dict[str, Any]:
    """A box file's facts, without sources; BoxError if it cannot be read or is not TOML."""
    found: dict[str, Any] = without_sources(_parsed(path, "give the path of a box file"))
    return found


def differing_facts(package: Path, path: Path) -> list[str]:
    """The entries of a box file that differ from the package's own: `acts.length`."""
    own = dict(_entries(without_sources(_parsed(package / "box.toml", "install it again"))))
    given = dict(_entries(without_sources(_parsed(path, "give the path of a box file"))))
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
        return tomllib.loads(read_regular(path, LARGEST_BOX).decode())
    except OSError as error:
        raise BoxError(f"{path}: cannot be read ({error.strerror}); {remedy}") from error
    except ValueError as error:
        remedy = "correct it, or start again from the package's box.toml"
        raise BoxError(f"{path}: not a TOML file ({error}); {remedy}") from error
