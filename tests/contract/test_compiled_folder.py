"""Compiled code is kept only where the user alone can write; loading it runs it."""

import hashlib
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

from shakespeare_env.compiled import kernel
from shakespeare_env.compiled_folder import folder_named
from shakespeare_env.compiled_sources import PACKAGE

with_users = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users have no numbers here")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)
not_as_root = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root can write anywhere"
)
compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)
NAME = f"probe-{'0' * 24}"
STRANGER = 12345


@pytest.fixture
def place(tmp_path, monkeypatch):
    """What SHAKESPEARE_CACHE names."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path / "place"))
    return tmp_path / "place"


def refusal():
    """The one warning of asking for a folder twice."""
    with pytest.warns(RuntimeWarning, match="compiled code is not kept") as warned:
        found = [folder_named(NAME) for _ in range(2)]
    assert found == [None, None]
    (one,) = warned
    assert "SHAKESPEARE_CACHE" in str(one.message)
    return str(one.message)


# ---- where it is ---------------------------------------------------------------------------------


def test_the_folder_is_where_the_variable_says_and_else_in_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path / "own"))
    assert folder_named(NAME) == tmp_path / "own" / "shakespeare-env" / NAME
    monkeypatch.setenv("SHAKESPEARE_CACHE", "")
    assert folder_named(NAME) == tmp_path / "xdg" / "shakespeare-env" / NAME
    monkeypatch.delenv("SHAKESPEARE_CACHE")
    for no_place in ("relative", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", no_place)
        assert folder_named(NAME) == tmp_path / "home" / ".cache" / "shakespeare-env" / NAME


def test_a_relative_folder_stays_where_it_is_when_the_process_moves(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHAKESPEARE_CACHE", "here")
    folder = folder_named(NAME)
    assert folder is not None
    assert folder == tmp_path / "here" / "shakespeare-env" / NAME
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert folder.is_dir()


@compiler
@pytest.mark.parametrize("home", [None, "/nowhere/to/be/found"])
def test_a_user_without_a_home_plays_without_a_cache_and_is_told(tmp_path, home):
    script = """
