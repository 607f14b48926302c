"""Trains a run, then says what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.console import Console
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_agents.workers import Workers
from shakespeare_env.checks.values import command
from shakespeare_training.config import game_option
from shakespeare_training.expert_iteration import ExpertIteration
from shakespeare_training.runs.callback import RunCallback
from shakespeare_training.runs.folder import CURVES_NAME, LOGS_NAME
from shakespeare_training.runs.run import Run
from shakespeare_training.terminal import Stop


def train(
    run: Run,
    console: Console,
    stop: Stop | None = None,
    workers: Workers | None = None,
    callbacks: Sequence[BaseCallback] = (),
) -> bool:
    """Train until a run is complete, out of time or stopped, then say what to do next.

    Workers play the games of expert iteration, by default this process; PPO plays here. Callbacks
    of Stable-Baselines3 follow the run; if one returns False, it is stopped.

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
    stopped = False
    if run.is_complete:
        _say(console, f"{run.folder} is complete after {run.decisions:,} decisions")
    else:
        callback = RunCallback(run, console, stop, callbacks)
        callback.learn()
        stopped = callback.stopped
        if stopped:
            _say(console, f"Stopped after {callback.saved_decisions:,} decisions; saved.")
    folder = run.folder
    game = game_option(run.config.game)
    longer = [] if stopped else ["--decisions", 2 * run.config.decisions]
    seats = max(run.config.players)
    _say(console, f"Checkpoint  {folder}")
    _say(console, f"Curves      {folder / CURVES_NAME}")
    _say(console, f"Continue    {command('train', '--resume', folder, *longer)}")
    against = command("evaluate", *game, folder, "random", "--players", seats)
    _say(console, f"Evaluate    {against}")
    _say(console, f"Play        {command('play', *game, folder)}")
    _say(console, f"Logs        tensorboard --logdir {shlex.quote(str(folder / LOGS_NAME))}")
    return not stopped


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
