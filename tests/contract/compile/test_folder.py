"""Compiled code is kept only where the user alone can write, since loading it runs it, and not
forever."""

import hashlib
import os
import pickle
import time
from typing import Any

import numba
import numpy as np
import pytest

from shakespeare_env.compile import folder as compiled_folder
from shakespeare_env.compile.decorators import kernel
from shakespeare_env.compile.folder import DAY, MOST_BYTES, RECENT, UNUSED, clean, folder_named

with_users = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users have no numbers here")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
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


def test_the_folder_is_where_the_variable_says_and_else_in_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for own in (str(tmp_path / "own"), "relative"):
        monkeypatch.setenv("SHAKESPEARE_CACHE", own)
        assert folder_named(NAME) == tmp_path / own / "shakespeare-env" / NAME
    monkeypatch.setenv("SHAKESPEARE_CACHE", "")
    assert folder_named(NAME) == tmp_path / "xdg" / "shakespeare-env" / NAME
    for no_place in ("relative", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", no_place)
        assert folder_named(NAME) == tmp_path / "home" / ".cache" / "shakespeare-env" / NAME


@with_users
def test_a_user_whom_the_system_does_not_know_is_warned(monkeypatch):
    import pwd

    for name in ("HOME", "XDG_CACHE_HOME", "SHAKESPEARE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: {}[number])
    assert "you have no home folder" in refusal()


@with_users
@pytest.mark.parametrize("below", ["shakespeare-env", f"shakespeare-env/{NAME}"])
def test_a_folder_that_others_can_write_is_not_used(place, below):
    (place / below).mkdir(parents=True)
    (place / below).chmod(0o1777)
    assert f"others can write {place / below}" in refusal()


@with_users
def test_no_folder_above_may_be_written_by_others_unless_only_what_is_theirs(place):
    place.mkdir()
    place.chmod(0o777)
    assert f"others can write {place}" in refusal()
    assert not (place / "shakespeare-env").exists()
    place.chmod(0o1777)
    assert folder_named(NAME) is not None


@as_root
@pytest.mark.parametrize("below", ["", f"shakespeare-env/{NAME}"])
def test_a_folder_of_another_user_is_not_used(place, below):
    folder = place / below
    folder.mkdir(parents=True)
    os.chown(folder, STRANGER, STRANGER)
    assert f"{folder} belongs to user {STRANGER}" in refusal()


@with_users
@pytest.mark.parametrize(
    ("members", "has_friend", "alone"),
    [(["me"], False, True), (["me", "friend"], False, False), ([], True, False)],
)
def test_a_group_of_which_the_user_is_the_only_member_is_nobody_else(
    place, monkeypatch, members, has_friend, alone
):
    import grp
    import pwd

    group = os.getegid()
    users = [
        pwd.struct_passwd((name, "x", number, group, "", "/", ""))
        for name, number in (("me", os.geteuid()), ("friend", STRANGER))
    ]
    monkeypatch.setattr(pwd, "getpwuid", lambda _: users[0])
    monkeypatch.setattr(pwd, "getpwall", lambda: users[: 1 + has_friend])
    monkeypatch.setattr(grp, "getgrgid", lambda _: grp.struct_group(("me", "x", group, members)))
    compiled_folder._is_own_group.cache_clear()
    folder = place / "shakespeare-env"
    folder.mkdir(parents=True)
    folder.chmod(0o775)
    if alone:
        assert folder_named(NAME) == folder / NAME
    else:
        assert f"others can write {folder}" in refusal()
    compiled_folder._is_own_group.cache_clear()


@with_users
def test_links_lead_only_to_folders_that_are_safe(place, monkeypatch):
    safe, unsafe, link = (place.parent / name for name in ("safe", "unsafe", "link"))
    (safe / "shakespeare-env").mkdir(parents=True)
    unsafe.mkdir()
    unsafe.chmod(0o777)
    place.symlink_to(safe)
    assert folder_named(NAME) == safe / "shakespeare-env" / NAME
    link.symlink_to(unsafe)
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(link))
    assert f"others can write {unsafe}" in refusal()


class _Trap:
    """Runs a command when it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.mkdir, (str(self.file),)


@compiler
@with_users
def test_what_others_have_put_into_the_cache_does_not_run(place):
    def loaded():
        @kernel("probe")
        def probe(values):
            values[0] = 6

        entry: Any = probe
        values = np.zeros(1)
        entry(values)
        return values[0], sum(entry.stats.cache_hits.values())

    sprung = place.parent / "sprung"
    assert loaded() == (6, 0)
    (file,) = place.rglob("*.code")
    data = pickle.dumps(_Trap(sprung))
    planted = hashlib.sha256(file.name.encode() + b"\n" + data).digest() + data
    file.write_bytes(planted)
    with pytest.warns(RuntimeWarning):
        loaded()
    assert sprung.is_dir()  # the trap works, where the user has put it there
    sprung.rmdir()

    file.write_bytes(planted)
    file.chmod(0o666)
    with pytest.warns(RuntimeWarning, match="others can write"):
        assert loaded() == (6, 0)
    assert not sprung.exists()


def named(number):
    return f"probe-{number:024x}"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    (tmp_path / "shakespeare-env").mkdir()
    return tmp_path / "shakespeare-env"


def fill(folder, age=0.0, size=0, names=("step-1.code", "step-1.turn")):
    """A folder of compiled code; its age is in seconds, its size in bytes."""
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    if size:
        os.truncate(folder / names[0], size)  # without taking room
    at = time.time() - age
    os.utime(folder, (at, at))
    return folder


def test_folders_that_nobody_has_used_for_long_go_and_what_is_not_ours_stays(home):
    fill(home / named(1), UNUSED + DAY)
    fill(home / named(4), UNUSED + DAY, names=("step-1.codeabc_1.draft",))
    stay = [fill(home / named(5), UNUSED - DAY), fill(home.parent / "keep", 2 * UNUSED)]
    names = ["probe", named(2) + "0", "probe-" + "G" * 24, "notes.txt-" + "0" * 24]
    stay += [fill(home / name, 2 * UNUSED) for name in names]
    stay.append(fill(home / named(7), 2 * UNUSED, names=("step-1.code", "notes.txt")))
    link, inner = (fill(home / named(number), names=()) for number in (8, 9))
    (link / "step-1.code").symlink_to(stay[1] / "step-1.turn")
    (inner / "step-1.code").mkdir()
    for path in (link, inner):
        os.utime(path, (0, 0))
    (home / named(10)).symlink_to(stay[1])
    clean(home)
    assert {*home.iterdir()} == {*stay[:1], *stay[2:], link, inner, home / named(10)}
    assert (stay[1] / "step-1.turn").exists()


def test_beyond_a_total_size_those_used_longest_ago_go_unless_used_lately(home):
    folders = [fill(home / named(age), age * DAY, MOST_BYTES // 3) for age in (2, 3, 4, 5, 6)]
    clean(home)
    assert [folder.exists() for folder in folders] == [True, True, True, False, False]
    lately = [fill(home / named(number), RECENT / 2, MOST_BYTES) for number in range(20, 23)]
    clean(home)
    assert all(folder.exists() for folder in lately)


def test_use_makes_a_folder_young_and_a_new_one_occasions_cleaning(home):
    old, used = (fill(home / named(number), 2 * UNUSED) for number in (1, 2))
    assert folder_named(named(2)) == used
    assert time.time() - used.stat().st_mtime < DAY
    assert old.exists()
    folder_named(named(3))
    assert not old.exists()
