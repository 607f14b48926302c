"""What a run's folder says must fit before it is used; one process has it, and runs no Python."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import safetensors.numpy
from filelock import FileLock
from rich.console import Console

from shakespeare_agents.networks.checkpoint import load_checkpoint
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_training.config import override
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.contract.command_line import refused
from tests.training.short_runs import SMALL, edit_state


def put(data, place, value):
    """Replace what stands at `a.b.0`; `...` takes it out."""
    *path, last = [int(step) if step.isdecimal() else step for step in place.split(".")]
    for step in path:
        data = data[step]
    if value is ...:
        del data[last]
    else:
        data[last] = value


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("format", 99),
        ("made_for.game", "chess"),
        ("made_for.box_digest", "0"),
        ("made_for.records", "0"),
        ("made_for.layout_digest", ...),
        ("surprise", 1),
        ("arrays", []),
        ("arrays.file", "../run.safetensors"),
        ("league.active", 99),
        ("league.opponents.0.wins", -1.0),
        ("league.opponents.1", ...),
        ("league.rng.bit_generator", "MT19937"),
        ("rng.state.state", -1),
        ("decisions", 10**30),
        ("decisions", True),
        ("snapshots", []),
        ("seconds", "x"),
        ("digests.random", "0"),
        ("history", [{"decisions": 3}]),
        ("config.width", 24),
        ("config.n_envs", 17),
        ("config.players", [99]),
        ("config.breadth", 3),
    ],
)
def test_an_entry_that_cannot_be_is_refused(folder, place, value):
    edit_state(folder, partial(put, place=place, value=value))
    with pytest.raises(CheckpointError, match=str(folder)):
        Run.resume(folder, device="cpu")


def test_what_is_no_proper_json_is_refused(folder):
    for text in ("", "{", "[" * 10**5, '{"format": 5, "\\ud800": 1}'):
        (folder / "run.json").write_text(text)
        with pytest.raises(CheckpointError, match=r"run\.json"):
            Run.resume(folder, device="cpu")


def resign(folder, name, change):
    """Change an array of a run, and its file's digest with it."""

    def edit(data):
        path = folder / data["arrays"]["file"]
        arrays = dict(safetensors.numpy.load(path.read_bytes()))
        arrays[name] = change(arrays[name].copy())
        path.write_bytes(safetensors.numpy.save(arrays))
        data["arrays"]["digest"] = hashlib.sha256(path.read_bytes()).hexdigest()

    edit_state(folder, edit)


def spoilt(value):
    """The same array with another number in its first place."""

    def change(array):
        array.reshape(-1)[0] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("policy/action.weight", lambda a: a[:-1]),
        ("seats", lambda a: a[:, :2]),
        ("games", lambda a: a * 0),
        ("games", lambda a: a[:-1]),
        ("open/games", spoilt(99)),
        ("open/games", lambda a: np.array(3)),
        ("open/seats", spoilt(-1)),
        ("open/seats", spoilt(7)),
        ("open/actions", spoilt(10**6)),
        ("open/masks", lambda a: a[:, :3]),
        ("open/observations", lambda a: a[:-1]),
    ],
)
def test_an_array_that_cannot_be_is_refused(folder, name, change):
    resign(folder, name, change)
    with pytest.raises(CheckpointError, match=str(folder)):
        Run.resume(folder, device="cpu")


def test_a_run_has_its_folder_until_it_is_closed(folder):
    program = "import sys; from filelock import FileLock; FileLock(sys.argv[1]).acquire(timeout=0)"
    words = [sys.executable, "-c", program, str(folder / ".lock")]
    with Run.resume(folder, device="cpu") as run:
        other = subprocess.run(words, capture_output=True, text=True, check=False)
        assert "filelock._error.Timeout" in other.stderr
        assert "another process" in refused("train", "--resume", str(folder), "--device", "cpu")
        load_checkpoint(folder, registry.game(registry.DEFAULT))  # who reads needs no lock
    assert subprocess.run(words, check=False).returncode == 0
    for use in (run.save, lambda: train(run, Console(quiet=True))):
        with pytest.raises(TrainingError, match="closed"):
            use()
    for _ in range(2):  # what fails to begin gives the folder back
        with pytest.raises(ValueError, match="--resume"):
            Run.create(SMALL, folder, device="cpu")
        with pytest.raises(ValueError, match="tpu"):
            Run.resume(folder, device="tpu")
    with FileLock(folder / ".lock"), pytest.raises(TrainingError):
        Run.resume(folder)
    Run.resume(folder, device="cpu").close()


def test_only_a_run_is_resumed_and_nothing_is_overwritten(folder, tmp_path):
    for empty in (tmp_path / "empty", tmp_path / "nothing"):
        with pytest.raises(CheckpointError, match=r"run\.json"):
            Run.resume(empty)
        assert not empty.exists()
    (tmp_path / "file").write_text("mine")
    for option in ("--out", "--resume"):
        assert "file" in refused("train", option, str(tmp_path / "file"), "--device", "cpu")
    (folder / "run.json").unlink()
    with pytest.raises(ValueError, match="already holds a checkpoint"):
        Run.create(SMALL, folder, device="cpu")


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
    with pytest.raises(CheckpointError, match=PLANTED):
        Run.resume(tmp_path / "run", device="cpu", trusted=["other.py:first"])
    assert "--trust" in refused("train", "--resume", str(tmp_path / "run"))
    assert not was_run.exists()
    with Run.resume(tmp_path / "run", device="cpu", trusted=[PLANTED]) as run:
        assert list(run._opponents) == [PLANTED]
    assert was_run.exists()
    forget()
    code.write_text(f"{CODE}# changed\n")
    with pytest.raises(CheckpointError, match="changed"):
        Run.resume(tmp_path / "run", device="cpu", trusted=[PLANTED])
