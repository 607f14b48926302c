"""Fixtures of every test of training."""

import signal
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def signals_are_heeded():
    """Let Ctrl-C and a lost terminal work, which tests under nohup would ignore."""
    heeded: dict[str, Any] = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
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
