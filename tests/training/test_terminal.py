"""A signal stops a run where nothing is lost; a second one ends the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shakespeare_training.terminal import Stop, Stopped, stopped_by_signals

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


def test_a_signal_stops_what_can_be_lost_at_once_and_the_rest_where_it_may_be_stopped():
    with pytest.raises(Stopped), stopped_by_signals(Stop()):
        signal.raise_signal(signal.SIGTERM)
    stop, passed = Stop(), []
    with pytest.raises(Stopped), stopped_by_signals(stop), stop.deferred():  # noqa: PT012
        stop.check()
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # so soon that it is the same one
        passed.append("saved")
        stop.check()
        passed.append("went on")
    assert passed == ["saved"]


def test_signals_that_are_ignored_stay_so_and_handlers_are_put_back():
    """As under nohup, where a lost terminal is to end nothing."""
    stop, interrupt = Stop(), signal.getsignal(signal.SIGINT)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_by_signals(stop):
            signal.raise_signal(signal.SIGHUP)
            assert not stop.requested
            assert signal.getsignal(signal.SIGINT) is not interrupt
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is interrupt
    finally:
        signal.signal(signal.SIGHUP, before)


BUSY = """
import signal, time
from shakespeare_training.terminal import Stop, stopped_by_signals
stop = Stop()
with stopped_by_signals(stop), stop.deferred():
    signal.raise_signal(signal.SIGINT)
    time.sleep(0.7)
    print("went on", flush=True)
    signal.raise_signal(signal.SIGINT)
    print("never said", flush=True)
"""


def test_a_second_signal_ends_the_process():
    done = subprocess.run([sys.executable, "-c", BUSY], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "went on\n"
    assert done.stderr == "stopping; once more to leave at once\n"
    assert done.returncode == 128 + signal.SIGINT
