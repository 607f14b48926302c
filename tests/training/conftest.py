"""Fixtures of all tests of training."""

import signal
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def default_signal_handlers():
    """Install the handlers of SIGINT and SIGHUP, which are ignored if tests run under nohup."""
    handlers: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):
        handlers[signal.SIGHUP] = signal.SIG_DFL
    ignored = [number for number in handlers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, handlers[number])
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(autouse=True)
def no_curves(monkeypatch):
    """Draw no learning curves, which would take longer than the rest of a small run."""
    monkeypatch.setattr("shakespeare_training.runs.train.draw_curves", lambda *_, **__: None)


@pytest.fixture(autouse=True)
def one_core(monkeypatch):
    """Let commands learn in the process of the test, unless they name a number of processes."""
    monkeypatch.setattr("shakespeare_training.building.cpu_count", lambda: 1)
