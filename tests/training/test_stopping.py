"""A signal is heard at once, whatever the main thread does; a second one ends the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shakespeare_training.stopping import Stop, Stopped, stopped_by_signals

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


class Heard(threading.Event):
    """Set when a signal is acknowledged."""

    def __call__(self):
        assert not self.is_set(), "acknowledged twice"
        self.set()


def test_a_signal_stops_what_can_be_lost_at_once():
    stop, heard = Stop(), Heard()
    with pytest.raises(Stopped), stopped_by_signals(stop, heard):
        signal.raise_signal(signal.SIGTERM)
    assert heard.wait(10)


def test_a_signal_stops_the_rest_where_it_may_be_stopped():
    stop, heard, passed = Stop(), Heard(), []

    with pytest.raises(Stopped), stopped_by_signals(stop, heard), stop.deferred():  # noqa: PT012
        stop.check()
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # so soon that it is the same one
        passed.append("saved")
        stop.check()
        passed.append("went on")
    assert heard.wait(10)
    assert passed == ["saved"]


@posix
def test_signals_that_are_ignored_stay_so():
    """As under nohup, where a lost terminal is to end nothing."""
    stop = Stop()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_by_signals(stop, Heard()):
            signal.raise_signal(signal.SIGHUP)
            assert not stop.requested
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_handlers_are_put_back_and_threads_get_none():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with stopped_by_signals(Stop(), Heard()):
        assert signal.getsignal(signal.SIGINT) is not before[0]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert signal.set_wakeup_fd(-1) == -1

    def work():
        with stopped_by_signals(Stop(), Heard()):
            return "worked"

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work).result() == "worked"


BUSY = """
import hashlib
import threading
from shakespeare_training.stopping import Stop, stopped_by_signals
with stopped_by_signals(Stop(), lambda: print("heard", flush=True)):
    threading.Timer(1, print, ["ready"], {"flush": True}).start()  # from within machine code
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # minutes without a line of Python
"""


@posix
def test_busy_machine_code_neither_delays_the_answer_nor_the_end():
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "heard\n"
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == ""
    assert process.returncode == 128 + signal.SIGINT
