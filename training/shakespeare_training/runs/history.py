"""The measurements of a training run, and how counts and seats are written wherever shown."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

SOLO = ""
"""The opponent in solo games."""
ITSELF = "itself"
"""The opponent of a learner that plays copies of itself."""

_COUNTS = ("decisions", "players", "games")
_SCORES = ("mean_score", "mean_winning_score")
_RATES = ("win_rate", "low", "high")
# At a rate of 0 or 1, one end of the interval is the rate, up to rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Measurement:
    """How the learner fared against one kind of opponent at one seat count.

    Attributes:
        decisions: Decisions it had learnt from.
        seconds: Seconds it had trained for.
        players: Seat count.
        opponent: Who had the other seats: a name, `ITSELF` for copies of the learner, or `SOLO`.
        games: Games played.
        win_rate: Share of games won, 0 to 1; None for `ITSELF` and `SOLO`.
        low: Lower end of its 95 % interval; None likewise.
        high: Upper end of its 95 % interval; None likewise.
        mean_score: Mean final score of the learner.
        mean_winning_score: Mean of the best final score of each game.

    Raises:
        ValueError: a figure is not finite, mistyped or out of range.
    """

    decisions: int
    seconds: float
    players: int
    opponent: str
    games: int
    win_rate: float | None
    low: float | None
    high: float | None
    mean_score: float
    mean_winning_score: float

    def __post_init__(self) -> None:
        for name in _COUNTS:
            least = 0 if name == "decisions" else 1
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(f"{name} = {value!r} must be a whole number, {least} or more")
        if not _is_finite(self.seconds) or self.seconds < 0:
            raise ValueError(f"seconds = {self.seconds!r} must be a number, 0 or more")
        for name in _SCORES:
            if not _is_finite(getattr(self, name)):
                raise ValueError(f"{name} = {getattr(self, name)!r} must be a finite number")
        if not isinstance(self.opponent, str) or (self.opponent == SOLO) != (self.players == 1):
            raise ValueError(
                f"opponent = {self.opponent!r} with players = {self.players}: it must be a name, "
                f"and {SOLO!r} with one seat only"
            )
        self._check_rates()

    def _check_rates(self) -> None:
        rates = [getattr(self, name) for name in _RATES]
        said = ", ".join(f"{name} = {rate!r}" for name, rate in zip(_RATES, rates, strict=True))
        if self.opponent in (SOLO, ITSELF):
            if rates != [None, None, None]:
                raise ValueError(f"{said}: must be None, as nobody can beat {self.opponent!r}")
            return
        if not all(map(_is_finite, rates)):
            raise ValueError(f"{said}: must be numbers, 0 to 1, against {self.opponent!r}")
        win_rate, low, high = rates
        if not 0 <= low <= win_rate + _ROUNDING <= high + 2 * _ROUNDING <= 1 + 2 * _ROUNDING:
            raise ValueError(f"{said}: must be 0 <= low <= win_rate <= high <= 1")


class History:
    """The measurements of a run in chronological order."""

    def __init__(self) -> None:
        self._measurements: list[Measurement] = []

    def __len__(self) -> int:
        return len(self._measurements)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._measurements)

    def __getitem__(self, index: int) -> Measurement:
        return self._measurements[index]

    def add(self, measurement: Measurement) -> None:
        """Append a measurement.

        Raises:
            ValueError: it is older than the last one, by decisions or seconds.
        """
        if self._measurements:
            last = self._measurements[-1]
            for name in ("decisions", "seconds"):
                now, before = getattr(measurement, name), getattr(last, name)
                if now < before:
                    raise ValueError(
                        f"{name} = {now} is below the last measurement's {before}; add "
                        "measurements in order, and use a new history for a new run"
                    )
        self._measurements.append(measurement)

    def series(self, players: int, opponent: str) -> list[Measurement]:
        """The measurements at one seat count against one opponent, oldest first."""
        wanted = (players, opponent)
        return [found for found in self if (found.players, found.opponent) == wanted]

    def latest(self, players: int, opponent: str) -> Measurement | None:
        """The newest of a series; None if there is none."""
        found = self.series(players, opponent)
        return found[-1] if found else None

    def keys(self) -> list[tuple[int, str]]:
        """The pairs of seat count and opponent, each once, in order of appearance."""
        return list(dict.fromkeys((found.players, found.opponent) for found in self))

    def rivals(self) -> list[str]:
        """The opponents other than `ITSELF` and `SOLO`, in order of appearance."""
        return list(dict.fromkeys(name for _, name in self.keys() if name not in (SOLO, ITSELF)))

    def to_json(self) -> list[dict[str, Any]]:
        """A dict per measurement."""
        return [asdict(measurement) for measurement in self]

    @classmethod
    def from_json(cls, data: object) -> History:
        """Read what `to_json` returned.

        Raises:
            ValueError: an entry is missing, unknown, mistyped or out of range.
        """
        if not isinstance(data, list):
            raise ValueError(f"history is {type(data).__name__}; it must be a list")
        expected = {entry.name for entry in fields(Measurement)}
        history = cls()
        for index, entry in enumerate(data):
            if not isinstance(entry, dict):
                raise ValueError(f"history[{index}]: {entry!r} must be a dict of figures")
            if wrong := expected ^ entry.keys():
                missing = sorted(expected - entry.keys())
                unknown = sorted(map(str, wrong - expected))
                raise ValueError(f"history[{index}]: missing: {missing}, unknown: {unknown}")
            try:
                history.add(Measurement(**entry))
            except ValueError as error:
                raise ValueError(f"history[{index}]: {error}") from error
        return history


def _is_finite(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value)


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
