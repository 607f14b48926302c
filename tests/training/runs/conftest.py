"""A run that was saved."""

import shutil

import pytest

from shakespeare_training.runs.run import Run
from tests.training.short_runs import SMALL, Quietly


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """The folder of a run with snapshots, open decisions and an optimiser at work."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    with Run.create(SMALL, folder, device="cpu") as run:
        run.learn(Quietly(run, leave_at=900))
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    """A copy of it."""
    return shutil.copytree(saved, tmp_path / "run")
