"""Files of a folder, damaged at random."""

from __future__ import annotations

import json
import random
from pathlib import Path

from tests.fuzz.json_mutations import bytes_mutated, mutated

ODD_LINKS = ("/dev/null", "/dev/zero", "/nowhere", "/etc")


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
        text = json.dumps(mutated(case, json.loads(path.read_bytes())))
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
