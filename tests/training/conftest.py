"""What the tests of training share."""

import shutil
import signal

import pytest

from shakespeare_training.runs.run import Run
from tests.training.short_runs import SMALL, Quietly


@pytest.fixture(autouse=True)
def signals_are_heeded():
    """Ctrl-C and a lost terminal, which tests and what they start ignore under nohup."""
    heeded = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    numbers = {getattr(signal, name): act for name, act in heeded.items() if hasattr(signal, name)}
    ignored = [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, numbers[number])
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(autouse=True)
def no_curves(monkeypatch):
    """Draw no learning curve, which takes longer than all else that a small run does."""
    monkeypatch.setattr("shakespeare_training.runs.train.draw_curves", lambda *_, **__: None)


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
