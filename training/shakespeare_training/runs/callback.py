"""What happens in the course of a run: versions kept, measurements, checkpoints, the display."""

from __future__ import annotations

import time
from collections import deque

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_training.league import LEARNER, NOBODY, standings
from shakespeare_training.runs.display import SeatFigures, Status, TrainingDisplay
from shakespeare_training.runs.run import Run

_RECENT_GAMES = 500
"""Games of each seat count that the display looks back on."""
_SHOW_EVERY_S = 0.25


class Course(BaseCallback):
    """Does what is due between an update and the next rollout, and ends a run in good order.

    Args:
        run: The run.
        display: Where to show how it goes.
        minutes: The run is left after so many; None lets it come to its end.

    Attributes:
        stop: Set it to have the run saved and left after the update under way.
        stopped: Whether the run was left before its end.
        left_at: Decisions when it was left; a step after that counts no more.
    """

    def __init__(self, run: Run, display: TrainingDisplay, minutes: float | None = None) -> None:
        super().__init__()
        self.stop = False
        self.stopped = False
        self._run = run
        self._display = display
        self._until = None if minutes is None else time.monotonic() + minutes * 60.0
        self._saved = self._shown = time.monotonic()
        config = run.config
        self._next_version = _next_multiple(run.decisions, config.snapshot_every)
        measured = run.history[len(run.history) - 1].decisions if len(run.history) else 0
        self._next_measurement = _next_multiple(measured, config.evaluate_every)
        self._rate_from = (run.decisions, time.monotonic())
        self._rate = 0.0
        self.left_at = run.decisions
        self._is_told = False
        self._note = ""
        self._scores: dict[int, deque[tuple[float, float]]] = {
            count: deque(maxlen=_RECENT_GAMES) for count in sorted(set(config.players))
        }

    def _on_rollout_start(self) -> None:
        run = self._run
        run.check()
        if run.decisions >= self._next_version:
            run.keep_version()
            self._next_version = _next_multiple(run.decisions, run.config.snapshot_every)
        is_late = self._until is not None and time.monotonic() > self._until
        if self.stop or is_late:
            self._leave()
        elif not len(run.history) or run.decisions >= self._next_measurement:
            self._measure(run.config.evaluation_games)
            self._next_measurement = _next_multiple(run.decisions, run.config.evaluate_every)
        elif time.monotonic() - self._saved > run.config.save_every:
            self._save()

    def _leave(self) -> None:
        """Save the run and have it end; who pressed Ctrl-C does not wait for a measurement."""
        self.stopped = True
        self.left_at = self._run.decisions
        if self.stop:
            self._save()
        else:
            self._measure(self._run.config.final_games)

    def _on_step(self) -> bool:
        if self.stopped:
            return False  # the run was saved before this step, which it will make again
        if self.stop and not self._is_told:
            self._is_told = True
            self._display.print("stopping after this update; once more breaks it off")
        dones = self.locals["dones"]
        if dones.any():
            self._note_scores(np.flatnonzero(dones))
        if time.monotonic() - self._shown > _SHOW_EVERY_S:
            self._show()
        return True

    def _on_training_end(self) -> None:
        if not self.stopped:
            self._run.check()
            self.left_at = self._run.decisions
            self._measure(self._run.config.final_games)
        self._show()

    def _note_scores(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        """Keep the scores of games in which the learner had all seats."""
        league = self._run.learner.league
        scores = league.batch.final_scores[rows]
        for lineup, score in zip(league.lineup[rows], scores, strict=True):
            own = lineup == LEARNER
            if own.sum() == (lineup != NOBODY).sum():
                seen = score[own]
                self._scores[int(own.sum())].append((float(seen.mean()), float(seen.max())))

    def _measure(self, games: int) -> None:
        """Measure, and save before and after: a measurement takes longer than anything else."""
        self._save()
        self._run.measure(games, self._say)
        self._say("")
        self._save()
        # The rate shown is that of learning alone.
        self._rate_from = (self._run.decisions, time.monotonic())

    def _save(self) -> None:
        self._run.save()
        self._saved = time.monotonic()

    def _say(self, note: str) -> None:
        self._note = note
        self._show()

    def _show(self) -> None:
        self._shown = time.monotonic()
        run = self._run
        decisions, began = self._rate_from
        if run.decisions > decisions:
            self._rate = (run.decisions - decisions) / (self._shown - began)
        seats = {
            count: SeatFigures(
                games=len(scores),
                mean_score=float(np.mean([own for own, _ in scores])) if scores else None,
                mean_winning_score=float(np.mean([best for _, best in scores])) if scores else None,
            )
            for count, scores in self._scores.items()
        }
        self._display.show(
            Status(
                decisions=run.decisions,
                total=run.config.decisions,
                rate=self._rate,
                seconds=run.elapsed,
                seats=seats,
                opponents={
                    name: (games, rate) for name, games, rate in standings(run.learner.league)
                },
                history=run.history,
                note=self._note,
            )
        )


def _next_multiple(decisions: int, every: int) -> int:
    return (decisions // every + 1) * every
