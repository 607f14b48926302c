"""Processes that print what they have kept, killed at random moments."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from random import Random

OVER = "over"
"""The last line that a process prints."""


def started(program: str, *arguments: object) -> subprocess.Popen[str]:
    """A process that prints numbers, then `OVER`."""
    words = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def killed(process: subprocess.Popen[str], draws: Random, longest_s: float) -> tuple[int, bool]:
    """Kill a process some time after its first line: the last number told, and if it was over."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    until = time.monotonic() + draws.uniform(0, longest_s)
    reported = int(line) if line.isdigit() else 0
    while time.monotonic() < until and line != OVER:
        line = process.stdout.readline().strip() or OVER
        reported = int(line) if line.isdigit() else reported
    process.send_signal(signal.SIGKILL)
    rest = process.communicate()[0].split()
    reported = max([reported, *(int(word) for word in rest if word.isdigit())])
    return reported, line == OVER
