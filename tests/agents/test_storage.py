"""Files as a whole or not at all; arrays come back as they were, or not at all."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

import numpy as np
import pytest

from shakespeare_agents.storage import (
    StoredTensors,
    forget_others,
    load_tensors,
    store_tensors,
    write_atomically,
)
from shakespeare_env.errors import CheckpointError

ARRAYS = {
    "float": np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3),
    "turned": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "double": np.array([np.pi]),
    "whole": np.arange(-3, 3, dtype=np.int8),
    "words": np.array([2**64 - 1], np.uint64),
    "yes or no": np.array([[True], [False]]),
    "one number": np.array(7, np.int64),
    "nothing": np.zeros((0, 4), np.float32),
}


def same(one, other):
    return one.keys() == other.keys() and all(
        (one[k].dtype, one[k].shape) == (other[k].dtype, other[k].shape)
        and (one[k] == other[k]).all()
        for k in one
    )


@pytest.fixture
def stored(tmp_path):
    return store_tensors(tmp_path, "weights", ARRAYS)


def test_round_trip(tmp_path, stored):
    assert same(load_tensors(tmp_path, stored), ARRAYS)


def test_a_file_is_named_after_what_it_holds(tmp_path, stored):
    content = (tmp_path / stored.file).read_bytes()
    assert stored.digest == hashlib.sha256(content).hexdigest()
    assert stored.file == f"weights-{stored.digest[:16]}.safetensors"
    assert store_tensors(tmp_path, "weights", ARRAYS) == stored
    assert [entry.name for entry in tmp_path.iterdir()] == [stored.file]


def test_folders_are_made(tmp_path):
    stored = store_tensors(tmp_path / "run" / "5", "weights", ARRAYS)
    assert same(load_tensors(tmp_path / "run" / "5", stored), ARRAYS)


def test_what_was_there_stays_until_it_is_forgotten(tmp_path, stored):
    other = store_tensors(tmp_path, "weights", {"a": np.zeros(2)})
    moments = store_tensors(tmp_path, "moments", ARRAYS)
    (tmp_path / "weights.txt").write_text("a note")
    assert same(load_tensors(tmp_path, stored), ARRAYS)
    forget_others(tmp_path, "weights", other)
    left = {entry.name for entry in tmp_path.iterdir()}
    assert left == {other.file, moments.file, "weights.txt"}


def test_a_missing_file_is_named(tmp_path, stored):
    gone = replace(stored, file="weights-0.safetensors")
    with pytest.raises(CheckpointError, match=r"weights-0\.safetensors: cannot be read .* back"):
        load_tensors(tmp_path, gone)


@pytest.mark.parametrize("file", ["../other.safetensors", "/etc/passwd", "a/b", ".."])
def test_only_files_beside_the_json_are_read(tmp_path, stored, file):
    with pytest.raises(CheckpointError):
        load_tensors(tmp_path, replace(stored, file=file))


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_file_cut_short(tmp_path, stored, keep):
    path = tmp_path / stored.file
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CheckpointError, match="is not the file that was saved"):
        load_tensors(tmp_path, stored)


def test_one_bit_flipped(tmp_path, stored):
    path = tmp_path / stored.file
    content = bytearray(path.read_bytes())
    content[-3] ^= 4
    path.write_bytes(bytes(content))
    with pytest.raises(CheckpointError, match="is not the file that was saved"):
        load_tensors(tmp_path, stored)


def vouched_for(folder, content):
    """A file whose digest is right, whatever it holds."""
    (folder / "file.safetensors").write_bytes(content)
    return StoredTensors("file.safetensors", hashlib.sha256(content).hexdigest())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a pickle, perhaps",
        b"\x02\0\0\0\0\0\0\0{",
        b"\xff" * 8 + b"{}",
        b'\x3e\0\0\0\0\0\0\0{"a": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}  \0\0',
    ],
)
def test_a_file_that_holds_no_arrays(tmp_path, content):
    with pytest.raises(CheckpointError, match="is not a safetensors file of arrays"):
        load_tensors(tmp_path, vouched_for(tmp_path, content))


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fail(_descriptor):
        raise OSError("unplugged")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="unplugged"):
        write_atomically(path, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_others_may_read_what_the_user_lets_them_read(tmp_path):
    before = os.umask(0o022)
    try:
        write_atomically(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644
