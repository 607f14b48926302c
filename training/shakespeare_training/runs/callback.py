"""What happens during a run: snapshots, evaluations, checkpoints, the display, stopping."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback, CallbackList

from shakespeare_env.core import registry
from shakespeare_env.play.lineup import NOBODY, OUTSIDE
from shakespeare_training.league import Ended
from shakespeare_training.runs.curves import draw_curves
from shakespeare_training.runs.display import TrainingDisplay
from shakespeare_training.runs.evaluation import Measuring
from shakespeare_training.runs.folder import CURVES_NAME, is_unsaved
from shakespeare_training.runs.observers import Guests, Observers
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.status import Status
from shakespeare_training.stopping import Stop

_RECENT_GAMES = 500
"""Recent games behind the scores shown, per seat count."""
_CYCLES = 20
"""The number of latest cycles from which the pace is taken."""
_SHOW_EVERY_S = 0.25


class Pace:
    """Decisions a second while learning; evaluations and the start of a run do not count.

    A cycle lasts from the first step of a rollout to the end of the update after it; a part of one
    would overstate the pace, as only playing adds decisions.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: tuple[int, float] | None = None
        self._cycles: deque[tuple[int, float]] = deque(maxlen=_CYCLES)

    def step(self, decisions: int) -> None:
        """Note that a step is done; the first one after `rest` begins a cycle."""
        if self._begun is None:
            self._begun = (decisions, self._clock())

    def rest(self, decisions: int) -> None:
        """Note that a cycle is over."""
        if self._begun is not None:
            before, since = self._begun
            self._cycles.append((decisions - before, self._clock() - since))
            self._begun = None

    @property
    def rate(self) -> float:
        """Decisions per second; 0 before the first cycle is over."""
        decisions, seconds = np.sum(self._cycles, axis=0).tolist() if self._cycles else (0, 0.0)
        return float(decisions / seconds) if seconds > 0 else 0.0


class RunCallback(BaseCallback):
    """Does what is due between an update and the next rollout, and stops where nothing is lost.

    Attributes:
        stopped: Whether the run was stopped before it was complete.
        forgotten: The decisions of an update that a stop has cut short.
    """

    def __init__(
        self,
        run: Run,
        display: TrainingDisplay,
        stop: Stop | None = None,
        observers: Observers | None = None,
    ) -> None:
        super().__init__()
        self._observers = observers or Observers()
        self.stopped = False
        self.forgotten = 0
        self._run = run
        self._display = display
        self._stop = stop or Stop()
        self._saved_at = self._shown_at = time.monotonic()
        self._moment = run.moment()
        self._saved = None if is_unsaved(run.folder) else self._moment
        config = run.config
        self._next_snapshot = _next_multiple(run.decisions, config.snapshot_every)
        evaluated = run.history[-1].decisions if run.history else 0
        self._next_evaluation = _next_multiple(evaluated, config.evaluate_every)
        self._pace = Pace()
        self._measuring: Measuring | None = None
        self._scores: dict[int, deque[tuple[float, float]]] = {
            count: deque(maxlen=_RECENT_GAMES) for count in sorted(set(config.players))
        }

    @property
    def saved_decisions(self) -> int:
        """The decisions when last saved; whatever was learned after that is learned again."""
        return 0 if self._saved is None else self._saved.decisions

    def learn(self) -> None:
        """Train the run to its end, or until it is stopped.

        A rollout, update or evaluation game that is stopped half-way is forgotten, and repeated
        when the run is resumed.  A stopped run must not be used afterwards.
        """
        learner = self._run.learner
        learner.check_stop = self._stop.check
        within_updates = learner.policy.optimizer.register_step_post_hook(
            lambda *_: learner.check_stop()
        )
        try:
            with self._stop.deferred():
                guests = Guests(self._observers.callbacks, self._stop)
                self._run.learn(CallbackList([self, guests]), self._observers.outputs)
        except KeyboardInterrupt:
            if self._saved is None:  # nothing has begun
                raise
            self.stopped = True
            if self._moment is not self._saved:
                self._write()
            self.forgotten = self._run.decisions - self.saved_decisions
        finally:
            within_updates.remove()

    def _on_rollout_start(self) -> None:
        run, config = self._run, self._run.config
        self._pace.rest(run.decisions)
        run.check_weights()
        if run.decisions >= self._next_snapshot:
            run.add_snapshot()
            self._next_snapshot = _next_multiple(run.decisions, config.snapshot_every)
        self.stopped = run.time_share >= 1.0
        if self.stopped:
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
        if self.stopped:
            return False  # the run was saved before this step and will repeat it
        self._stop.check()
        self._pace.step(self._run.decisions)
        self._note_scores(self.locals["ended"])
        self._show_now_and_then()
        return True

    def _on_training_end(self) -> None:
        self._pace.rest(self._run.decisions)
        if not self.stopped:
            self._run.check_weights()
            self._evaluate(self._run.config.final_evaluation_games)
        self._show()

    def _note_scores(self, ended: Ended) -> None:
        """Note mean and winning score of games in which the learner had every seat."""
        present = ended.seats != NOBODY
        whole = ((ended.seats == OUTSIDE) == present).all(axis=1)
        for count, recent in self._scores.items():
            own = ended.scores[whole & (present.sum(axis=1) == count), :count]
            recent.extend(zip(own.mean(axis=1).tolist(), own.max(axis=1).tolist(), strict=True))

    def _evaluate(self, games: int) -> None:
        """Evaluate and draw the curves; save before and after, as nothing else takes as long."""
        run, config = self._run, self._run.config

        def follow(measuring: Measuring) -> None:
            self._stop.check()
            self._measuring = measuring
            self._show_now_and_then()

        def keep() -> None:
            self._moment = run.moment()

        keep()
        self._write()
        run.evaluate(games, follow, keep)
        self._measuring = None
        keep()
        self._write()
        draw_curves(
            run.history,
            run.folder / CURVES_NAME,
            title=f"{config.game}, seed {config.seed}",
            targets=registry.game(config.game).good_scores,
        )

    def _write(self) -> None:
        self._run.save(self._moment)
        self._saved = self._moment
        self._saved_at = time.monotonic()

    def _show_now_and_then(self) -> None:
        if time.monotonic() - self._shown_at > _SHOW_EVERY_S:
            self._show()

    def _show(self) -> None:
        self._shown_at = time.monotonic()
        run = self._run
        status = Status(
            decisions=run.decisions,
            total=max(run.config.decisions, run.decisions),  # the last rollout may overshoot
            rate=self._pace.rate,
            seconds=run.elapsed,
            limit=run.limit,
            seats=self._scores,
            opponents={name: (games, rate) for name, games, rate in run.learner.league.payoffs()},
            history=run.history,
            measuring=self._measuring,
        )
        self._display.show(status)


def _next_multiple(decisions: int, every: int) -> int:
    return (decisions // every + 1) * every
