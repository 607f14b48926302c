"""Files as a whole or not at all; arrays come back as they were, or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace

import numpy as np
import pytest

from shakespeare_agents.storage import (
    StoredTensors,
    check_array,
    forget_drafts,
    forget_others,
    load_tensors,
    read_json,
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


ENOUGH = 10**6


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
    assert same(load_tensors(tmp_path, stored, ENOUGH), ARRAYS)


def test_a_file_is_named_after_what_it_holds(tmp_path, stored):
    content = (tmp_path / stored.file).read_bytes()
    assert stored.digest == hashlib.sha256(content).hexdigest()
    assert stored.file == f"weights-{stored.digest[:16]}.safetensors"
    assert store_tensors(tmp_path, "weights", ARRAYS) == stored
    assert [entry.name for entry in tmp_path.iterdir()] == [stored.file]


def test_folders_are_made(tmp_path):
    stored = store_tensors(tmp_path / "run" / "5", "weights", ARRAYS)
    assert same(load_tensors(tmp_path / "run" / "5", stored, ENOUGH), ARRAYS)


def test_what_was_there_stays_until_it_is_forgotten(tmp_path, stored):
    other = store_tensors(tmp_path, "weights", {"a": np.zeros(2)})
    moments = store_tensors(tmp_path, "moments", ARRAYS)
    (tmp_path / "weights.txt").write_text("a note")
    assert same(load_tensors(tmp_path, stored, ENOUGH), ARRAYS)
    forget_others(tmp_path, "weights", other)
    left = {entry.name for entry in tmp_path.iterdir()}
    assert left == {other.file, moments.file, "weights.txt"}


def test_a_missing_file_is_named(tmp_path, stored):
    gone = replace(stored, file="weights-0.safetensors")
    with pytest.raises(CheckpointError, match=r"weights-0\.safetensors: cannot be read .* back"):
        load_tensors(tmp_path, gone, ENOUGH)


@pytest.mark.parametrize(
    "file", ["../other.safetensors", "/etc/passwd", "a/b", "..", ".", "", "a\0b", "c:x", "a" * 5000]
)
def test_only_files_beside_the_json_are_read(tmp_path, stored, file):
    with pytest.raises(CheckpointError, match="must be a file beside what names it"):
        load_tensors(tmp_path, replace(stored, file=file), ENOUGH)


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_file_cut_short(tmp_path, stored, keep):
    path = tmp_path / stored.file
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CheckpointError, match="is not the file that was saved"):
        load_tensors(tmp_path, stored, ENOUGH)


def test_one_bit_flipped(tmp_path, stored):
    path = tmp_path / stored.file
    content = bytearray(path.read_bytes())
    content[-3] ^= 4
    path.write_bytes(bytes(content))
    with pytest.raises(CheckpointError, match="is not the file that was saved"):
        load_tensors(tmp_path, stored, ENOUGH)


def with_header(header, content=bytes(4)):
    """A safetensors file, whatever its header says."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content


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
        with_header({"a": {"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 4]}}),
        with_header({"a": {"dtype": "F32", "shape": [10**9], "data_offsets": [0, 4 * 10**9]}}),
        with_header({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}),
        with_header({"a": {"dtype": "U8", "shape": [0, 2**63], "data_offsets": [0, 0]}}, b""),
        with_header(
            {
                "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
                "b": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
            }
        ),
        with_header({"a": [[[[]]]]}),
        (2**62).to_bytes(8, "little") + b"{}",
    ],
)
def test_a_file_that_holds_no_arrays(tmp_path, content):
    with pytest.raises(CheckpointError, match="is not a safetensors file of arrays"):
        load_tensors(tmp_path, vouched_for(tmp_path, content), ENOUGH)


def test_a_file_larger_than_what_is_expected_is_not_read(tmp_path, stored):
    """It may be sparse, so that a small archive holds what no memory can."""
    os.truncate(tmp_path / stored.file, 2**40)
    with pytest.raises(CheckpointError, match=r"1,099,511,627,776 bytes, and at most"):
        load_tensors(tmp_path, stored, ENOUGH)
    path = tmp_path / "run.json"
    path.touch()
    os.truncate(path, 2**40)
    with pytest.raises(CheckpointError, match="it has 1,099,511,627,776 bytes, and at most"):
        read_json(path, [2], "run")


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such files")
def test_what_is_no_file_is_not_waited_for(tmp_path, stored):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "zeros", "folder"):
        said = f"{name}: cannot be read .it is not a regular file.; "
        with pytest.raises(CheckpointError, match=f"{said}put it back"):
            load_tensors(tmp_path, replace(stored, file=name), ENOUGH)
        with pytest.raises(CheckpointError, match=f"{said}is it a run"):
            read_json(tmp_path / name, [2], "run")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere links need rights")
