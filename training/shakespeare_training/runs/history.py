"""The measurements of a training run, and how counts and seats are written wherever shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

SOLO = ""
"""The opponent in solo games."""
ITSELF = "itself"
"""The opponent of a learner that plays copies of itself."""

# At a rate of 0 or 1, one end of the interval is the rate, up to rounding.
_ROUNDING = 1e-9

Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid", allow_inf_nan=False))
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

    decisions: Annotated[int, Field(ge=0)]
    seconds: Annotated[float, Field(ge=0)]
    players: Count
    opponent: str
    games: Count
    win_rate: float | None
    low: float | None
    high: float | None
    mean_score: float
    mean_winning_score: float

    @model_validator(mode="after")
    def _fits_its_opponent(self) -> Measurement:
        if (self.opponent == SOLO) != (self.players == 1):
            raise ValueError(
                f"opponent = {self.opponent!r} with players = {self.players}: it must be a name, "
                f"and {SOLO!r} with one seat only"
            )
        low, rate, high = self.low, self.win_rate, self.high
        said = f"win_rate = {rate}, low = {low}, high = {high}"
        if self.opponent in (SOLO, ITSELF):
            if not (low is rate is high is None):
                raise ValueError(f"{said}: must be None, as nobody can beat {self.opponent!r}")
        elif low is None or rate is None or high is None:
            raise ValueError(f"{said}: must be numbers against {self.opponent!r}")
        elif not 0 <= low <= rate + _ROUNDING <= high + 2 * _ROUNDING <= 1 + 2 * _ROUNDING:
            raise ValueError(f"{said}: must be 0 <= low <= win_rate <= high <= 1")
        return self


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
        history = cls()
        for index, entry in enumerate(data):
            try:
                history.add(Measurement(**entry))
            except (TypeError, ValueError) as error:
                raise ValueError(f"history[{index}]: {error}") from error
        return history


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
