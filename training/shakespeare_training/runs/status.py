"""How a training run stands, and how a log file says it in a line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from shakespeare_training.runs.history import SOLO, History, Measurement, seats_text, short_count


@dataclass(frozen=True)
class SeatFigures:
    """Recent games of a learner with itself at one seat count.

    Attributes:
        games: How many the means are of.
        mean_score: Mean final score of all seats; None before the first game has ended.
        mean_winning_score: Mean of the best final score of each game; None as above.
    """

    games: int
    mean_score: float | None
    mean_winning_score: float | None


@dataclass(frozen=True)
class Status:
    """How a run stands.

    Attributes:
        decisions: Decisions played so far.
        total: Decisions at its end.
        rate: Decisions per second.
        seconds: Seconds gone.
        seats: Recent games of the learner with itself, by seat count.
        opponents: For each opponent of the league its recent games and the learner's win rate
            against it, 0 to 1, where 0.5 is parity.
        history: What was measured so far.
        note: What is done at the moment, in a few words.
    """

    decisions: int
    total: int
    rate: float
    seconds: float
    seats: Mapping[int, SeatFigures]
    opponents: Mapping[str, tuple[int, float]]
    history: History
    note: str = ""


def status_line(status: Status) -> str:
    """How a run stands, in one line of a log file."""
    share = status.decisions / max(status.total, 1)
    parts = [
        f"{short_count(status.decisions)} of {short_count(status.total)} decisions ({share:.0%})",
        f"{status.rate:,.0f}/s",
        f"{time_text(status.seconds)} gone",
        f"{time_left(status)} left",
    ]
    parts += [
        f"{seats_text(players)}: winning score {figures.mean_winning_score:.1f}"
        for players, figures in sorted(status.seats.items())
        if figures.mean_winning_score is not None
    ]
    return ", ".join([*parts, status.note] if status.note else parts)


def measurement_line(measurement: Measurement) -> str:
    """What was measured, in one line of a log file."""
    found = measurement
    where = "alone" if found.opponent == SOLO else f"against {found.opponent}"
    parts = [
        f"measured after {short_count(found.decisions)} decisions, {seats_text(found.players)} "
        f"{where}: {found.games:,} games",
        f"score {found.mean_score:.1f}",
        f"winning score {found.mean_winning_score:.1f}",
    ]
    if found.win_rate is not None and found.low is not None and found.high is not None:
        interval = f"95 % interval {100 * found.low:.1f} to {100 * found.high:.1f} %"
        parts.insert(1, f"{100 * found.win_rate:.1f} % won ({interval})")
    return ", ".join(parts)


def time_text(seconds: float) -> str:
    """A length of time as 9:59 or 1:09:59."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def time_left(status: Status) -> str:
    """The time a run still needs at its rate; a dash while that is unknown."""
    left = max(status.total - status.decisions, 0)
    if not left:
        return time_text(0.0)
    return time_text(left / status.rate) if 0 < status.rate < math.inf else "-"
