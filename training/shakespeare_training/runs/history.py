"""The measurements of a run, and their wording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from shakespeare_training.config import MOST_DECISIONS

SOLO = ""
"""The opponent in solo games."""
ITSELF = "itself"
"""The opponent when the learner plays copies of itself."""
_LONGEST_NAME = 14

Count = Annotated[int, Field(ge=1)]
Decisions = Annotated[int, Field(ge=0, le=2 * MOST_DECISIONS)]
"""A number of decisions; a run may go past its length by a rollout."""
Seconds = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]
"""Seconds, up to some thousand years."""


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid", allow_inf_nan=False))
class Measurement:
    """How the learner fared against one kind of opponent at one seat count.

    Attributes:
        decisions: The decisions learned from so far.
        seconds: The training time so far.
        players: Seat count.
        opponent: A name, `ITSELF` or `SOLO`.
        games: Number of games.
        win_rate: Share of games won, 0 to 1; None for `ITSELF` and `SOLO`.
        low: Lower end of its 95 % interval, or None.
        high: Upper end, or None.
        mean_score: Of the learner.
        mean_winning_score: Of the best of each game.
        score_low: Lower end of the 95 % interval of `mean_score`; None with a single deal.
        score_high: Upper end, or None.
        winning_low: Lower end of the interval of `mean_winning_score`, or None.
        winning_high: Upper end, or None.

    Raises:
        ValueError: a figure is not finite, mistyped or out of range.
    """

    decisions: Decisions
    seconds: Seconds
    players: Count
    opponent: str
    games: Count
    win_rate: float | None
    low: float | None
    high: float | None
    mean_score: float
    mean_winning_score: float
    score_low: float | None = None
    score_high: float | None = None
    winning_low: float | None = None
    winning_high: float | None = None

    @model_validator(mode="after")
    def _fits_its_opponent(self) -> Measurement:
        if (self.opponent == SOLO) != (self.players == 1):
            raise ValueError(
                f"opponent = {self.opponent!r} with players = {self.players}: it must be a name, "
                f"and {SOLO!r} with one seat only"
            )
        if any((figure is None) != (self.opponent in (SOLO, ITSELF)) for figure in self._rates):
            raise ValueError(
                f"win_rate, low and high = {self._rates}: must be None against {ITSELF!r} and "
                "alone, and numbers against others"
            )
        return self

    @property
    def _rates(self) -> tuple[float | None, float | None, float | None]:
        return self.win_rate, self.low, self.high

    @property
    def percents(self) -> tuple[float, float, float] | None:
        """Win rate and both ends of its interval in per cent."""
        if self.win_rate is None or self.low is None or self.high is None:
            return None
        return 100.0 * self.win_rate, 100.0 * self.low, 100.0 * self.high

    @property
    def score_margin(self) -> float | None:
        """Half the interval of `mean_score`: its ± figure."""
        return None if self.score_high is None else self.score_high - self.mean_score

    @property
    def winning_margin(self) -> float | None:
        """Half the interval of `mean_winning_score`: its ± figure."""
        return None if self.winning_high is None else self.winning_high - self.mean_winning_score


class History(list[Measurement]):
    """The measurements of a run in chronological order; ValueError as in `add`."""

    def __init__(self, measurements: Iterable[Measurement] = ()) -> None:
        super().__init__()
        for measurement in measurements:
            self.add(measurement)

    def add(self, measurement: Measurement) -> None:
        """Append a measurement.

        Raises:
            ValueError: it is older than the last one, by decisions or seconds.
        """
        for name in ("decisions", "seconds") if self else ():
            now, before = getattr(measurement, name), getattr(self[-1], name)
            if now < before:
                raise ValueError(
                    f"{name} = {now} is below the last measurement's {before}; add "
                    "measurements in order, and use a new history for a new run"
                )
        self.append(measurement)

    def series(self, players: int, opponent: str) -> list[Measurement]:
        """All measurements at one seat count against one opponent, oldest first."""
        return [m for m in self if (m.players, m.opponent) == (players, opponent)]

    def latest(self, players: int, opponent: str) -> Measurement | None:
        """The newest of a series; None if it is empty."""
        return next(reversed(self.series(players, opponent)), None)

    def keys(self) -> list[tuple[int, str]]:
        """The pairs of seat count and opponent, in order of appearance."""
        return list(dict.fromkeys((m.players, m.opponent) for m in self))

    def rivals(self) -> list[str]:
        """The opponents except `ITSELF` and `SOLO`, in order of appearance."""
        return list(dict.fromkeys(name for _, name in self.keys() if name not in (SOLO, ITSELF)))

    def to_json(self) -> list[dict[str, Any]]:
        """A dict per measurement."""
        return [asdict(measurement) for measurement in self]


def short_count(count: float) -> str:
    """A count with three digits and a unit: 950, 12.3k, 2.5M, 1B."""
    for unit, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        # Rounded to three digits, 999,500 is 1M.
        if count >= 0.9995 * unit:
            scaled = count / unit
            return f"{scaled:.3g}{letter}" if scaled < 999.5 else f"{scaled:,.0f}{letter}"
    return f"{count:.3g}" if count < 999.5 else f"{count:.0f}"


def seats_text(players: int) -> str:
    """A seat count with its noun: 1 seat, 4 seats."""
    return f"{players} seat{'' if players == 1 else 's'}"


def score_text(mean: float | None, margin: float | None) -> str:
    """A mean score, with its interval if there is one: 21.4 ± 0.5; a dash for None."""
    if mean is None:
        return "-"
    return f"{mean:.1f}" + ("" if margin is None else f" ± {margin:.1f}")


def short_name(name: str) -> str:
    """A name cut to the width of a column; a path keeps its end, its most telling part."""
    if len(name) <= _LONGEST_NAME:
        return name
    if "/" in name or "\\" in name:
        return f"…{name[1 - _LONGEST_NAME :]}"
    return f"{name[: _LONGEST_NAME - 1]}…"
