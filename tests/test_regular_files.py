"""Whatever stands in the place of a file, reading it ends, and at little memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.games.store import FIELD_NAME, opened
from shakespeare_agents.arena.report import about_results
from shakespeare_agents.cli.options.completion import complete_agent
from shakespeare_agents.table.box_desk.saving import state_of
from shakespeare_agents.table.watching.listing import Lister
from shakespeare_env.checks.box_files import facts_digest
from shakespeare_env.checks.limits import open_regular, read_regular, regular_size
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_recorded
from shakespeare_env.datasets.manifest import BOX_NAME, NAME, shard_file
from shakespeare_env.datasets.results_reading import MANIFEST, read_results
from shakespeare_env.errors import ShakespeareEnvError
from tests.arena.small_arenas import written
from tests.contract.small_datasets import cut_short, small_settings, write

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")

GAME = "figaro"
ARENA, DATASET = Path("arena"), Path("dataset")
SECONDS = 120
MEMORY = 6 * 2**30
"""Address space in bytes; libraries take most of it."""


def _store(path):
    with opened(path.parent, GAME):
        pass


READERS = {
    "an arena's manifest": (ARENA / MANIFEST, lambda path: read_recorded(path.parent)),
    "an arena's games": (ARENA / "games-000007.parquet", lambda path: read_results(path.parent)),
    "watching an arena": (ARENA / MANIFEST, lambda path: Lister(path.parent).read()),
    "an arena's plan": (ARENA / "round-0000.json", _store),
    "a report's field": (
        ARENA / FIELD_NAME,
        lambda path: about_results(path.parent, read_results(path.parent)),
    ),
    "a field": (Path("field.toml"), Field.read),
    "a dataset's manifest": (DATASET / NAME, lambda path: read_recorded(path.parent)),
    "a dataset's games": (DATASET / shard_file(0), lambda path: read_recorded(path.parent)),
    "watching a dataset": (DATASET / shard_file(0), lambda path: Lister(path.parent).read()),
    "a box": (Path(BOX_NAME), lambda path: facts_digest(registry.folder(GAME), path)),
    "the box desk": (Path(BOX_NAME), state_of),
}
"""By name: the file, and what reads it."""


def attacked(folder):
    """Read every file once as a pipe and once as a link to what never ends; print what is said."""
    for name, (file, read) in READERS.items():
        path = folder / file
        kept = path.read_bytes() if path.exists() else None
        for put in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
            path.unlink(missing_ok=True)
            put(path)
            print(f"{name}: ", end="", flush=True)
            try:
                read(path)
                print("read", flush=True)
            except (ShakespeareEnvError, ValueError) as fault:
                print(str(fault).replace("\n", " "), flush=True)
        path.unlink()
        if kept is not None:
            path.write_bytes(kept)


def test_no_reader_waits_for_a_pipe_or_reads_what_never_ends(tmp_path):
    written(GAME, tmp_path / ARENA)
    write(tmp_path / DATASET, small_settings(GAME))
    program = f"""
import resource
from pathlib import Path
from tests import test_regular_files
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
test_regular_files.attacked(Path({str(tmp_path)!r}))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    said = ran.stdout.splitlines()
    assert len(said) == 2 * len(READERS)
    assert [line for line in said if "not a regular file" not in line] == []


def test_completing_does_not_wait_for_a_pipe(tmp_path):
    (tmp_path / "zeros.py").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.py")
    assert complete_agent(f"{tmp_path}/zeros.py:") == complete_agent(f"{tmp_path}/pipe.py:") == []


def test_a_damaged_part_of_a_dataset_is_played_again(tmp_path):
    settings = small_settings(GAME, deals=3, deals_per_shard=3)
    cut_short(tmp_path, settings, 1)
    (part,) = tmp_path.glob("part-*")
    part.unlink()
    os.mkfifo(part)
    assert write(tmp_path, settings).is_complete


def test_a_file_has_a_size_that_is_known_before_it_is_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_regular(path, 5) == b"12345"
    assert regular_size(path) == 5
    with open_regular(path) as file:
        assert file.read(2) == b"12"
    with pytest.raises(OSError, match="it has 5 bytes, and at most 4 can be"):
        read_regular(path, 4)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none", 4)
    with pytest.raises(OSError, match="not a regular file"):
        read_regular(tmp_path, 4)
    if (status := Path("/proc/self/status")).exists():  # which says that it is empty
        with pytest.raises(OSError, match="it has 5 bytes, and at most 4 can be"):
            read_regular(status, 4)
