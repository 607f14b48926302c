"""Processes that print what they have kept, killed at random moments."""

from __future__ import annotations

import subprocess
import sys
from random import Random
from threading import Timer

OVER = "over"
"""The last line that a process prints."""


def started(program: str, *arguments: object) -> subprocess.Popen[str]:
    """A process of Python that prints numbers, then `OVER`."""
    words = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def killed(
    process: subprocess.Popen[str], draws: Random, longest_s: float, after: int = 1
) -> tuple[int, bool]:
    """Kill a process some time after so many lines: the last number told, and if it was over."""
    with process:
        assert process.stdout is not None
        first = [process.stdout.readline() for _ in range(after)]
        timer = Timer(draws.uniform(0, longest_s), process.kill)
        timer.start()
        told = [line.strip() for line in (*first, *process.stdout)]
        timer.cancel()
    return max([0, *(int(line) for line in told if line.isdigit())]), OVER in told
