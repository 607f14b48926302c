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


def kill_often(
    program: str,
    words: Callable[[int], tuple[object, ...]],
    kept: Callable[[], int],
    *,
    times: int,
    seed: int,
    longest_s: float,
    after: tuple[int, ...] = (1,),
) -> int:
    """Start Python again and again and kill it some time after its first lines.

    It prints the numbers of games that it has kept, then `over`. Returns how many kills struck.

    Args:
        program: The Python.
        words: Its arguments, given the number of the kill.
        kept: The games that it has kept indeed.
        times: How often, unless it is over before.
        seed: Of the moments.
        longest_s: Seconds of play at most.
        after: The lines it may have printed before.
    """
    draws = Random(seed)
    for kill in range(times):
        command = [sys.executable, "-c", program, *map(str, words(kill))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            first = [process.stdout.readline() for _ in range(draws.choice(after))]
            timer = Timer(draws.uniform(0, longest_s), process.kill)
            timer.start()
            lines = [line.strip() for line in (*first, *process.stdout)]
            timer.cancel()
        reported = max([0, *(int(line) for line in lines if line.isdigit())])
        assert kept() >= reported, f"{reported} games were reported"
        if "over" in lines:
            return kill
    return times


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
