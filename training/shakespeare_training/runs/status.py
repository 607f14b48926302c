"""The status of a training run, and its line in a log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from shakespeare_training.runs.evaluation import Measuring
from shakespeare_training.runs.history import (
    SOLO,
    History,
    Measurement,
    score_text,
    seats_text,
    short_count,
)


@dataclass(frozen=True)
class Status:
    """The status of a run.

    Attributes:
        decisions: The decisions so far.
        total: The decisions of the whole run.
        rate: Decisions per second while learning; 0 while unknown.
        seconds: The time spent learning and evaluating, also before it was resumed.
        seats: Mean and winning score of recent self-play games by seat count.
        opponents: Recent games and win rate, 0 to 1, by opponent of the league; 0.5 is parity.
        history: All measurements so far.
        measuring: The evaluation under way, while learning waits for it; None if there is none.
        limit: The time at which it stops, as `seconds`; None without a time limit.
    """

    decisions: int
    total: int
    rate: float
    seconds: float
    seats: Mapping[int, Sequence[tuple[float, float]]]
    opponents: Mapping[str, tuple[int, float]]
    history: History
    measuring: Measuring | None = None
    limit: float | None = None

    @property
    def share(self) -> float:
        """The share of the run that is over, 0 to 1, by decisions or time, whichever is more."""
        made = self.decisions / max(self.total, 1)
        used = self.seconds / self.limit if self.limit else 0.0
        return min(max(made, used), 1.0)


def progress_texts(status: Status) -> tuple[str, str, str, str]:
    """Decisions so far and in total, their rate, time spent, and left to learn."""
    left = "all learned" if status.decisions >= status.total else f"{time_left(status)} left"
    return (
        f"{short_count(status.decisions)} of {short_count(status.total)} decisions",
        f"{status.rate:,.0f}/s" if status.rate > 0 else "-/s",
        time_text(status.seconds),
        left,
    )


def measuring_texts(measuring: Measuring) -> tuple[str, str, str]:
    """Games so far and in total, what is being played, and time left."""
    left = measuring.seconds_left
    return (
        f"measuring: {measuring.games:,} of {measuring.total:,} games",
        measuring.what,
        f"{'-' if left is None else time_text(left)} left",
    )


def status_line(status: Status) -> str:
    """The status in one line."""
    decisions, rate, spent, left = progress_texts(status)
    share = status.decisions / max(status.total, 1)
    parts = [f"{decisions} ({share:.0%})", rate, f"{spent} learning and evaluating", left]
    parts += [
        f"{seats_text(players)}: winning score {fmean(best for _, best in scores):.1f}"
        for players, scores in sorted(status.seats.items())
        if scores
    ]
    if status.measuring is not None:
        parts += measuring_texts(status.measuring)
    return ", ".join(parts)


def measurement_line(found: Measurement) -> str:
    """A measurement in one line."""
    where = "solo" if found.opponent == SOLO else f"against {found.opponent}"
    won = ""
    if found.percents is not None:
        rate, low, high = found.percents
        won = f"{rate:.1f} % won (95 % interval {low:.1f} to {high:.1f} %), "
    return (
        f"evaluated after {short_count(found.decisions)} decisions, {seats_text(found.players)} "
        f"{where}: {found.games:,} games, {won}"
        f"score {score_text(found.mean_score, found.score_margin)}, "
        f"winning score {score_text(found.mean_winning_score, found.winning_margin)}"
    )


def time_text(seconds: float) -> str:
    """A duration as 9:59 or 1:09:59."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def time_left(status: Status) -> str:
    """The time left at the current rate, or to the time limit; a dash while that is unknown."""
    left = math.inf
    if 0 < status.rate < math.inf:
        left = max(status.total - status.decisions, 0) / status.rate
    if status.limit is not None:
        left = min(left, max(status.limit - status.seconds, 0.0))
    return time_text(left) if left < math.inf else "-"
