"""What a training run tells while it runs, and when it stops."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_env.wrappers.sb3 import BatchVecEnv

_RECENT_GAMES = 1000
_SAVE_EVERY_S = 60.0


class RunProgress(BaseCallback):
    """Shows how a run goes, saves every minute, and ends it when its time is up or `stop` is set.

    Args:
        minutes: Length of the run.
        console: Where to show it.
        save: Writes a checkpoint; called between a rollout and the update after it.

    Attributes:
        stop: Set it to end the run after the step or update under way.
        games: Games finished so far.
    """

    def __init__(self, minutes: float, console: Console, save: Callable[[], object]) -> None:
        super().__init__()
        self.seconds = minutes * 60.0
        self.stop = False
        self.games = 0
        self._save = save
        self._winning_scores: deque[float] = deque(maxlen=_RECENT_GAMES)
        self._began = self._saved = self._shown = time.monotonic()
        self._display = Progress(
            # Fits a terminal of 80 columns.
            BarColumn(12),
            TextColumn("{task.fields[decisions]:,} decisions"),
            TextColumn("{task.fields[rate]:,.0f}/s"),
            TextColumn("mean winning score {task.fields[score]}"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._display.add_task(
            "training", total=self.seconds, decisions=0, rate=0.0, score="-"
        )

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._began

    @property
    def mean_winning_score(self) -> float:
        """Mean of the best scores of the last thousand games; NaN before the first has ended."""
        return float(np.mean(self._winning_scores)) if self._winning_scores else float("nan")

    def remaining(self) -> float:
        """Share of the time that is left, 1 to 0."""
        return max(0.0, 1.0 - self.elapsed / max(self.seconds, 1e-9))

    def _on_training_start(self) -> None:
        self._began = self._saved = time.monotonic()
        self._display.start()

    def _on_step(self) -> bool:
        dones = self.locals["dones"]
        if dones.any():
            games = self.training_env.unwrapped
            assert isinstance(games, BatchVecEnv)
            won = games.batch.final_winners[dones]
            scores = games.batch.final_scores[dones]
            self._winning_scores.extend(np.where(won, scores, scores.min()).max(axis=1).tolist())
            self.games += int(dones.sum())
        if time.monotonic() - self._shown > 0.25:
            self._show()
        return not self.stop and self.elapsed < self.seconds

    def _on_rollout_end(self) -> None:
        if time.monotonic() - self._saved > _SAVE_EVERY_S:
            self._save()
            self._saved = time.monotonic()

    def _on_training_end(self) -> None:
        self._show()
        self._display.stop()

    def _show(self) -> None:
        self._shown = time.monotonic()
        self._display.update(
            self._task,
            completed=min(self.elapsed, self.seconds),
            decisions=self.num_timesteps,
            rate=self.num_timesteps / max(self.elapsed, 1e-9),
            score=f"{self.mean_winning_score:.1f}" if self.games else "-",
        )
