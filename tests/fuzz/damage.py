"""Folders copied and damaged at random."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.fuzz.json_mutations import bytes_mutated, mutated

ODD_LINKS = ("/dev/null", "/dev/zero", "/nowhere", "/etc")
Change = Callable[[random.Random, Path], None]


@contextmanager
def damaged(case: random.Random, saved: Path, *changes: Change) -> Iterator[Path]:
    """A copy of a folder in which one of some changes is made, or one of `change_files`."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "copy")
        shutil.copytree(saved, folder)
        case.choice((*changes, change_files))(case, folder)
        yield folder


def change_files(case: random.Random, folder: Path) -> None:
    """A file is missing, empty, a link, a folder or not to be read."""
    path = case.choice(sorted(path for path in folder.iterdir() if path.is_file()))
    path.unlink()
    change = case.randrange(4)
    if change == 0:
        path.mkdir()
    elif change == 1:
        path.symlink_to(case.choice((*ODD_LINKS, path.name)))
    elif change == 2:
        path.write_bytes(b"")


def change_json(case: random.Random, path: Path) -> None:
    """Bytes of a file are changed, or what it says."""
    if case.random() < 0.2:
        path.write_bytes(bytes_mutated(case, path.read_bytes()))
    else:
        path.write_bytes(encoded(mutated(case, json.loads(path.read_bytes()))))


def encoded(data: Any) -> bytes:
    """A value as JSON, lone surrogates included."""
    return json.dumps(data).encode("utf-8", "surrogatepass")


def digest_of(content: bytes) -> str:
    """The digest under which files are stored."""
    return hashlib.sha256(content).hexdigest()