def test_a_link_to_a_file_is_a_file(tmp_path, stored):
    """As installers and caches of checkpoints lay them."""
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / stored.file).symlink_to(tmp_path / stored.file)
    assert same(load_tensors(tmp_path / "linked", stored, ENOUGH), ARRAYS)


def test_bytes_that_are_neither_true_nor_false(tmp_path):
    content = with_header({"a": {"dtype": "BOOL", "shape": [4], "data_offsets": [0, 4]}}, b"\2" * 4)
    with pytest.raises(CheckpointError, match="neither true nor false"):
        load_tensors(tmp_path, vouched_for(tmp_path, content), ENOUGH)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), r"x is float64 \(3,\), not float32 \(3,\)"),
        (np.zeros((3, 1), np.float32), r"x is float32 \(3, 1\), not"),
        (np.array([0, np.nan, 0], np.float32), "x holds numbers that are not finite"),
        (np.array([0, 0, -np.inf], np.float32), "x holds numbers that are not finite"),
    ],
)
def test_arrays_are_what_they_must_be(tmp_path, array, message):
    check_array(tmp_path, "x", np.zeros(3, np.float32), np.float32, (3,))
    with pytest.raises(CheckpointError, match=message):
        check_array(tmp_path, "x", array, np.float32, (3,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": 2, "format": 1}', "the key 'format' stands twice in one object"),
        ('{"format": 2, "a": {"b": 1, "b": 1}}', "the key 'b' stands twice"),
        ('{"format": 2, "a": NaN}', "the number NaN is not finite"),
        ('{"format": 2, "a": -Infinity}', "the number -Infinity is not finite"),
        ('{"format": 2, "a": 1e999}', "the number 1e999 is not finite"),
        ('{"format": 2, "a": ' + "[" * 70 + "]" * 70 + "}", "nests deeper than 64 levels"),
        ('{"format": 2, "a": ' + "9" * 5000 + "}", "is not JSON"),
        ('{"format": 2', "is not JSON: "),
        ("", "is not JSON: "),
        ("\xff", "is not UTF-8"),
        ('{"format": true}', "format True, this version reads 1"),
        ('{"format": [1]}', r"format \[1\], this version reads 1"),
        ('{"format": 2}', "format 2, this version reads 1 and 3; use the version that wrote it"),
        ("[1]", "is an array, not an object"),
    ],
)
def test_json_is_read_strictly(tmp_path, text, message):
    path = tmp_path / "run.json"
    path.write_bytes(text.encode("latin-1"))
    formats = [1, 3] if "reads 1 and 3" in message else [1] if "reads 1" in message else [2]
    with pytest.raises(CheckpointError, match=message) as fault:
        read_json(path, formats, "run")
    assert str(path) in str(fault.value)


def test_drafts_that_a_killed_process_left_are_cleared_away(tmp_path):
    ours = (".run.json.0123abcd", ".weights-1.0a0b0c0d")
    others = (".run.json.0123abcg", ".run.json.123", "run.json.0123abcd", ".mine.0123abcd")
    for name in (*ours, *others):
        (tmp_path / name).touch()
    (tmp_path / ".run.json.01234567").mkdir()
    forget_drafts(tmp_path, r"run\.json|weights-\d")
    left = {entry.name for entry in tmp_path.iterdir()}
    assert left == {*others, ".run.json.01234567"}


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
