"""What a training run shows while it runs: a live picture on a terminal, lines in a log file."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live

from shakespeare_training.runs.status import SeatFigures, Status, measurement_line, status_line
from shakespeare_training.runs.status_panel import measurement_table, status_view

__all__ = ["SeatFigures", "Status", "TrainingDisplay", "measurement_table"]

_LINE_EVERY_S = 30.0


class TrainingDisplay:
    """Shows how a run stands, between the beginning and the end of a `with` block.

    A terminal has a picture that every `show` draws anew and that stays at the end. Elsewhere there
    is a line every half minute, one for each new measurement, and one for how the run ended.

    Args:
        console: Where to show it.
        clock: Seconds, from any beginning.
        told: Measurements of the history that need no line any more, as in a run that goes on.
    """

    def __init__(
        self, console: Console, *, clock: Callable[[], float] = time.monotonic, told: int = 0
    ) -> None:
        self._console = console
        self._clock = clock
        self._told = told
        self._is_live = console.is_terminal and not console.is_dumb_terminal
        self._live: Live | None = None
        self._last_line = ""
        self._untold: Status | None = None
        self._next_line = -float("inf")

    def __enter__(self) -> TrainingDisplay:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave what was shown last where it is."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        if self._untold is not None and status_line(self._untold) != self._last_line:
            self._tell(self._untold)

    def show(self, status: Status) -> None:
        """Bring the picture up to date, or print the lines that are due."""
        if self._is_live:
            view = status_view(status, self._console.width)
            if self._live is None:
                # Begun no sooner than there is something to show, or an empty line would remain.
                self._live = Live(view, console=self._console, auto_refresh=False)
                self._live.start(refresh=True)
            else:
                self._live.update(view, refresh=True)
            return
        for measurement in list(status.history)[self._told :]:
            self._line(measurement_line(measurement))
        self._told = max(self._told, len(status.history))
        self._untold = status
        if self._clock() >= self._next_line:
            self._tell(status)

    def print(self, text: RenderableType) -> None:
        """Print something that stays, above the picture if there is one."""
        self._console.print(text, highlight=False, soft_wrap=not self._is_live)

    def _tell(self, status: Status) -> None:
        self._untold = None
        self._next_line = self._clock() + _LINE_EVERY_S
        self._last_line = status_line(status)
        self._line(self._last_line)

    def _line(self, text: str) -> None:
        # Names are no markup, and a log file has no width.
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)
