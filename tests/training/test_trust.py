"""A run's folder runs no Python that its settings name, unless that is trusted."""

from __future__ import annotations

import sys

import pytest

from shakespeare_env import registry
from shakespeare_env.errors import CheckpointError
from shakespeare_training.config import override
from shakespeare_training.runs.run import Run
from tests.contract.command_line import refused
from tests.training.short_runs import SMALL

CODE = """
import pathlib
pathlib.Path(__file__).with_name("was_run").touch()

def first(observations, masks, rng):
    return masks.argmax(axis=1)
"""


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A saved run of which an opponent and an evaluation are a file's; the file as if never run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted.py").write_text(CODE)
    config = override(
        SMALL,
        opponents={"current": 0.5, "planted.py:first": 0.5},
        evaluation_opponents=["planted.py:first"],
    )
    with Run.create(config, tmp_path / "run", device="cpu") as run:
        assert [opponent.name for opponent in run.learner.league.named] == ["planted.py:first"]
        run.save()
    forget(tmp_path)
    return tmp_path


def forget(folder):
    (folder / "was_run").unlink()
    for name in [name for name in sys.modules if name.endswith("planted%2Epy")]:
        del sys.modules[name]


def test_it_is_refused_before_it_is_run(planted):
    said = "its settings name Python, which would be run: 'planted.py:first'; if you trust it, give"
    with pytest.raises(CheckpointError, match=said):
        Run.resume(planted / "run", device="cpu")
    with pytest.raises(CheckpointError, match=said):
        Run.resume(planted / "run", device="cpu", trusted=["other.py:first"])
    message = refused("train", "--resume", str(planted / "run"), "--device", "cpu")
    assert "if you trust it, give each with --trust" in message
    assert not (planted / "was_run").exists()


def test_trusted_it_plays_on(planted):
    with Run.resume(planted / "run", device="cpu", trusted=["planted.py:first"]) as run:
        assert list(run._opponents) == ["planted.py:first"]
    assert (planted / "was_run").exists()


def test_code_that_has_changed_is_another_opponent(planted):
    (planted / "planted.py").write_text(f"{CODE}# changed\n")
    with pytest.raises(CheckpointError, match=r"source of the opponent 'planted\.py:first' have"):
        Run.resume(planted / "run", device="cpu", trusted=["planted.py:first"])


def test_only_resuming_asks_for_trust():
    said = refused("train", "--game", registry.DEFAULT, "--trust", "my.py:Agent")
    assert "only --resume asks for it" in said
