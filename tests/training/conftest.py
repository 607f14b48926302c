"""What the tests of training share."""

import os
import signal

import pytest


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
