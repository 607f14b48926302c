"""The training loop of a run, with its evaluations, checkpoints and progress bar."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_agents.workers import Workers
from shakespeare_env.checks.limits import is_utf8
from shakespeare_env.checks.values import command
from shakespeare_env.core import registry
from shakespeare_env.play.lineup import NOBODY, OUTSIDE
from shakespeare_training.config import WEIGHTED, game_flag
from shakespeare_training.learners.expert_iteration import ExpertIteration
from shakespeare_training.learners.league import FinishedGames
from shakespeare_training.learners.learner import Learner, never_stop
from shakespeare_training.runs.callbacks import SB3Callbacks
from shakespeare_training.runs.curves import draw_curves
from shakespeare_training.runs.evaluation import Result, Strength
from shakespeare_training.runs.run import Run, python_in
from shakespeare_training.runs.saving import CURVES_NAME, LOGS_NAME, STATE_NAME
from shakespeare_training.stopping import Stop, Stopped

_ABOUT_STRENGTH = (
    "Strength, with 95 % intervals: 0 is random play, 1 the first bundled network, and above 1 it "
    "counts the playouts a move of a search that is as strong."
)


def train(
    run: Run,
    console: Console,
    stop: Stop | None = None,
    workers: Workers | None = None,
    callbacks: Sequence[BaseCallback] = (),
) -> bool:
    """Train until a run is complete, out of time or stopped, then say what to do next.

    A run that is stopped by `stop` or KeyboardInterrupt is saved as it was after its last update.

    Args:
        run: The run.
        console: The console that shows the progress bar, the results and the next steps.
        stop: Lets other code request a stop.
        workers: The workers that play the games of expert iteration, by default this process. PPO
            does not use them.
        callbacks: Callbacks of Stable-Baselines3; if one returns False, the run is stopped. In a
            group of processes they are called in process 0.

    Returns:
        Whether the run is complete.

    Raises:
        TrainingError: the weights have exploded, or the run has been closed.
        OSError: the run cannot be saved.
        WorkerError: workers are lost repeatedly; the last save is intact.
    """
    run.check_open()
    if run.group.rank:
        console = Console(quiet=True)
        callbacks = ()
    if workers is not None and isinstance(run.learner, ExpertIteration):
        run.learner.workers = workers
    is_complete = True
    if run.group.broadcast(run.is_complete):
        _say(console, f"{run.folder} is complete after {run.decisions:,} decisions")
    else:
        training = _Training(run, console, stop or Stop(), callbacks)
        is_complete = training.run_to_end()
        if not is_complete:
            _say(console, f"Stopped after {training.saved_decisions:,} decisions; saved.")
    _say_next_steps(console, run, is_complete)
    return is_complete


def _say_next_steps(console: Console, run: Run, is_complete: bool) -> None:
    folder = run.folder
    game = game_flag(run.config.game)
    players = max(run.config.players)
    logs = f"tensorboard --logdir {shlex.quote(str(folder / LOGS_NAME))}"
    if not is_utf8(folder):
        logs = "none: TensorBoard cannot write to a folder whose name is not UTF-8"
    twice = 2 * run.config.decisions
    if twice <= run.decisions:  # the last rollout may exceed the length of the run by far
        twice = 2 * run.decisions
    longer = ["--decisions", twice] if is_complete else []
    trust = [word for name in python_in(run.config) for word in ("--trust", name)]
    resume = command("train", *registry.game_file_options(), "--resume", folder, *longer, *trust)
    agent = run.agent_name
    evaluate = command("evaluate", *game, agent, "random", "--players", players)

    _say(console, f"Checkpoint  {agent}")
    _say(console, f"Curves      {folder / CURVES_NAME}")
    _say(console, f"Logs        {logs}")
    _say(console, f"Continue    {resume}")
    _say(console, f"Evaluate    {evaluate}")
    _say(console, f"Play it     {command('play', *game, agent)}")
    if run.config.reward != WEIGHTED:
        _say(
            console,
            f"Its forecasts are of {run.config.reward}, not of scores, so a search with it does "
            "not use them, and plays to the end of the game.",
        )


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


class _Training:
    """The training loop of a run, with the latest point from which the run can be resumed.

    A rollout, update or evaluation that is stopped half-way is discarded, and repeated when the run
    is resumed.
    """

    def __init__(
        self, run: Run, console: Console, stop: Stop, callbacks: Sequence[BaseCallback]
    ) -> None:
        self._run = run
        self._stop = stop
        self._callbacks = SB3Callbacks(callbacks, run.learner, stop)
        # The latest point from which the run can be resumed, perhaps not saved yet.
        self._point = run.resume_point()
        # The point that is saved in the folder; None before the first save.
        self._saved = self._point if (run.folder / STATE_NAME).exists() else None
        self._saved_at = time.monotonic()
        config = run.config
        last_evaluation = run.history[-1].decisions if run.history else 0
        self._next_snapshot = _next_multiple(run.decisions, config.snapshot_every)
        self._next_evaluation = _next_multiple(last_evaluation, config.evaluate_every)
        self._explained_strength = False
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
        """Decisions when the run was last saved, from which it continues when it is resumed."""
        return 0 if self._saved is None else self._saved.state.decisions

    def run_to_end(self) -> bool:
        """Train, and return whether the run is complete.

        A run that is stopped is saved, and must not be used afterwards.
        """
        run = self._run
        stop = self._stop
        # A group stops together, between two updates.
        check_stop = stop.check if run.group.size == 1 else never_stop
        with stop.deferred():
            try:
                with self._progress, run.learning(check_stop) as learner:
                    self._loop(learner)
            except KeyboardInterrupt as interrupt:
                was_never_saved = self._saved is None  # then it is untrained, too
                if was_never_saved or (run.group.size > 1 and not isinstance(interrupt, Stopped)):
                    raise
                if run.group.broadcast(self._point is not self._saved):
                    self._save()
                return False
        return run.group.broadcast(run.is_complete)

    def _loop(self, learner: Learner) -> None:
        run = self._run
        callbacks = self._callbacks
        callbacks.on_training_start()

        while run.decisions < run.config.decisions:
            run.check_weights()
            self._add_snapshot_if_due()
            if any(run.group.all_gather(self._stop.requested)):
                if self._saved is not None:
                    self._point = run.resume_point()
                raise Stopped
            learner.time_share = run.group.broadcast(run.time_share)
            if learner.time_share >= 1.0:
                break
            self._evaluate_or_save_if_due()

            callbacks.on_rollout_start()
            learner.collect(self._on_games)
            callbacks.on_rollout_end()
            run.log_rollout()

            learner.train()

        run.check_weights()
        self._evaluate(run.config.final_evaluation_games)
        callbacks.on_training_end()

    def _add_snapshot_if_due(self) -> None:
        run = self._run
        if run.decisions >= self._next_snapshot:
            run.learner.add_snapshot()
            self._next_snapshot = _next_multiple(run.decisions, run.config.snapshot_every)

    def _evaluate_or_save_if_due(self) -> None:
        run = self._run
        config = run.config
        if run.group.broadcast(self._evaluation_is_due()):
            is_first = not run.decisions
            games = config.first_evaluation_games if is_first else config.evaluation_games
            self._evaluate(games)
            self._next_evaluation = _next_multiple(run.decisions, config.evaluate_every)
            return  # an evaluation saves the run
        self._point = run.resume_point()
        if run.group.broadcast(time.monotonic() - self._saved_at > config.save_every):
            self._save()

    def _evaluation_is_due(self) -> bool:
        run = self._run
        if not run.history or run.decisions >= self._next_evaluation:
            return True
        # The run may have been stopped in the middle of an evaluation.
        return run.history[-1].decisions == run.decisions and bool(run.unmeasured)

    def _on_games(self, finished: FinishedGames) -> None:
        run = self._run
        self._progress.update(
            self._learning,
            completed=max(run.decisions / run.config.decisions, run.time_share),
            description=f"{run.decisions:,} decisions",
        )
        self._log_self_play(finished)
        self._callbacks.on_step(finished)

    def _log_self_play(self, finished: FinishedGames) -> None:
        """Log the winning scores of games in which the learner has every seat."""
        is_present = finished.seats != NOBODY
        is_learner = finished.seats == OUTSIDE
        for game in np.flatnonzero((is_learner == is_present).all(axis=1)):
            players = int(is_present[game].sum())
            best = int(finished.scores[game, :players].max())
            name = f"rollout/winning_score_{players}_seats"
            self._run.learner.logger.record_mean(name, best)

    def _evaluate(self, games: int) -> None:
        run = self._run
        progress = self._progress

        def on_progress(share: float) -> None:
            self._stop.check()
            progress.update(self._measuring, completed=share, visible=True)

        def after_each(result: Result) -> None:
            self._point = run.resume_point()
            if isinstance(result, Strength) and not self._explained_strength:
                _say(progress.console, _ABOUT_STRENGTH)
                self._explained_strength = True
            _say(progress.console, str(result))

        self._point = run.resume_point()
        self._save()
        run.evaluate(games, on_progress, after_each)
        progress.reset(self._measuring, visible=False)
        self._point = run.resume_point()
        self._save()
        if run.group.rank == 0:
            draw_curves(
                run.history,
                run.folder / CURVES_NAME,
                title=f"{run.config.game}, seed {run.config.seed}",
                targets=registry.game(run.config.game).good_scores,
            )

    def _save(self) -> None:
        self._run.save(self._point)
        self._saved = self._point
        self._saved_at = time.monotonic()


def _next_multiple(decisions: int, every: int) -> int:
    return (decisions // every + 1) * every
