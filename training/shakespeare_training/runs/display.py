"""Shows a training run: live on a terminal, line by line in a log."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from shakespeare_training.runs.history import SOLO, History, Measurement, short_count
from shakespeare_training.runs.status import Status, measurement_line, progress_texts, status_line

_LINE_EVERY_S = 30.0
_WIDEST = 100
_LONGEST_NAME = 14
_NONE = "-"
# Widths in the table of seat counts: all columns before the opponents, and one opponent.
_FIRST_COLUMNS, _RIVAL_COLUMN = 36, 17


class TrainingDisplay:
    """Shows the status of a run inside a `with` block.

    On a terminal every `show` redraws a panel, the last of which stays.  Elsewhere it prints a line
    every half minute, one for each new measurement, and one at the end.

    Args:
        console: Where to show it.
        clock: Returns seconds, counted from any moment.
        told: Measurements already in the history, as in a resumed run; they get no line.
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

    def __exit__(self, *_: object) -> None:
        """Leave the last status on the screen, or print it."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        if self._untold is not None and status_line(self._untold) != self._last_line:
            self._tell(self._untold)

    def show(self, status: Status) -> None:
        """Redraw the panel, or print the lines that are due."""
        if self._is_live:
            view = status_view(status, self._console.width)
            if self._live is None:
                # Not started before there is something to show: it would leave an empty line.
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
        """Print something that stays, above the panel if there is one."""
        self._console.print(text, highlight=False, soft_wrap=not self._is_live)

    def _tell(self, status: Status) -> None:
        self._untold = None
        self._next_line = self._clock() + _LINE_EVERY_S
        self._last_line = status_line(status)
        self._line(self._last_line)

    def _line(self, text: str) -> None:
        # Names may look like markup, and a log has no width.
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def status_view(status: Status, width: int) -> RenderableType:
    """The progress, a table by seat count, a line on the league, and the note.

    Args:
        status: What to show.
        width: Columns of the terminal.
    """
    width = min(width, _WIDEST)
    parts: list[RenderableType] = [_progress(status, width)]
    if status.seats or len(status.history):
        parts += ["", _seat_table(status, width)]
    if status.opponents:
        parts += ["", _league(status, width)]
    if status.note:
        parts += ["", _line(status.note, width, "dim")]
    return Group(*parts)


def _progress(status: Status, width: int) -> Table:
    texts = progress_texts(status)
    line = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    line.width = width
    line.add_column(ratio=1)
    for _ in texts:
        line.add_column(no_wrap=True)
    bar = ProgressBar(total=max(status.total, 1), completed=min(status.decisions, status.total))
    styles = ("bold", "", "dim", "")
    line.add_row(bar, *(Text(text, style) for text, style in zip(texts, styles, strict=True)))
    return line


def _seat_table(status: Status, width: int) -> RenderableType:
    """Recent scores and the latest win rates; opponents that do not fit are counted below."""
    history = status.history
    rivals = history.rivals()
    shown = rivals[: max(1, (width - _FIRST_COLUMNS) // _RIVAL_COLUMN)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    for title in ("seats", "recent\ngames", "mean\nscore", "winning\nscore"):
        table.add_column(title, justify="right", no_wrap=True)
    for rival in shown:
        table.add_column(Text(f"won against\n{_short(rival)}"), justify="right", no_wrap=True)
    for players in sorted({*status.seats, *(seats for seats, _ in history.keys())}):  # noqa: SIM118
        figures = status.seats.get(players)
        table.add_row(
            str(players),
            short_count(figures.games) if figures else _NONE,
            _score(figures.mean_score if figures else None),
            Text(_score(figures.mean_winning_score if figures else None), "bold"),
            *(_win_rate(history.latest(players, rival)) for rival in shown),
        )
    if not rivals:
        return table
    newest = max(found.decisions for found in history if found.opponent in rivals)
    words = f"won: evaluated after {short_count(newest)} decisions, with 95 % intervals"
    if len(shown) < len(rivals):
        words += f"; {len(rivals) - len(shown)} more opponents"
    return Group(table, _line(words, width, "dim"))


def _win_rate(found: Measurement | None) -> Text:
    """A win rate and its interval in per cent, coloured if the interval excludes parity."""
    if found is None or found.win_rate is None or found.low is None or found.high is None:
        return Text(_NONE, "dim")
    parity = 1.0 / found.players
    style = "green" if found.low > parity else "red" if found.high < parity else ""
    interval = f" ({100 * found.low:.0f}-{100 * found.high:.0f})"
    return Text.assemble((f"{100 * found.win_rate:.0f} %", f"bold {style}"), (interval, "dim"))


def _league(status: Status, width: int) -> Text:
    """The opponents of the league in one line, hardest first."""

    def hardness(item: tuple[str, tuple[int, float]]) -> tuple[bool, float]:
        games, rate = item[1]
        known = games > 0 and math.isfinite(rate)
        return not known, rate if known else 0.0

    line = Text(no_wrap=True).append("won in the league", "dim")
    items = sorted(status.opponents.items(), key=hardness)
    for index, (name, (games, rate)) in enumerate(items):
        known = games > 0 and math.isfinite(rate)
        style = "" if not known else "green" if rate > 0.5 else "red" if rate < 0.5 else ""
        piece = Text.assemble(
            f"  {_short(name)} ",
            (f"{100 * rate:.0f} %" if known else _NONE, f"bold {style}"),
            (f" of {short_count(games)}", "dim"),
        )
        left = len(items) - index
        room = width - len(line) - len(piece) - (len(f"  +{left - 1}") if left > 1 else 0)
        if room < 0:
            return line.append(f"  +{left}", "dim")
        line.append_text(piece)
    return line


def measurement_table(history: History) -> Table:
    """The first and the latest measurement of each seat count and opponent."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    table.add_column("seats", justify="right")
    table.add_column("against")
    titles = ("after\ndecisions", "games", "won", "95 %\ninterval", "mean\nscore", "winning\nscore")
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    pairs = sorted(history.keys(), key=lambda pair: pair[0])
    for (players, opponent), after in zip(pairs, [*pairs[1:], None], strict=True):
        found = history.series(players, opponent)
        names = (str(players), Text(_short(opponent) if opponent != SOLO else "solo"))
        if len(found) > 1:
            table.add_row(*names, *_measured(found[0]))
            names = ("", Text(""))
        is_last = after is not None and after[0] != players
        table.add_row(*names, *_measured(found[-1]), style="bold", end_section=is_last)
    return table


def _measured(found: Measurement) -> list[str]:
    won = interval = _NONE
    if found.win_rate is not None and found.low is not None and found.high is not None:
        won = f"{100 * found.win_rate:.1f} %"
        interval = f"{100 * found.low:.1f}-{100 * found.high:.1f}"
    counts = [short_count(found.decisions), short_count(found.games)]
    return [*counts, won, interval, _score(found.mean_score), _score(found.mean_winning_score)]


def _score(score: float | None) -> str:
    return _NONE if score is None or not math.isfinite(score) else f"{score:.1f}"


def _line(words: str, width: int, style: str) -> Text:
    line = Text(words, style, no_wrap=True)
    line.truncate(width, overflow="ellipsis")
    return line


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
