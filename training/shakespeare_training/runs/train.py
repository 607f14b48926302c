"""Trains a run, then shows its results and what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from rich.console import Console

from shakespeare_agents.naming import running_python
from shakespeare_env import registry
from shakespeare_training.config_text import game_option
from shakespeare_training.runs.callback import RunCallback
from shakespeare_training.runs.curves import draw_curves
from shakespeare_training.runs.display import TrainingDisplay, measurement_table
from shakespeare_training.runs.folder import CURVES_NAME, LOGS_NAME
from shakespeare_training.runs.run import Run

_NAME = "shakespeare"


def train(run: Run, console: Console, minutes: float | None = None) -> bool:
    """Train until a run is complete, out of time or stopped by a signal, then show its results.

    The first Ctrl-C, SIGTERM or SIGHUP stops it cleanly, the second at once.

    Returns:
        Whether the run is complete.

    Raises:
        TrainingError: the weights have exploded, or the run has been closed.
        OSError: the run cannot be saved.
    """
    run.check_open()
    config = run.config
    if run.decisions >= config.decisions:
        done = f"{run.folder} is complete after {run.decisions:,} decisions"
        console.print(f"{done}; extend it with --decisions", highlight=False)
        return True
    with TrainingDisplay(console, told=len(run.history)) as display:
        callback = RunCallback(run, display, minutes)
        with _stopped_by_signals(callback):
            run.learn(callback)
    if len(run.history):
        console.print(measurement_table(run.history))
        targets = registry.game(config.game).good_scores
        title = f"{config.game}, seed {config.seed}"
        draw_curves(run.history, run.folder / CURVES_NAME, title=title, targets=targets)
    _print_next_steps(run, console, callback)
    return not callback.stopped


def _print_next_steps(run: Run, console: Console, callback: RunCallback) -> None:
    folder, config, program = run.folder, run.config, _here(_NAME)
    game = "".join(f" {word}" for word in game_option(config.game))
    opponent = config.evaluation_opponents[-1] if config.evaluation_opponents else "random"
    trust = running_python({**config.opponents, **dict.fromkeys(config.evaluation_opponents)})
    resume = f"{program} train --resume {folder}"
    resume += "".join(f" --trust {shlex.quote(name)}" for name in trust)
    if callback.stopped:
        done = f"{callback.saved_decisions:,} of {config.decisions:,} decisions"
        console.print(f"Stopped after {done}; saved.", highlight=False)
    else:
        resume += f" --decisions {2 * config.decisions}"
    lines = [
        f"Checkpoint  {folder}",
        f"Curves      {folder / CURVES_NAME}",
        f"Continue    {resume}",
        f"Evaluate    {program} evaluate{game} {folder} {opponent} --players {max(config.players)}",
        f"Play        {program} play{game} {folder}",
        f"Logs        {_here('tensorboard')} --logdir {folder / LOGS_NAME}",
    ]
    console.print("\n".join(lines), highlight=False, soft_wrap=True)


def _here(name: str) -> str:
    """A program's name, or its path beside this one where the shell does not find it."""
    called = Path(sys.argv[0])
    if called.name != _NAME or shutil.which(name):
        return name
    return os.path.relpath(called.with_name(name))


@contextmanager
def _stopped_by_signals(callback: RunCallback) -> Iterator[None]:
    """Let the first signal stop the run cleanly; after that, signals act as before."""
    # SIGHUP, on systems that have it, is a lost terminal.
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if os.name == "posix" else [])]
    before = {number: signal.getsignal(number) for number in numbers}
    # What is ignored, as SIGHUP under nohup, stays ignored.
    before = {number: old for number, old in before.items() if old is not signal.SIG_IGN}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def stop(_number: int, _frame: FrameType | None) -> None:
        callback.stop = True  # no printing here: a print may be in progress
        restore()

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        restore()
