"""Files are written completely or not at all, and arrays are read unchanged or refused."""

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


def types_and_values(arrays):
    return {name: (array.dtype, array.tolist()) for name, array in arrays.items()}


@pytest.fixture
def stored(tmp_path):
    return store_tensors(tmp_path, "weights", ARRAYS)


def assert_refused(folder, stored):
    with pytest.raises(CheckpointError, match=re.escape(stored.file)):
        load_tensors(folder, stored, ENOUGH)


def test_arrays_are_read_unchanged_from_a_file_named_after_its_digest(tmp_path):
    folder = tmp_path / "run" / "5"
    stored = store_tensors(folder, "weights", ARRAYS)
    path = folder / stored.file
    assert stored.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert stored.file == f"weights-{stored.digest[:16]}.safetensors"
    assert store_tensors(folder, "weights", ARRAYS) == stored
    assert types_and_values(load_tensors(folder, stored, ENOUGH)) == types_and_values(ARRAYS)


def test_only_other_tensors_of_the_same_stem_are_deleted(tmp_path):
    store_tensors(tmp_path, "weights", ARRAYS)
    kept = store_tensors(tmp_path, "weights", {"a": np.zeros(2)})
    moments = store_tensors(tmp_path, "moments", ARRAYS)
    (tmp_path / "weights-mine.safetensors").write_text("a user's own")
    delete_other_tensors(tmp_path, "weights", kept)
    left = {entry.name for entry in tmp_path.iterdir()}
    assert left == {kept.file, moments.file, "weights-mine.safetensors"}


@pytest.mark.parametrize("file", ["../x.safetensors", "/etc/passwd", "..", "", "a\0b", "a" * 5000])
def test_only_files_beside_the_json_are_read(tmp_path, stored, file):
    with pytest.raises(CheckpointError):
        load_tensors(tmp_path, replace(stored, file=file), ENOUGH)


def test_damaged_and_missing_files_are_refused_by_name(tmp_path, stored):
    path = tmp_path / stored.file
    content = path.read_bytes()
    with_a_flipped_bit = content[:-3] + bytes([content[-3] ^ 4]) + content[-2:]
    for damaged in (b"", content[:-1], with_a_flipped_bit):
        path.write_bytes(damaged)
        assert_refused(tmp_path, stored)
    assert_refused(tmp_path, replace(stored, file="weights-0.safetensors"))


def file_of_one_array(dtype, shape, end=4):
    """Return the content of a safetensors file with this header, which may be invalid."""
    header = {"a": {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(end)


@pytest.mark.parametrize(
    "content",
    [
        b"a pickle, perhaps",
        (2**62).to_bytes(8, "little") + b"{}",
        file_of_one_array("BF16", [2]),
        file_of_one_array("F32", [2**40, 2**40]),
        file_of_one_array("U8", [0, 2**63], 0),
    ],
)
def test_a_file_without_readable_arrays_is_refused_even_if_its_digest_is_right(tmp_path, content):
    (tmp_path / "file.safetensors").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    assert_refused(tmp_path, StoredTensors("file.safetensors", digest))


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")
@pytest.mark.parametrize("name", ["pipe", "zeros", "large"])
def test_special_files_and_files_that_are_too_large_are_not_read(tmp_path, stored, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 2**40)  # a sparse file, which is small in an archive
    assert_refused(tmp_path, replace(stored, file=name))
    with pytest.raises(CheckpointError, match=name):
        read_json(tmp_path / name, 2, "run")


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")
def test_a_link_to_a_file_is_read(tmp_path, stored):
    """Installers and caches of checkpoints make such links."""
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / stored.file).symlink_to(tmp_path / stored.file)
    assert load_tensors(tmp_path / "linked", stored, ENOUGH).keys() == ARRAYS.keys()


@pytest.mark.parametrize(
    ("write", "link_stays"),
    [
        (write_output, True),  # results may be linked to another disk
        (write_atomically, False),  # a stranger's folder must not lead to files outside of it
    ],
)
def test_a_link_is_followed_only_if_a_user_named_it(tmp_path, write, link_stays):
    link = tmp_path / "link"
    target = tmp_path / "disk" / "target.json"
    target.parent.mkdir()
    link.symlink_to(target)
    for content in (b"first", b"second"):  # at first, the target does not exist
        write(link, content)
        assert link.read_bytes() == content
        assert link.is_symlink() == target.exists() == link_stays
    files = [*tmp_path.iterdir(), *target.parent.iterdir()]
    assert len(files) == 2 + link_stays, "no draft is left"


@pytest.mark.parametrize(
    "text", ['{"format": 1', "\xff", '{"format": true}', '{"format": 2}', "[1]"]
)
def test_json_is_read_strictly(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CheckpointError, match=re.escape(str(path))):
        read_json(path, 1, "run")