import pwd
pwd.getpwuid = lambda number: {}[number]  # a user whom the system does not know
import os
os.mkdir = lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
import probe
print(probe.values[0])
"""
    (tmp_path / "probe.py").write_text(
        "import numpy as np\nfrom shakespeare_env.compiled import kernel\n"
        "@kernel('probe')\ndef probe(values):\n    values[0] = 6\n"
        "values = np.zeros(1)\nprobe(values)\n"
    )
    gone = ("HOME", "XDG_CACHE_HOME", "SHAKESPEARE_CACHE")
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={
            **{name: value for name, value in os.environ.items() if name not in gone},
            "PYTHONPATH": str(PACKAGE.parent),
            **({} if home is None else {"HOME": home}),
        },
    )
    assert (done.returncode, done.stdout) == (0, "6.0\n"), done.stderr
    assert done.stderr.count("compiled code is not kept") == 1
    assert ("you have no home folder" if home is None else "Permission denied") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_in_place_of_the_folder_costs_a_warning(place):
    place.touch()
    assert f"{place} is no folder" in refusal()


def test_a_file_in_place_of_a_folder_of_ours_costs_a_warning(place):
    (place / "shakespeare-env").mkdir(parents=True)
    (place / "shakespeare-env" / NAME).touch()
    refusal()


@not_as_root
def test_a_folder_that_cannot_be_written_costs_a_warning(place):
    place.mkdir(mode=0o500)
    assert "Permission denied" in refusal()


def test_a_full_disk_costs_a_warning(place, monkeypatch):
    def full(*_args, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    assert "No space left on device" in refusal()


# ---- who can write it ----------------------------------------------------------------------------


@with_users
@pytest.mark.parametrize("mode", [0o777, 0o707, 0o1777])
@pytest.mark.parametrize("below", ["shakespeare-env", f"shakespeare-env/{NAME}"])
def test_a_folder_that_others_can_write_is_not_used(place, below, mode):
    (place / below).mkdir(parents=True)
    (place / below).chmod(mode)
    assert f"others can write {place / below}" in refusal()


@with_users
def test_no_folder_above_may_be_written_by_others_unless_only_what_is_theirs(place, monkeypatch):
    above = place.parent / "above"
    above.mkdir()
    above.chmod(0o1777)
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(above / "sticky"))
    assert folder_named(NAME) is not None
    above.chmod(0o777)
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(above / "open"))
    assert f"others can write {above}" in refusal()
    assert not (above / "open").exists()


@as_root
@pytest.mark.parametrize("below", ["", "shakespeare-env", f"shakespeare-env/{NAME}"])
def test_a_folder_of_another_user_is_not_used(place, below):
    folder = place / below
    folder.mkdir(parents=True)
    os.chown(folder, STRANGER, STRANGER)
    assert f"{folder} belongs to user {STRANGER}" in refusal()


@with_users
def test_a_group_of_which_the_user_is_the_only_member_is_nobody_else(place, monkeypatch):
    import grp
    import pwd

    from shakespeare_env import compiled_folder

    group = os.getegid()
    own = pwd.struct_passwd(("me", "x", os.geteuid(), group, "", "/", ""))
    friend = pwd.struct_passwd(("friend", "x", STRANGER, group, "", "/", ""))
    monkeypatch.setattr(pwd, "getpwuid", lambda _: own)
    for number, (members, users, alone) in enumerate(
        [
            ([], [own], True),
            (["me"], [own], True),
            (["me", "friend"], [own], False),
            ([], [own, friend], False),
        ]
    ):
        entry = grp.struct_group(("me", "x", group, members))
        monkeypatch.setattr(grp, "getgrgid", lambda _, entry=entry: entry)
        monkeypatch.setattr(pwd, "getpwall", lambda users=users: users)
        compiled_folder._is_own_group.cache_clear()
        folder = place / str(number) / "shakespeare-env"
        folder.mkdir(parents=True)
        folder.chmod(0o775)
        monkeypatch.setenv("SHAKESPEARE_CACHE", str(folder.parent))
        if alone:
            assert folder_named(NAME) == folder / NAME
        else:
            assert f"others can write {folder}" in refusal()
    compiled_folder._is_own_group.cache_clear()


@with_users
def test_links_are_followed_once_and_lead_only_to_folders_that_are_safe(place, monkeypatch):
    safe, unsafe = place.parent / "safe", place.parent / "unsafe"
    (safe / "shakespeare-env").mkdir(parents=True)
    unsafe.mkdir()
    unsafe.chmod(0o777)
    place.symlink_to(safe)
    folder = folder_named(NAME)
    assert folder == safe / "shakespeare-env" / NAME
    link = place.parent / "link"
    link.symlink_to(unsafe)
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(link))
    assert f"others can write {unsafe}" in refusal()


@with_users
def test_a_link_in_place_of_a_folder_of_ours_is_not_followed(place):
    (place / "shakespeare-env").mkdir(parents=True)
    (place.parent / "planted").mkdir()
    (place / "shakespeare-env" / NAME).symlink_to(place.parent / "planted")
    refusal()


# ---- what others have put there ------------------------------------------------------------------


class _Trap:
    """Runs a command when it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.mkdir, (str(self.file),)


@compiler
@with_users
def test_what_others_have_put_into_the_cache_does_not_run(place, monkeypatch):
    """Files of ours and of Numba, whole and under the right name."""

    def loaded(keep):
        @keep
        def probe(values):
            values[0] = 6

        values = np.zeros(1)
        probe(values)
        return values[0], sum(probe.stats.cache_hits.values())

    sprung = place.parent / "sprung"
    assert loaded(kernel("probe")) == (6, 0)
    (file,) = place.rglob("*.code")
    data = pickle.dumps(_Trap(sprung))
    planted = hashlib.sha256(file.name.encode() + b"\n" + data).digest() + data
    file.write_bytes(planted)
    with pytest.warns(RuntimeWarning):
        loaded(kernel("probe"))
    assert sprung.is_dir()  # the trap works, where the user has put it there
    sprung.rmdir()

    file.write_bytes(planted)
    file.chmod(0o666)
    with pytest.warns(RuntimeWarning, match="others can write"):
        assert loaded(kernel("probe")) == (6, 0)
    assert not sprung.exists()

    other = place.parent / "other"
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(other))
    folder = other / "shakespeare-env" / file.parent.name
    folder.mkdir(parents=True)
    for name in (file.name, "test_compiled_folder.probe.py311.nbi", "probe.1.nbc"):
        (folder / name).write_bytes(planted if name == file.name else data)
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="others can write"):
        assert loaded(kernel("probe")) == (6, 0)
    assert not sprung.exists()
    folder.chmod(0o700)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded(kernel("probe"))
    assert not sprung.exists()  # found wanting once, a folder is not looked at again
    assert {Path(path).name for path in folder.iterdir()} >= {file.name}
