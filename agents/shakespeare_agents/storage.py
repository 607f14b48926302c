"""Safe files: atomic writes, files of tensors that are named by their digest, and folder locks.

Nothing is unpickled, so files from strangers cannot run code.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator, Mapping
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
from shakespeare_env.errors import CheckpointError
from shakespeare_env.extras import requires_extra

Arrays = dict[str, NDArray[Any]]
_SUFFIX = ".safetensors"
_LOCK = ".lock"
_held_here: set[Path] = set()  # the folders that this process has locked
_MOST_HEADER_BYTES = 2**20  # the header holds the arrays' names and shapes
_MOST_JSON_BYTES = 2**24  # more than the file of a run with 40,000 measurements needs


@dataclass(frozen=True)
class StoredTensors:
    """The name of a file of tensors, and the SHA-256 of its content.

    The file lies beside the JSON file that names it.
    """

    file: str
    digest: str


def store_tensors(folder: Path, stem: str, tensors: Mapping[str, NDArray[Any]]) -> StoredTensors:
    """Write arrays of numbers or bools into a file named by `stem` and a digest.

    Earlier files stay, because the caller's JSON file still refers to them. The caller replaces the
    JSON file, and then calls `delete_other_tensors`.
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
    """Delete the files that `store_tensors` wrote under a stem, except for those in `kept`.

    `stem` is a regular expression. Files of other names stay.
    """
    stored_name = re.compile(rf"{stem}-[0-9a-f]{{16}}\{_SUFFIX}")
    kept_names = {stored.file for stored in kept}
    for file in folder.iterdir():
        if stored_name.fullmatch(file.name) and file.name not in kept_names:
            file.unlink(missing_ok=True)


def load_tensors(folder: Path, stored: StoredTensors, at_most: int) -> Arrays:
    """Read arrays that take up to `at_most` bytes together.

    Raises:
        CheckpointError: the file is missing, damaged or too large.
    """
    if Path(stored.file).name != stored.file:
        raise CheckpointError(
            f"{folder}: {short_repr(stored.file)} must be the name of a file in this folder; copy "
            "all files again"
        )
    path = folder / stored.file
    content = read_bounded(path, at_most + _MOST_HEADER_BYTES, "copy all files again")
    if hashlib.sha256(content).hexdigest() != stored.digest:
        raise CheckpointError(f"{path}: is not the file that was saved; copy all files again")
    try:
        return safetensors.numpy.load(content)
    except (SafetensorError, KeyError, TypeError, AttributeError, ValueError) as error:
        # Besides damage, the file may hold number types or sizes that NumPy does not support.
        raise CheckpointError(
            f"{path}: is not a safetensors file of arrays ({error}); copy all files again"
        ) from error


def read_json(path: Path, known_format: int, what: str) -> dict[str, Any]:
    """Read a JSON object of a known format.

    Args:
        path: The file.
        known_format: The number that the entry `format` must have.
        what: The kind of thing that the file describes, such as "checkpoint", for error messages.

    Raises:
        CheckpointError: the file is missing, is not a JSON object, or has another format.
    """
    content = read_bounded(path, _MOST_JSON_BYTES, f"is it a {what}?")
    try:
        data = parse_object(content)
    except ValueError as error:
        raise CheckpointError(f"{path}: is {error}; copy all files of the {what} again") from error
    version = data.get("format")
    if type(version) is not int or version != known_format:
        raise CheckpointError(
            f"{path}: format {short_repr(version)}, but this version reads {known_format}; use "
            "the version that wrote it, or train again"
        )
    return data


def read_bounded(path: Path, at_most: int, remedy: str) -> bytes:
    """Return a file's content.

    Raises:
        CheckpointError: the file cannot be read, or has more than `at_most` bytes. The message ends
            with `remedy`.
    """
    try:
        return read_regular(path, at_most)
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error}); {remedy}") from error


def write_output(path: Path, content: bytes) -> None:
    """Write a file that a user has named, completely or not at all.

    A symbolic link stays as it is, and its target is written.
    """
    write_atomically(Path(os.path.realpath(path)), content)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file completely or not at all, even if the machine stops.

    A symbolic link is replaced, since a stranger's folder must not lead to files outside of it.
    """
    # The module tempfile would make a file that only its owner can read.
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
def hold_folder(
    folder: Path, names: str, *, taken: Exception, taken_here: Exception
) -> Iterator[None]:
    """Lock a folder for the length of a block, so that no other process writes into it.

    Drafts of files that a killed process has left are deleted.

    Args:
        folder: The folder.
        names: A regular expression that matches the names of files that are written there.
        taken: The exception to raise if another process holds the lock.
        taken_here: The exception to raise if this process holds the lock already.
    """
    with requires_extra("data", "locking a folder needs"):
        import filelock

    place = folder.resolve()
    try:
        lock = filelock.FileLock(folder / _LOCK).acquire(timeout=0)
    except filelock.Timeout as fault:
        raise (taken_here if place in _held_here else taken) from fault
    with lock:
        _held_here.add(place)
        try:
            for draft in folder.iterdir():
                if re.fullmatch(_draft_of(names), draft.name) and not draft.is_dir():
                    draft.unlink(missing_ok=True)
            yield
        finally:
            _held_here.discard(place)


def is_leftover(name: str, names: str) -> bool:
    """Return whether a name is that of a lock or a draft, which an interrupted save may leave."""
    return re.fullmatch(rf"{re.escape(_LOCK)}|{_draft_of(names)}", name) is not None


def _draft_of(names: str) -> str:
    return rf"\.(?:{names})\.[0-9a-f]{{8}}"
