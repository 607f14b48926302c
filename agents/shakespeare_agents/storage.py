"""Files written whole or not at all, tensors named after their content, and folders held.

Nothing is unpickled, so files from strangers cannot run code.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

from shakespeare_agents.json_input import parse_object
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.checks.values import short_repr
from shakespeare_env.datasets.frames import load
from shakespeare_env.errors import CheckpointError

Arrays = dict[str, NDArray[Any]]
_SUFFIX = ".safetensors"
_LOCK = ".lock"
_held_here: set[Path] = set()  # the folders that this process holds
_HEADER = 2**20  # the most bytes of arrays' names and shapes
_LARGEST_JSON = 2**24  # the most bytes of a JSON file; a run of 40,000 measurements has fewer


@dataclass(frozen=True)
class StoredTensors:
    """A file of tensors, beside the JSON that names it, and the SHA-256 of its content."""

    file: str
    digest: str


def store_tensors(folder: Path, stem: str, tensors: Mapping[str, NDArray[Any]]) -> StoredTensors:
    """Write arrays of numbers or bools into a file whose name is `stem` and a digest.

    Earlier files stay until the caller, whose JSON refers to them, calls `delete_other_tensors`.
    """
    content = safetensors.numpy.save(
        {name: np.asarray(array, order="C") for name, array in tensors.items()}
    )
    digest = hashlib.sha256(content).hexdigest()
    stored = StoredTensors(f"{stem}-{digest[:16]}{_SUFFIX}", digest)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / stored.file, content)
    return stored


def delete_other_tensors(folder: Path, stem: str, *kept: StoredTensors) -> None:
    """Delete other files of `store_tensors` with a stem (a regular expression)."""
    ours = re.compile(rf"{stem}-[0-9a-f]{{16}}\{_SUFFIX}")
    for old in folder.iterdir():
        if ours.fullmatch(old.name) and old.name not in {stored.file for stored in kept}:
            old.unlink(missing_ok=True)


def load_tensors(folder: Path, stored: StoredTensors, at_most: int) -> Arrays:
    """Arrays that take `at_most` bytes together; CheckpointError if missing, damaged or larger."""
    if Path(stored.file).name != stored.file:
        raise CheckpointError(
            f"{folder}: {short_repr(stored.file)} must be a file beside what names it"
        )
    path = folder / stored.file
    content = read_bounded(path, at_most + _HEADER, "put it back")
    if hashlib.sha256(content).hexdigest() != stored.digest:
        raise CheckpointError(f"{path}: is not the file that was saved; copy all files again")
    try:
        return safetensors.numpy.load(content)
    except (SafetensorError, KeyError, TypeError, AttributeError, ValueError) as error:
        # It may be damaged, or hold number types or sizes that NumPy lacks.
        raise CheckpointError(f"{path}: is not a safetensors file of arrays ({error})") from error


def read_json(path: Path, formats: Sequence[int], what: str) -> dict[str, Any]:
    """A JSON object of one of some versions of a format, else CheckpointError about a `what`."""
    content = read_bounded(path, _LARGEST_JSON, f"is it a {what}?")
    try:
        data = parse_object(content)
    except ValueError as error:
        raise CheckpointError(f"{path}: is {error}; copy all files of the {what} again") from error
    version = data.get("format")
    if type(version) is not int or version not in formats:
        raise CheckpointError(
            f"{path}: format {short_repr(version)}, this version reads "
            f"{' and '.join(map(str, formats))}"
            "; use the version that wrote it, or train again"
        )
    return data


def read_bounded(path: Path, at_most: int, remedy: str) -> bytes:
    """A file's content; CheckpointError if there is none, or it has more than `at_most` bytes."""
    try:
        return read_regular(path, at_most)
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error}); {remedy}") from error


def write_output(path: Path, content: bytes) -> None:
    """Write a file that a user has named atomically; a link stays, and its target is written."""
    write_atomically(Path(os.path.realpath(path)), content)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file of a folder of ours whole or not at all, even if the machine stops.

    A link there is replaced: a stranger's folder must not lead to files outside of it.
    """
    # tempfile's files are readable by their owner only.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _noted(place: Path) -> Iterator[None]:
    _held_here.add(place)
    try:
        yield
    finally:
        _held_here.discard(place)


@contextmanager
def hold_folder(
    folder: Path, names: str, *, taken: Exception, taken_here: Exception
) -> Iterator[None]:
    """Keep a folder to one holder; raises `taken` if another process has it.

    `taken_here` is raised if this process has it already, which cannot wait for its own end.
    Drafts of files (`names` is a regular expression) that a killed process left are deleted.
    """
    filelock = load("filelock")
    place = folder.resolve()
    try:
        lock = filelock.FileLock(folder / _LOCK).acquire(timeout=0)
    except filelock.Timeout as fault:
        raise (taken_here if place in _held_here else taken) from fault
    with lock, _noted(place):
        for draft in folder.iterdir():
            if re.fullmatch(_draft_of(names), draft.name) and not draft.is_dir():
                draft.unlink(missing_ok=True)
        yield


def is_leftover(name: str, names: str) -> bool:
    """Whether a file is what a first save that was cut short leaves: a lock, or a draft."""
    return re.fullmatch(rf"{re.escape(_LOCK)}|{_draft_of(names)}", name) is not None


def _draft_of(names: str) -> str:
    return rf"\.(?:{names})\.[0-9a-f]{{8}}"
