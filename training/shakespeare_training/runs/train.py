"""Trains a run, then shows its results and what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from rich.console import Console

from shakespeare_agents.naming import running_python
from shakespeare_agents.workers import Workers
from shakespeare_training.config_text import game_option
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.runs.callback import RunCallback
from shakespeare_training.runs.display import TrainingDisplay, measurement_table
from shakespeare_training.runs.folder import CURVES_NAME, LOGS_NAME
from shakespeare_training.runs.observers import Observers
from shakespeare_training.runs.run import Run
from shakespeare_training.stopping import Stop

_NAME = "shakespeare"


def train(
    run: Run,
    console: Console,
    stop: Stop | None = None,
    workers: Workers | None = None,
    observers: Observers | None = None,
) -> bool:
    """Train until a run is complete, out of time or stopped, then show its results.

    Workers play the games of expert iteration, by default this process; PPO plays here. Observers
    follow the run.

    After `stop` or KeyboardInterrupt the run is saved as it was after its last update.

    Returns:
        Whether the run is complete.

    Raises:
        TrainingError: the weights have exploded, or the run has been closed.
        OSError: the run cannot be saved.
        WorkerError: workers are lost again and again; what was saved is intact.
    """
    run.check_open()
    if workers is not None and isinstance(run.learner, ExpertIteration):
        run.learner.workers = workers
    if run.is_complete:
        done = f"{run.folder} is complete after {run.decisions:,} decisions"
        longer = f"{_resume_command(run)} --decisions {2 * run.config.decisions}"
        console.print(f"{done}; to extend it, run\n  {longer}", highlight=False, soft_wrap=True)
        return True
    with TrainingDisplay(console, told=len(run.history)) as display:
        callback = RunCallback(run, display, stop, observers)
        callback.learn()
    if len(run.history):
        console.print(measurement_table(run.history))
    _print_next_steps(run, console, callback)
    return not callback.stopped


def _print_next_steps(run: Run, console: Console, callback: RunCallback) -> None:
    folder, config, program = run.folder, run.config, _here(_NAME)
    game = "".join(f" {word}" for word in game_option(config.game))
    opponent = config.evaluation_opponents[-1] if config.evaluation_opponents else "random"
    curves = folder / CURVES_NAME
    resume = _resume_command(run)
    if callback.stopped:
        done = f"{callback.saved_decisions:,} of {config.decisions:,} decisions"
        if callback.saved_decisions >= config.decisions:
            done = f"{callback.saved_decisions:,} decisions, before its last evaluation was over"
        again = ""
        if callback.forgotten:
            again = (
                f" The {callback.forgotten:,} after them, of an update in progress, are played "
                "again when it goes on."
            )
        console.print(f"Stopped after {done}; saved.{again}", highlight=False, soft_wrap=True)
    else:
        resume += f" --decisions {2 * config.decisions}"
    lines = [
        f"Checkpoint  {folder}",
        *([f"Curves      {curves}"] if curves.exists() else []),
        f"Continue    {resume}",
        f"Evaluate    {program} evaluate{game} {folder} {opponent} --players {max(config.players)}",
        f"Play        {program} play{game} {folder}",
        f"Logs        {_here('tensorboard')} --logdir {folder / LOGS_NAME}",
    ]
    console.print("\n".join(lines), highlight=False, soft_wrap=True)


def _resume_command(run: Run) -> str:
    config = run.config
    trust = running_python({**config.opponents, **dict.fromkeys(config.evaluation_opponents)})
    command = f"{_here(_NAME)} train --resume {run.folder}"
    return command + "".join(f" --trust {shlex.quote(name)}" for name in trust)


def _here(name: str) -> str:
    """A program's name, or its path beside this one if the shell does not find it."""
    called = Path(sys.argv[0])
    if called.name != _NAME or shutil.which(name):
        return name
    return os.path.relpath(called.with_name(name))
