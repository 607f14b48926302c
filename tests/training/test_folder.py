"""A folder is one run's and one process's, whatever else is in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from filelock import FileLock
from rich.console import Console
from typer.testing import CliRunner

from shakespeare_agents.checkpoint import load_checkpoint
from shakespeare_env import registry
from shakespeare_env.cli import app
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_training.runs.folder import take_new, take_saved
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.training.short_runs import SMALL

TAKEN = "another process is training this run; wait for it or stop it"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    with Run.create(SMALL, folder, device="cpu") as run:
        run.save()
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "run")


def command(*arguments):
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


def test_a_run_has_its_folder_until_it_is_closed(folder):
    with Run.resume(folder, device="cpu") as run:
        for attempt in (Run.resume, lambda folder: Run.create(SMALL, folder)):
            with pytest.raises(TrainingError, match=TAKEN):
                attempt(folder)
        load_checkpoint(folder, registry.game(registry.DEFAULT))  # who reads needs no lock
    for use in (run.save, lambda: train(run, Console(quiet=True))):
        with pytest.raises(TrainingError, match="has been closed; resume it"):
            use()
    Run.resume(folder, device="cpu").close()


def test_a_run_that_fails_to_begin_gives_its_folder_back(folder):
    for _ in range(2):
        with pytest.raises(ValueError, match="already holds a run"):
            Run.create(SMALL, folder, device="cpu")
        with pytest.raises(ValueError, match="choose cpu, cuda"):
            Run.resume(folder, device="tpu")
    Run.resume(folder, device="cpu").close()


def test_what_is_in_use_is_not_even_read(folder):
    """The other process may be about to replace what would be read."""
    with FileLock(folder / ".lock"):
        (folder / "run.json").write_text("{")
        with pytest.raises(TrainingError, match=TAKEN):
            Run.resume(folder)
        (folder / "run.json").unlink()
        (folder / ".unsaved").touch()
        for attempt in (Run.resume, lambda folder: Run.create(SMALL, folder, start=None)):
            with pytest.raises(TrainingError, match=TAKEN):
                attempt(folder)


def test_a_run_keeps_other_processes_out_and_the_command_says_so(folder):
    program = "import sys; from filelock import FileLock; FileLock(sys.argv[1]).acquire(timeout=0)"
    words = [sys.executable, "-c", program, str(folder / ".lock")]
    with Run.resume(folder, device="cpu"):
        refused = subprocess.run(words, capture_output=True, text=True, check=False)
        done = command("--resume", folder)
    assert "filelock._error.Timeout" in refused.stderr
    assert subprocess.run(words, check=False).returncode == 0
    assert done.exit_code == 1
    assert TAKEN in " ".join(done.output.split())


def test_a_file_is_no_folder(tmp_path):
    path = tmp_path / "file"
    path.write_text("mine")
    for option in ("--out", "--resume"):
        done = command(option, path, "--device", "cpu")
        assert done.exit_code == 1
        assert "is a file; give" in " ".join(done.output.split())
    assert path.read_text() == "mine"


def test_nothing_is_made_where_there_is_no_run(tmp_path):
    with pytest.raises(CheckpointError, match="there is no such file; is it a run"):
        take_saved(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CheckpointError, match="is it a run"):
        take_saved(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_lock_that_is_a_folder(folder):
    (folder / ".lock").unlink()
    (folder / ".lock").mkdir()
    done = command("--resume", folder, "--device", "cpu")
    assert done.exit_code == 1
    assert ".lock must be a file to lock; remove it" in " ".join(done.output.split())


@pytest.mark.skipif(os.name != "posix", reason="elsewhere links need rights")
def test_a_lock_that_leads_elsewhere(folder, tmp_path):
    """Locking would empty what a stranger's link names."""
    (tmp_path / "precious").write_text("mine")
    (folder / ".lock").unlink()
    (folder / ".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(TrainingError, match="must be a file to lock"):
        Run.resume(folder, device="cpu")
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_folder_that_cannot_be_written(folder, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(FileLock, "acquire", denied)
    for option in ("--out", "--resume"):
        done = command(option, folder, "--device", "cpu")
        assert done.exit_code == 1
        told = " ".join(done.output.split())
        assert "cannot be locked ([Errno 13] Permission denied); give a folder that" in told


def test_remains_of_a_first_save_are_cleared_away(tmp_path, saved):
    """With the marker: without it, the same files are somebody's checkpoint."""
    folder = shutil.copytree(saved, tmp_path / "run")
    (folder / "run.json").unlink()
    (folder / "notes.txt").write_text("mine")
    (folder / ".notes.txt.0123abcd").write_text("mine")
    with pytest.raises(ValueError, match="already holds a checkpoint; give another folder"):
        take_new(folder)
    (folder / ".unsaved").touch()
    (folder / ".card.json.0123abcd").touch()
    with pytest.raises(CheckpointError, match="stopped before its first save"):
        take_saved(folder)
    take_new(folder).release()
    left = {path.name for path in folder.iterdir()}
    assert left == {".lock", ".unsaved", "config.toml", "notes.txt", ".notes.txt.0123abcd"}


def test_a_marker_beside_a_state_says_nothing(folder):
    """A kill between the first state and the end of its save."""
    (folder / ".unsaved").touch()
    with pytest.raises(ValueError, match="already holds a run"):
        take_new(folder)
    Run.resume(folder, device="cpu").close()
    assert not (folder / ".unsaved").exists()
