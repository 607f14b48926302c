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


def test_python_that_settings_name_is_run_only_if_it_is_trusted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, was_run = tmp_path / "planted.py", tmp_path / "was_run"
    code.write_text(CODE)
    config = override(
        SMALL,
        opponents={"current": 0.5, "planted.py:first": 0.5},
        evaluation_opponents=["planted.py:first"],
    )
    with Run.create(config, tmp_path / "run", device="cpu") as run:
        assert [opponent.name for opponent in run.learner.league.named] == ["planted.py:first"]
        run.save()

    def forget():
        """The file is as if it had never been run."""
        was_run.unlink()
        for name in [name for name in sys.modules if name.endswith("planted%2Epy")]:
            del sys.modules[name]

    def resume(*trusted):
        return Run.resume(tmp_path / "run", device="cpu", trusted=trusted)

    forget()
    said = "its settings name Python, which would be run: 'planted.py:first'; if you trust it, give"
    for trusted in ([], ["other.py:first"]):
        with pytest.raises(CheckpointError, match=said):
            resume(*trusted)
    message = refused("train", "--resume", str(tmp_path / "run"), "--device", "cpu")
    assert "if you trust it, give each with --trust" in message
    assert not was_run.exists()

    with resume("planted.py:first") as run:
        assert list(run._opponents) == ["planted.py:first"]
    assert was_run.exists()

    forget()
    code.write_text(f"{CODE}# changed\n")
    with pytest.raises(CheckpointError, match=r"source of the opponent 'planted\.py:first' have"):
        resume("planted.py:first")


def test_only_resuming_asks_for_trust():
    said = refused("train", "--game", registry.DEFAULT, "--trust", "my.py:Agent")
    assert "only --resume asks for it" in said
