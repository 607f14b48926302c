"""A folder is one run's and one process's, and runs no Python that is not trusted."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from filelock import FileLock
from rich.console import Console

from shakespeare_agents.networks.checkpoint import load_checkpoint
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_training.config import override
from shakespeare_training.runs.folder import take_new, take_saved
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.contract.command_line import refused
from tests.training.short_runs import SMALL

TAKEN = "another process is training this run; wait for it or stop it"


def said_of(folder, option):
    """What `train` says that cannot use a folder."""
    return refused("train", option, str(folder), "--device", "cpu")


def test_a_run_has_its_folder_until_it_is_closed(folder):
    program = "import sys; from filelock import FileLock; FileLock(sys.argv[1]).acquire(timeout=0)"
    words = [sys.executable, "-c", program, str(folder / ".lock")]
    with Run.resume(folder, device="cpu") as run:
        other = subprocess.run(words, capture_output=True, text=True, check=False)
        assert "filelock._error.Timeout" in other.stderr
        assert TAKEN in said_of(folder, "--resume")
        load_checkpoint(folder, registry.game(registry.DEFAULT))  # who reads needs no lock
    assert subprocess.run(words, check=False).returncode == 0
    for use in (run.save, lambda: train(run, Console(quiet=True))):
        with pytest.raises(TrainingError, match="has been closed; resume it"):
            use()
    for _ in range(2):  # what fails to begin gives the folder back
        with pytest.raises(ValueError, match="already holds a run; continue it with --resume"):
            Run.create(SMALL, folder, device="cpu")
        with pytest.raises(ValueError, match="choose cpu, cuda"):
            Run.resume(folder, device="tpu")
    Run.resume(folder, device="cpu").close()


def test_what_is_in_use_is_not_even_read(folder):
    """The other process may be about to replace what would be read."""
    state = folder / "run.json"
    with FileLock(folder / ".lock"):
        for change in (lambda: state.write_text("{"), lambda: state.rename(folder / ".unsaved")):
            change()
            for attempt in (Run.resume, lambda folder: Run.create(SMALL, folder)):
                with pytest.raises(TrainingError, match=TAKEN):
                    attempt(folder)


def test_a_file_is_no_folder(tmp_path):
    path = tmp_path / "file"
    path.write_text("mine")
    for option in ("--out", "--resume"):
        assert "is a file; give" in said_of(path, option)
    assert "cannot be written" in said_of(path / "run", "--out")
    assert path.read_text() == "mine"


def test_nothing_is_made_where_there_is_no_run(tmp_path):
    for folder in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(CheckpointError, match="is it a run"):
            take_saved(folder)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="elsewhere links need rights")
def test_a_lock_that_is_a_folder_or_leads_elsewhere(folder, tmp_path):
    """Locking would empty what a stranger's link names."""
    (tmp_path / "precious").write_text("mine")
    (folder / ".lock").unlink()
    (folder / ".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(TrainingError, match="must be a file to lock"):
        Run.resume(folder, device="cpu")
    assert (tmp_path / "precious").read_text() == "mine"
    (folder / ".lock").unlink()
    (folder / ".lock").mkdir()
    assert ".lock must be a file to lock; remove it" in said_of(folder, "--resume")


def test_a_folder_that_cannot_be_written(folder, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(FileLock, "acquire", denied)
    for option in ("--out", "--resume"):
        said = "cannot be locked ([Errno 13] Permission denied); give a folder that"
        assert said in said_of(folder, option)


def test_remains_of_a_first_save_are_cleared_away(folder):
    """With the marker: without it, the same files are somebody's checkpoint."""
    (folder / "run.json").unlink()
    (folder / "notes.txt").write_text("mine")
    (folder / ".notes.txt.0123abcd").write_text("mine")
    (folder / "run-mine.safetensors").write_text("mine")
    with pytest.raises(ValueError, match="already holds a checkpoint; give another folder"):
        take_new(folder)
    (folder / ".unsaved").touch()
    (folder / ".card.json.0123abcd").touch()
    with pytest.raises(CheckpointError, match="stopped before its first save"):
        take_saved(folder)
    take_new(folder).release()
    left = {path.name for path in folder.iterdir()}
    mine = {"notes.txt", ".notes.txt.0123abcd", "run-mine.safetensors"}
    assert left == {".lock", ".unsaved", "config.toml", "tensorboard", *mine}


def test_a_marker_beside_a_state_says_nothing(folder):
    """A kill between the first state and the end of its save."""
    (folder / ".unsaved").touch()
    with pytest.raises(ValueError, match="already holds a run"):
        take_new(folder)
    Run.resume(folder, device="cpu").close()
    assert not (folder / ".unsaved").exists()


CODE = """
import pathlib
pathlib.Path(__file__).with_name("was_run").touch()

def first(observations, masks, rng):
    return masks.argmax(axis=1)
"""
PLANTED = "planted.py:first"


def test_python_that_settings_name_is_run_only_if_it_is_trusted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, was_run = tmp_path / "planted.py", tmp_path / "was_run"
    code.write_text(CODE)
    met = {"opponents": {"current": 0.5, PLANTED: 0.5}, "evaluation_opponents": [PLANTED]}
    with Run.create(override(SMALL, **met), tmp_path / "run", device="cpu") as run:
        assert [opponent.name for opponent in run.learner.league.named] == [PLANTED]
        run.save()

    def forget():
        """The file is as if it had never been run."""
        was_run.unlink()
        for name in [name for name in sys.modules if name.endswith("planted%2Epy")]:
            del sys.modules[name]

    forget()
    with pytest.raises(CheckpointError, match=f"name Python, which would be run: '{PLANTED}'"):
        Run.resume(tmp_path / "run", device="cpu", trusted=["other.py:first"])
    assert "if you trust it, give each with --trust" in said_of(tmp_path / "run", "--resume")
    assert not was_run.exists()
    with Run.resume(tmp_path / "run", device="cpu", trusted=[PLANTED]) as run:
        assert list(run._opponents) == [PLANTED]
    assert was_run.exists()
    forget()
    code.write_text(f"{CODE}# changed\n")
    with pytest.raises(CheckpointError, match=r"source of the opponent 'planted\.py:first' have"):
        Run.resume(tmp_path / "run", device="cpu", trusted=[PLANTED])
