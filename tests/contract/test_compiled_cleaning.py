"""Old compiled code is cleared away; what is in use or not ours is not."""

import os
import subprocess
import sys
import time

import pytest

from shakespeare_env.compiled_cleaning import DAY, MOST_BYTES, RECENT, UNUSED, clean
from shakespeare_env.compiled_folder import folder_named
from shakespeare_env.compiled_sources import PACKAGE


def named(number):
    return f"probe-{number:024x}"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    (tmp_path / "shakespeare-env").mkdir()
    return tmp_path / "shakespeare-env"


def fill(folder, age=0.0, size=0, names=("step-1.code", "compiled")):
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
    fill(home / named(2), UNUSED + DAY, names=("a.py311.nbi", "a.py311.1.nbc"))
    fill(home / f"{named(3)}.old", UNUSED + DAY)
    fill(home / named(4), UNUSED + DAY, names=("step-1.codeabc_1.draft",))
    stay = [fill(home / named(5), UNUSED - DAY), fill(home.parent / "keep", 2 * UNUSED)]
    names = ["probe", named(2) + "0", "probe-" + "G" * 24, "notes.txt-" + "0" * 24]
    stay += [fill(home / name, 2 * UNUSED) for name in names]
    stay.append(fill(home / named(7), 2 * UNUSED, names=("step-1.code", "notes.txt")))
    link, inner = (fill(home / named(number), names=()) for number in (8, 9))
    (link / "step-1.code").symlink_to(stay[1] / "compiled")
    (inner / "step-1.code").mkdir()
    for path in (link, inner):
        os.utime(path, (0, 0))
    (home / named(10)).symlink_to(stay[1])
    clean(home)
    assert {*home.iterdir()} == {*stay[:1], *stay[2:], link, inner, home / named(10)}
    assert (stay[1] / "compiled").exists()


def test_beyond_a_total_size_those_used_longest_ago_go_unless_used_lately(home):
    folders = [fill(home / named(age), age * DAY, MOST_BYTES // 3) for age in (2, 3, 4, 5, 6)]
    clean(home)
    assert [folder.exists() for folder in folders] == [True, True, True, False, False]
    lately = [fill(home / named(number), RECENT / 2, MOST_BYTES) for number in range(20, 23)]
    clean(home)
    assert all(folder.exists() for folder in lately)


def test_drafts_of_killed_processes_go_from_folders_in_use(home):
    names = ("step-1.code", "step-1.codeabc.draft", "play-2.codedef.draft")
    folder = fill(home / named(1), names=names)
    os.utime(folder / names[1], (0, 0))
    clean(home)
    assert {path.name for path in folder.iterdir()} == {names[0], names[2]}


@pytest.mark.skipif(os.name == "nt", reason="there are no locks here")
def test_what_a_process_holds_stays_until_it_ends(home):
    script = (
        "from shakespeare_env.compiled_folder import folder_named\n"
        f"print(folder_named({named(1)!r}), flush=True)\ninput()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    assert process.stdout is not None
    folder = home / named(1)
    assert process.stdout.readline().strip() == str(folder)
    os.utime(folder, (0, 0))
    clean(home)
    assert folder.exists()
    process.communicate("\n")
    clean(home)
    assert not folder.exists()


def test_use_makes_a_folder_young_and_a_new_one_occasions_cleaning(home):
    old, used = (fill(home / named(number), 2 * UNUSED) for number in (1, 2))
    assert folder_named(named(2)) == used
    assert time.time() - used.stat().st_mtime < DAY
    assert old.exists()
    folder_named(named(3))
    assert not old.exists()


def test_what_cannot_be_deleted_stays_without_a_word(home, monkeypatch, recwarn):
    old = fill(home / named(1), 2 * UNUSED)

    def refused(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.rename", refused)
    clean(home)
    assert old.exists()
    assert not recwarn.list
