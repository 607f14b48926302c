"""The status of a training run, and how it reads in one line of a log."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from shakespeare_training.runs.history import SOLO, History, Measurement, seats_text, short_count


@dataclass(frozen=True)
class SeatFigures:
    """Recent self-play games at one seat count.

    Attributes:
        games: Number of games.
        mean_score: Mean final score of all seats; None without games.
        mean_winning_score: Mean of the best final score of each game; None without games.
    """

    games: int
    mean_score: float | None
    mean_winning_score: float | None


@dataclass(frozen=True)
class Status:
    """The status of a run.

    Attributes:
        decisions: Decisions so far.
        total: Decisions of the whole run.
        rate: Decisions per second.
        seconds: Time elapsed.
        seats: Recent self-play games by seat count.
        opponents: Recent games against each opponent of the league, and the learner's win rate,
            0 to 1, where 0.5 is parity.
        history: All measurements so far.
        note: What is going on, in a few words.
    """

    decisions: int
    total: int
    rate: float
    seconds: float
    seats: Mapping[int, SeatFigures]
    opponents: Mapping[str, tuple[int, float]]
    history: History
    note: str = ""


def progress_texts(status: Status) -> tuple[str, str, str, str]:
    """Decisions so far and in total, their rate, the time elapsed and the time left."""
    return (
        f"{short_count(status.decisions)} of {short_count(status.total)} decisions",
        f"{status.rate:,.0f}/s",
        time_text(status.seconds),
        f"{time_left(status)} left",
    )


def status_line(status: Status) -> str:
    """The status in one line."""
    decisions, rate, elapsed, left = progress_texts(status)
    share = status.decisions / max(status.total, 1)
    parts = [f"{decisions} ({share:.0%})", rate, f"{elapsed} elapsed", left]
    parts += [
        f"{seats_text(players)}: winning score {figures.mean_winning_score:.1f}"
        for players, figures in sorted(status.seats.items())
        if figures.mean_winning_score is not None
    ]
    return ", ".join([*parts, status.note] if status.note else parts)


def measurement_line(measurement: Measurement) -> str:
    """A measurement in one line."""
    found = measurement
    where = "solo" if found.opponent == SOLO else f"against {found.opponent}"
    parts = [
        f"evaluated after {short_count(found.decisions)} decisions, {seats_text(found.players)} "
        f"{where}: {found.games:,} games",
        f"score {found.mean_score:.1f}",
        f"winning score {found.mean_winning_score:.1f}",
    ]
    if found.win_rate is not None and found.low is not None and found.high is not None:
        interval = f"95 % interval {100 * found.low:.1f} to {100 * found.high:.1f} %"
        parts.insert(1, f"{100 * found.win_rate:.1f} % won ({interval})")
    return ", ".join(parts)


def time_text(seconds: float) -> str:
    """A duration as 9:59 or 1:09:59."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def time_left(status: Status) -> str:
    """The time left at the current rate; a dash while that is unknown."""
    left = max(status.total - status.decisions, 0)
    if not left:
        return time_text(0.0)
    return time_text(left / status.rate) if 0 < status.rate < math.inf else "-"
