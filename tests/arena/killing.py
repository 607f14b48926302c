"""Processes that print what they have kept, killed at random moments."""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

OVER = "over"
"""The last line that a process prints."""


def killed(
    program: str, arguments: tuple[object, ...], draws: Random, longest_s: float, after: int = 1
) -> tuple[int, bool]:
    """Kill a process of Python some time after its first lines.

    It prints numbers, then `OVER`; the last number it printed, and whether it was over.
    """
    words = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = [process.stdout.readline() for _ in range(after)]
        timer = Timer(draws.uniform(0, longest_s), process.kill)
        timer.start()
        lines = [line.strip() for line in (*first, *process.stdout)]
        timer.cancel()
    return max([0, *(int(line) for line in lines if line.isdigit())]), OVER in lines


def attack(strike: Callable[[Any, Path], tuple[int, str]], *, times: int, **defaults: Any) -> None:
    """The command of an attack: `strike` gets its arguments and a folder, and reports."""
    parser = argparse.ArgumentParser()
    for name, default in {"times": times, "seed": 0, **defaults}.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        struck, report = strike(given, Path(name))
    print(f"{struck} kills; {report}")
    assert struck == given.times, "it was over too early: give more --games"
