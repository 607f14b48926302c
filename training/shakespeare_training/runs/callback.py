"""What happens during a run: snapshots, evaluations, checkpoints, the display, stopping."""

from __future__ import annotations

import time
from collections import deque

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_env.lineup import NOBODY, OUTSIDE
from shakespeare_training.runs.display import TrainingDisplay
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.status import SeatFigures, Status

_RECENT_GAMES = 500
"""Behind the scores shown, per seat count."""
_SHOW_EVERY_S = 0.25


class RunCallback(BaseCallback):
    """Does what is due between an update and the next rollout, and stops a run cleanly.

    Attributes:
        stop: Set it to save and stop after the current update.
        stopped: Whether the run was stopped before it was complete.
        saved_decisions: When last saved; steps after that are made again.
    """

    def __init__(self, run: Run, display: TrainingDisplay, minutes: float | None = None) -> None:
        super().__init__()
        self.stop = False
        self.stopped = False
        self.saved_decisions = run.decisions
        self._run = run
        self._display = display
        self._deadline = None if minutes is None else time.monotonic() + minutes * 60.0
        self._saved_at = self._shown_at = time.monotonic()
        config = run.config
        self._next_snapshot = _next_multiple(run.decisions, config.snapshot_every)
        evaluated = run.history[-1].decisions if len(run.history) else 0
        self._next_evaluation = _next_multiple(evaluated, config.evaluate_every)
        self._rate_since = (run.decisions, time.monotonic())
        self._rate = 0.0
        self._announced = False
        self._note = ""
        self._scores: dict[int, deque[tuple[float, float]]] = {
            count: deque(maxlen=_RECENT_GAMES) for count in sorted(set(config.players))
        }

    def _on_rollout_start(self) -> None:
        run = self._run
        run.check_weights()
        if run.decisions >= self._next_snapshot:
            run.add_snapshot()
            self._next_snapshot = _next_multiple(run.decisions, run.config.snapshot_every)
        out_of_time = self._deadline is not None and time.monotonic() > self._deadline
        self.stopped = self.stop or out_of_time
        if self.stop:  # whoever pressed Ctrl-C does not wait for an evaluation
            self._save()
        elif out_of_time:
            self._evaluate(run.config.final_evaluation_games)
        elif not len(run.history) or run.decisions >= self._next_evaluation:
            self._evaluate(run.config.evaluation_games)
            self._next_evaluation = _next_multiple(run.decisions, run.config.evaluate_every)
        elif time.monotonic() - self._saved_at > run.config.save_every:
            self._save()

    def _on_step(self) -> bool:
        if self.stopped:
            return False  # the run was saved before this step, which it will make again
        if self.stop and not self._announced:
            self._announced = True
            self._display.print("stopping after this update; once more to stop at once")
        dones = self.locals["dones"]
        if dones.any():
            self._note_scores(np.flatnonzero(dones))
        if time.monotonic() - self._shown_at > _SHOW_EVERY_S:
            self._show()
        return True

    def _on_training_end(self) -> None:
        if not self.stopped:
            self._run.check_weights()
            self._evaluate(self._run.config.final_evaluation_games)
        self._show()

    def _note_scores(self, rows: NDArray[np.int64]) -> None:
        """Note mean and winning score of ended games in which the learner had every seat."""
        league = self._run.learner.league
        for seats, scores in zip(
            league.lineup.seats[rows], league.batch.final_scores[rows], strict=True
        ):
            own = scores[seats == OUTSIDE]
            if len(own) == (seats != NOBODY).sum():
                self._scores[len(own)].append((float(own.mean()), float(own.max())))

    def _evaluate(self, games: int) -> None:
        """Evaluate; save before and after, as nothing else takes as long."""
        self._save()
        self._run.evaluate(games, self._say)
        self._say("")
        self._save()
        # The rate shown is that of learning alone.
        self._rate_since = (self._run.decisions, time.monotonic())

    def _save(self) -> None:
        self._run.save()
        self.saved_decisions = self._run.decisions
        self._saved_at = time.monotonic()

    def _say(self, note: str) -> None:
        self._note = note
        self._show()

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        run = self._run
        decisions, since = self._rate_since
        if run.decisions > decisions:
            self._rate = (run.decisions - decisions) / (self._shown_at - since)
        payoffs = run.learner.league.payoffs()
        status = Status(
            decisions=run.decisions,
            total=run.config.decisions,
            rate=self._rate,
            seconds=run.elapsed,
            seats={
                count: SeatFigures(len(scores), *np.mean(scores, axis=0).tolist())
                if scores
                else SeatFigures()
                for count, scores in self._scores.items()
            },
            opponents={name: (games, win_rate) for name, games, win_rate in payoffs},
            history=run.history,
            note=self._note,
        )
        self._display.show(status)


def _next_multiple(decisions: int, every: int) -> int:
    return (decisions // every + 1) * every
