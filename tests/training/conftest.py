"""What the tests of training share."""

import os
import shutil
import signal

import pytest

from shakespeare_training.runs.run import Run
from tests.training.short_runs import SMALL, Quietly


@pytest.fixture(autouse=True)
def signals_are_heeded():
    """Ctrl-C and a lost terminal, which tests and what they start ignore under nohup."""
    names = ("SIGINT", "SIGHUP") if os.name == "posix" else ("SIGINT",)
    ignored = [n for n in names if signal.getsignal(getattr(signal, n)) is signal.SIG_IGN]
    for name in ignored:
        heeded = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
        signal.signal(getattr(signal, name), heeded)
    yield
    for name in ignored:
        signal.signal(getattr(signal, name), signal.SIG_IGN)


@pytest.fixture
def curves_are_drawn():
    """For a test of the learning curve that a run draws."""


@pytest.fixture(autouse=True)
def no_curves(request, monkeypatch):
    """Draw no learning curve, which takes longer than all else that a small run does."""
    if "curves_are_drawn" not in request.fixturenames:
        monkeypatch.setattr("shakespeare_training.runs.callback.draw_curves", lambda *_, **__: None)


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
