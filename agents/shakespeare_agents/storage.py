"""Files written whole or not at all, and tensors named after their content.

Nothing is unpickled, so files from strangers cannot run code.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

from shakespeare_env.errors import CheckpointError

_SUFFIX = ".safetensors"


@dataclass(frozen=True)
class StoredTensors:
    """A file of tensors, beside the JSON that names it, and the SHA-256 of its content."""

    file: str
    digest: str


def store_tensors(folder: Path, stem: str, tensors: Mapping[str, NDArray[Any]]) -> StoredTensors:
    """Write arrays of numbers or bools into a file whose name is `stem` and a digest.

    The folder is created if missing. Earlier files stay until the caller, whose JSON refers to
    them, deletes them (`forget_others`).
    """
    content = safetensors.numpy.save(
        {name: np.asarray(array, order="C") for name, array in tensors.items()}
    )
    digest = hashlib.sha256(content).hexdigest()
    stored = StoredTensors(f"{stem}-{digest[:16]}{_SUFFIX}", digest)
    path = folder / stored.file
    folder.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != content:
        write_atomically(path, content)
    return stored


def forget_others(folder: Path, stem: str, *kept: StoredTensors) -> None:
    """Delete other files of `store_tensors` with a stem (a regular expression)."""
    files = {stored.file for stored in kept}
    for old in folder.iterdir():
        is_ours = re.fullmatch(rf"{stem}-[0-9a-f]{{16}}\{_SUFFIX}", old.name)
        if is_ours and old.name not in files:
            old.unlink(missing_ok=True)


def forget_drafts(folder: Path, names: str) -> None:
    """Delete drafts of `write_atomically` that a killed process left.

    Only for who has the folder alone; `names` of files is a regular expression.
    """
    for draft in folder.iterdir():
        if re.fullmatch(draft_of(names), draft.name) and not draft.is_dir():
            draft.unlink(missing_ok=True)


def draft_of(names: str) -> str:
    """The names that drafts of files have, as a regular expression like that of the files'."""
    return rf"\.(?:{names})\.[0-9a-f]{{8}}"


def load_tensors(folder: Path, stored: StoredTensors) -> dict[str, NDArray[Any]]:
    """Read arrays.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    path = folder / stored.file
    if Path(stored.file).name != stored.file:
        raise CheckpointError(f"{folder}: {stored.file!r} must be a file beside what names it")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error}); put it back") from error
    if hashlib.sha256(content).hexdigest() != stored.digest:
        raise CheckpointError(f"{path}: is not the file that was saved; copy all files again")
    try:
        return safetensors.numpy.load(content)
    except (SafetensorError, KeyError, TypeError, AttributeError) as error:
        # It may be damaged, or hold number types that NumPy lacks.
        raise CheckpointError(f"{path}: is not a safetensors file of arrays ({error})") from error


def read_json(path: Path, form: int, what: str) -> dict[str, Any]:
    """Read a JSON object of format version `form`; `what` names its folder in errors.

    Raises:
        CheckpointError: the file is missing, damaged or of another version.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error}); is it a {what}?") from error
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: is not JSON ({error})") from error
    if not isinstance(data, dict) or data.get("format") != form:
        found = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise CheckpointError(
            f"{path}: format {found!r}, this version reads {form}; "
            "use the version that wrote it, or train again"
        )
    return data


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, even if the machine stops."""
    # tempfile's files are readable by their owner only.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
        _settle(path.parent)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _settle(folder: Path) -> None:
    """Flush a folder's names to disk."""
    if os.name == "nt":  # where folders cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
