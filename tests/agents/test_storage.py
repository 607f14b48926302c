"""Files as a whole or not at all; arrays come back as they were, or not at all."""

import hashlib
import json
import os
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shakespeare_agents.storage import (
    StoredTensors,
    delete_other_tensors,
    load_tensors,
    read_json,
    store_tensors,
    write_atomically,
    write_output,
)
from shakespeare_env.errors import CheckpointError

ARRAYS: dict[str, Any] = {
    "turned": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "words": np.array([2**64 - 1], np.uint64),
    "yes or no": np.array([[True], [False]]),
    "one number": np.array(-7, np.int64),
    "nothing": np.zeros((0, 4), np.int8),
}
ENOUGH = 10**6


def told(arrays):
    return {name: (array.dtype, array.tolist()) for name, array in arrays.items()}


@pytest.fixture
def stored(tmp_path):
    return store_tensors(tmp_path, "weights", ARRAYS)


def refused(folder, stored):
    with pytest.raises(CheckpointError, match=re.escape(stored.file)):
        load_tensors(folder, stored, ENOUGH)


def test_arrays_come_back_from_a_file_named_after_what_it_holds(tmp_path):
    folder = tmp_path / "run" / "5"
    stored = store_tensors(folder, "weights", ARRAYS)
    path = folder / stored.file
    assert stored.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert stored.file == f"weights-{stored.digest[:16]}.safetensors"
    assert store_tensors(folder, "weights", ARRAYS) == stored
    other = store_tensors(folder, "weights", {"a": np.zeros(2)})
    moments = store_tensors(folder, "moments", ARRAYS)
    (folder / "weights-mine.safetensors").write_text("a user's own")
    assert told(load_tensors(folder, stored, ENOUGH)) == told(ARRAYS)
    delete_other_tensors(folder, "weights", other)
    left = {entry.name for entry in folder.iterdir()}
    assert left == {other.file, moments.file, "weights-mine.safetensors"}


@pytest.mark.parametrize("file", ["../x.safetensors", "/etc/passwd", "..", "", "a\0b", "a" * 5000])
def test_only_files_beside_the_json_are_read(tmp_path, stored, file):
    with pytest.raises(CheckpointError):
        load_tensors(tmp_path, replace(stored, file=file), ENOUGH)


def test_damaged_and_missing_files_are_named(tmp_path, stored):
    path = tmp_path / stored.file
    content = path.read_bytes()
    for damaged in (b"", content[:-1], content[:-3] + bytes([content[-3] ^ 4]) + content[-2:]):
        path.write_bytes(damaged)
        refused(tmp_path, stored)
    refused(tmp_path, replace(stored, file="weights-0.safetensors"))


def of_one(dtype, shape, end=4):
    """A safetensors file of one array, whatever its header says."""
    header = {"a": {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(end)


@pytest.mark.parametrize(
    "content",
    [
        b"a pickle, perhaps",
        (2**62).to_bytes(8, "little") + b"{}",
        of_one("BF16", [2]),
        of_one("F32", [2**40, 2**40]),
        of_one("U8", [0, 2**63], 0),
    ],
)
def test_a_file_that_holds_no_arrays(tmp_path, content):
    """The file's digest is right, whatever it holds."""
    (tmp_path / "file.safetensors").write_bytes(content)
    refused(tmp_path, StoredTensors("file.safetensors", hashlib.sha256(content).hexdigest()))


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")
def test_what_is_too_large_or_no_file_is_not_read_but_a_link_to_one_is(tmp_path, stored):
    """As installers and caches of checkpoints lay them; large ones are sparse in an archive."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 2**40)
    for name in ("pipe", "zeros", "large"):
        refused(tmp_path, replace(stored, file=name))
        with pytest.raises(CheckpointError, match=name):
            read_json(tmp_path / name, 2, "run")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / stored.file).symlink_to(tmp_path / stored.file)
    assert load_tensors(tmp_path / "linked", stored, ENOUGH).keys() == ARRAYS.keys()


def test_a_link_that_is_named_is_written_through_and_one_in_a_folder_replaced(tmp_path):
    """Results may be linked to another disk, but no stranger's folder leads out of itself."""
    (tmp_path / "disk").mkdir()
    for number, (write, stays) in enumerate(((write_output, True), (write_atomically, False))):
        link, target = tmp_path / f"link-{number}", tmp_path / "disk" / f"{number}.json"
        link.symlink_to(target)
        for content in (b"first", b"second"):  # the target is missing, then there
            write(link, content)
            assert link.read_bytes() == content
            assert (link.is_symlink(), target.exists()) == (stays, stays)
    assert len([*tmp_path.iterdir(), *(tmp_path / "disk").iterdir()]) == 4, "no draft is left"


@pytest.mark.parametrize(
    "text", ['{"format": 1', "\xff", '{"format": true}', '{"format": 2}', "[1]"]
)
def test_json_is_read_strictly(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CheckpointError, match=re.escape(str(path))):
        read_json(path, 1, "run")
