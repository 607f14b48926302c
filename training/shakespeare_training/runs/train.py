"""Trains a run: snapshots, evaluations, checkpoints, the progress bar, stopping, what is next."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback, CallbackList

from shakespeare_agents.workers import Workers
from shakespeare_env.checks.limits import is_utf8
from shakespeare_env.checks.values import command
from shakespeare_env.core import registry
from shakespeare_env.errors import AgentNote
from shakespeare_env.play.lineup import NOBODY, OUTSIDE
from shakespeare_training.config import game_option
from shakespeare_training.expert_iteration import ExpertIteration
from shakespeare_training.league import Ended
from shakespeare_training.runs.curves import draw_curves
from shakespeare_training.runs.evaluation import OpponentResult
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.saving import CURVES_NAME, LOGS_NAME, STATE_NAME
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
    folder, stopped = run.folder, False
    if run.is_complete:
        _say(console, f"{folder} is complete after {run.decisions:,} decisions")
    else:
        course = _Course(run, console, stop or Stop(), callbacks)
        stopped = course.run_to_its_end()
        if stopped:
            _say(console, f"Stopped after {course.saved_decisions:,} decisions; saved.")
    game, seats = game_option(run.config.game), max(run.config.players)
    own = registry.own_game_options()
    twice = 2 * run.config.decisions
    if twice <= run.decisions:  # a run learns from whole rollouts, and one may be longer than that
        twice = 2 * run.decisions
    longer = [] if stopped else ["--decisions", twice]
    against = command("evaluate", *game, folder, "random", "--players", seats)
    _say(console, f"Checkpoint  {folder}")
    _say(console, f"Curves      {folder / CURVES_NAME}")
    logs = f"tensorboard --logdir {shlex.quote(str(folder / LOGS_NAME))}"
    if not is_utf8(folder):
        logs = "none: TensorBoard takes no folder whose name is not UTF-8"
    _say(console, f"Logs        {logs}")
    _say(console, f"Continue    {command('train', *own, '--resume', folder, *longer)}")
    _say(console, f"Evaluate    {against}")
    _say(console, f"Play it     {command('play', *game, folder)}")
    return not stopped


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


class _Course(BaseCallback):
    """Does what is due between an update and the next rollout, and stops where nothing is lost.

    Guests are others' callbacks, called after this one; if one returns False, the run is stopped.
    """

    def __init__(
        self, run: Run, console: Console, stop: Stop, guests: Sequence[BaseCallback]
    ) -> None:
        super().__init__()
        self._run, self._stop, self._guests = run, stop, guests
        self._is_over = False
        self._saved_at = time.monotonic()
        self._moment = run.moment()
        self._saved = self._moment if (run.folder / STATE_NAME).exists() else None
        config = run.config
        self._next_snapshot = _next_multiple(run.decisions, config.snapshot_every)
        evaluated = run.history[-1].decisions if run.history else 0
        self._next_evaluation = _next_multiple(evaluated, config.evaluate_every)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._learning = self._progress.add_task("learning", total=1.0)
        self._measuring = self._progress.add_task("measuring", total=1.0, visible=False)

    @property
    def saved_decisions(self) -> int:
        """The decisions when last saved; whatever was learned after that is learned again."""
        return 0 if self._saved is None else self._saved.state.decisions

    def run_to_its_end(self) -> bool:
        """Train; whether the run was stopped before it was complete.

        A rollout, update or evaluation game that is stopped half-way is forgotten, and repeated
        when the run is resumed.  A stopped run must not be used afterwards.
        """
        learner = self._run.learner
        learner.check_stop = self._stop.check
        within_updates = learner.optimizer.register_step_post_hook(lambda *_: learner.check_stop())
        try:
            with self._progress, self._stop.deferred():
                self._run.learn(CallbackList([self, _Guests(self._guests, self._stop)]))
        except KeyboardInterrupt:
            if self._saved is None:  # nothing has begun
                raise
            if self._moment is not self._saved:
                self._write()
            return True
        finally:
            within_updates.remove()
        return self._is_over

    def _on_rollout_start(self) -> None:
        run, config = self._run, self._run.config
        run.check_weights()
        if run.decisions >= self._next_snapshot:
            run.add_snapshot()
            self._next_snapshot = _next_multiple(run.decisions, config.snapshot_every)
        self._is_over = run.time_share >= 1.0
        if self._is_over:
            self._evaluate(config.final_evaluation_games)
        elif self._evaluation_is_due():
            first = not run.decisions
            self._evaluate(config.first_evaluation_games if first else config.evaluation_games)
            self._next_evaluation = _next_multiple(run.decisions, config.evaluate_every)
        else:
            # It is saved from here if it is stopped before the next time.
            self._moment = run.moment()
            if time.monotonic() - self._saved_at > config.save_every:
                self._write()

    def _evaluation_is_due(self) -> bool:
        run = self._run
        if not run.history or run.decisions >= self._next_evaluation:
            return True
        # A run may have been stopped in the middle of an evaluation.
        return run.history[-1].decisions == run.decisions and bool(run.unmeasured)

    def _on_step(self) -> bool:
        if self._is_over:
            return False  # the run was saved before this step and will repeat it
        self._stop.check()
        run = self._run
        self._progress.update(
            self._learning,
            completed=max(run.decisions / run.config.decisions, run.time_share),
            description=f"{run.decisions:,} decisions",
        )
        self._log_scores(self.locals["ended"])
        return True

    def _on_rollout_end(self) -> None:
        for name, rate in self._run.learner.league.win_rates().items():
            self.logger.record(f"league/{name}", rate)

    def _on_training_end(self) -> None:
        if not self._is_over:
            self._run.check_weights()
            self._evaluate(self._run.config.final_evaluation_games)

    def _log_scores(self, ended: Ended) -> None:
        present = ended.seats != NOBODY
        whole = ((ended.seats == OUTSIDE) == present).all(axis=1)
        for game in np.flatnonzero(whole):
            players = int(present[game].sum())
            best = int(ended.scores[game, :players].max())
            self.logger.record_mean(f"rollout/winning_score_{players}_seats", best)

    def _evaluate(self, games: int) -> None:
        run, progress = self._run, self._progress

        def follow(share: float) -> None:
            self._stop.check()
            progress.update(self._measuring, completed=share, visible=True)

        def keep(measurement: OpponentResult) -> None:
            self._moment = run.moment()
            _say(progress.console, str(measurement))

        self._moment = run.moment()
        self._write()
        run.evaluate(games, follow, keep)
        progress.reset(self._measuring, visible=False)
        self._moment = run.moment()
        self._write()
        draw_curves(
            run.history,
            run.folder / CURVES_NAME,
            title=f"{run.config.game}, seed {run.config.seed}",
            targets=registry.game(run.config.game).good_scores,
        )

    def _write(self) -> None:
        self._run.save(self._moment)
        self._saved = self._moment
        self._saved_at = time.monotonic()


class _Guests(BaseCallback):
    """The callbacks of others, named if they fail; one that returns False stops as Ctrl-C does."""

    def __init__(self, callbacks: Sequence[BaseCallback], stop: Stop) -> None:
        super().__init__()
        self._callbacks = callbacks
        self._stop = stop

    def _call(self, event: str, *arguments: Any) -> list[Any]:
        answers = []
        for callback in self._callbacks:
            try:
                answers.append(getattr(callback, event)(*arguments))
            except Exception as fault:
                name = type(callback).__name__
                fault.add_note(AgentNote(f"The callback {name} failed in {event}."))
                raise
        return answers

    def _init_callback(self) -> None:
        self._call("init_callback", self.model)

    def _on_training_start(self) -> None:
        self._call("on_training_start", self.locals, self.globals)

    def _on_rollout_start(self) -> None:
        self._call("on_rollout_start")

    def _on_step(self) -> bool:
        if not all(self._call("on_step")):
            self._stop.request()
        return True

    def _on_rollout_end(self) -> None:
        self._call("on_rollout_end")

    def _on_training_end(self) -> None:
        self._call("on_training_end")

    def update_child_locals(self, locals_: dict[str, Any]) -> None:
        """Show every callback the local variables of the loop."""
        self._call("update_locals", locals_)


def _next_multiple(decisions: int, every: int) -> int:
    return (decisions // every + 1) * every
