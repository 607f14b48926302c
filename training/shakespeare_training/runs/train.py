"""The training command: from settings to a checkpoint, its curves and what to do next."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from rich.console import Console

from shakespeare_env.registry import game
from shakespeare_training.config import game_option
from shakespeare_training.runs.callback import Course
from shakespeare_training.runs.curves import draw_curves
from shakespeare_training.runs.display import TrainingDisplay, measurement_table
from shakespeare_training.runs.run import Run

_NAME = "shakespeare"
CURVES_NAME = "learning_curve.png"


def train(run: Run, console: Console, minutes: float | None = None) -> bool:
    """Train until the run is over, its time is up or it is told to stop, and say what came of it.

    Ctrl-C and SIGTERM end it in good order; a second one breaks it off.

    Args:
        run: The run.
        console: Where to show it.
        minutes: The run is left after so many.

    Returns:
        Whether the run has come to its end.

    Raises:
        TrainingError: the weights are no numbers any more, or another process has this run.
        OSError: the run cannot be saved.
    """
    if run.decisions >= run.config.decisions:
        console.print(
            f"{run.folder} has come to its end after {run.decisions:,} decisions; "
            "make it longer with --decisions",
            highlight=False,
        )
        return True
    with run.locked(), TrainingDisplay(console, told=len(run.history)) as display:
        course = Course(run, display, minutes)
        with _stopped_by_signals(course):
            run.learn(course)
    if len(run.history):
        console.print(measurement_table(run.history))
        draw_curves(
            run.history,
            run.folder / CURVES_NAME,
            title=f"{run.config.game}, seed {run.config.seed}",
            targets=game(run.config.game).good_scores,
        )
    _say_how_to_go_on(run, console, course)
    return not course.stopped


def _say_how_to_go_on(run: Run, console: Console, course: Course) -> None:
    folder, config, program = run.folder, run.config, _program()
    named = "".join(f" {word}" for word in game_option(config.game))
    rival = config.yardsticks[-1] if config.yardsticks else "random"
    if course.stopped:
        further = f"{program} train --resume {folder}"
        console.print(f"Left after {course.left_at:,} of {config.decisions:,} decisions; saved.")
    else:
        further = f"{program} train --resume {folder} --decisions {2 * config.decisions}"
    lines = [
        f"Checkpoint  {folder}",
        f"Curves      {folder / CURVES_NAME}",
        f"Go on       {further}",
        f"Measure     {program} evaluate{named} {folder} {rival} --players {max(config.players)}",
        f"Play        {program} play{named} --against {folder}",
        f"Logs        tensorboard --logdir {folder / 'tensorboard'}",
    ]
    console.print("\n".join(lines), highlight=False, soft_wrap=True)


def _program() -> str:
    """How this program is called here: by its name, or by its path where that is not searched."""
    called = Path(sys.argv[0])
    if called.name != _NAME or shutil.which(_NAME):
        return _NAME
    return os.path.relpath(called)


@contextmanager
def _stopped_by_signals(course: Course) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM end the run in good order; a second one breaks it off."""
    # Lost terminals count as well, on systems that tell.
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if os.name == "posix" else [])]
    before = {number: signal.getsignal(number) for number in numbers}
    # Under nohup a lost terminal is to be ignored, and stays so.
    before = {number: old for number, old in before.items() if old is not signal.SIG_IGN}

    def stop(_number: int, _frame: FrameType | None) -> None:
        course.stop = True  # nothing is printed here: a print may be under way
        for number, handler in before.items():
            signal.signal(number, handler)

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
