"""Shows a run: live on a terminal, line by line in a log."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from itertools import islice
from statistics import fmean
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from shakespeare_training.runs.history import (
    SOLO,
    History,
    Measurement,
    score_text,
    short_count,
    short_name,
)
from shakespeare_training.runs.status import (
    Status,
    measurement_line,
    measuring_texts,
    progress_texts,
    status_line,
)

_LINE_EVERY_S = 30.0
_WIDEST = 100
_NONE = "-"
_SCORES = ("mean\nscore", "winning\nscore")
# Widths in the table of seat counts: all columns before the opponents, and one opponent.
_FIRST_COLUMNS, _RIVAL_COLUMN = 36, 17


class TrainingDisplay:
    """Shows the status of a run inside a `with` block.

    On a terminal, `show` redraws a panel that stays at the end.  Elsewhere it prints a line every
    half minute, one for each measurement but the first `told`, and one at the end.
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
        self._next_line = -math.inf

    def __enter__(self) -> TrainingDisplay:
        return self

    def __exit__(self, *_: object) -> None:
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
                # It starts only once there is something to show, or it would leave an empty line.
                self._live = Live(view, console=self._console, auto_refresh=False)
                self._live.start(refresh=True)
            else:
                self._live.update(view, refresh=True)
            return
        for measurement in islice(status.history, self._told, None):
            self._line(measurement_line(measurement))
        self._told = max(self._told, len(status.history))
        self._untold = status
        if self._clock() >= self._next_line:
            self._tell(status)

    def _tell(self, status: Status) -> None:
        self._untold = None
        self._next_line = self._clock() + _LINE_EVERY_S
        self._last_line = status_line(status)
        self._line(self._last_line)

    def _line(self, text: str) -> None:
        # Names may look like markup, and a log has no width.
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def status_view(status: Status, width: int) -> RenderableType:
    """Progress, a table by seat count and the league, `width` columns wide at most."""
    width = min(width, _WIDEST)
    texts = progress_texts(status)
    parts: list[RenderableType] = [_bar(status.share, texts, width)]
    if status.measuring is not None:
        parts.append(_bar(status.measuring.share, measuring_texts(status.measuring), width))
    if status.seats or len(status.history):
        parts += ["", _seat_table(status, width)]
    if status.opponents:
        parts += ["", _league(status, width)]
    return Group(*parts)


def _bar(share: float, texts: Sequence[str], width: int) -> Table:
    """A bar, and beside it texts in order of importance."""
    line = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    line.width = width
    line.add_column(ratio=1)
    for _ in texts:
        line.add_column(no_wrap=True)
    styles = ("bold", "", "dim", "")
    bar = ProgressBar(total=1.0, completed=min(share, 1.0))
    line.add_row(bar, *(Text(text, style) for text, style in zip(texts, styles, strict=False)))
    return line


def _seat_table(status: Status, width: int) -> RenderableType:
    """Recent scores and latest win rates, with a count of opponents that do not fit."""
    history = status.history
    rivals = history.rivals()
    shown = rivals[: max(1, (width - _FIRST_COLUMNS) // _RIVAL_COLUMN)]
    won = [Text(f"won against\n{short_name(rival)}") for rival in shown]
    table = _table("seats", "recent\ngames", *_SCORES, *won)
    for players in sorted({*status.seats, *(seats for seats, _ in history.keys())}):  # noqa: SIM118
        scores = status.seats.get(players, ())
        mean, best = map(fmean, zip(*scores, strict=True)) if scores else (None, None)
        table.add_row(
            str(players),
            short_count(len(scores)),
            score_text(mean, None),
            Text(score_text(best, None), "bold"),
            *(_win_rate(history.latest(players, rival)) for rival in shown),
        )
    if not rivals:
        return table
    newest = max(found.decisions for found in history if found.opponent in rivals)
    words = f"won: evaluated after {short_count(newest)} decisions, with 95 % intervals"
    if len(shown) < len(rivals):
        words += f"; {len(rivals) - len(shown)} more opponents"
    line = Text(words, "dim", no_wrap=True)
    line.truncate(width, overflow="ellipsis")
    return Group(table, line)


def _table(*columns: str | Text, **options: Any) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim", **options
    )
    for title in columns:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _win_rate(found: Measurement | None) -> Text:
    """A win rate in per cent with its interval, coloured if that excludes parity."""
    if found is None or found.percents is None:
        return Text(_NONE, "dim")
    rate, low, high = found.percents
    parity = 100.0 / found.players
    style = "green" if low > parity else "red" if high < parity else ""
    return Text.assemble((f"{rate:.0f} %", f"bold {style}"), (f" ({low:.0f}-{high:.0f})", "dim"))


def _league(status: Status, width: int) -> Text:
    """The league's opponents in one line, hardest first, unplayed last."""
    line = Text(no_wrap=True).append("won in the league", "dim")
    met = status.opponents.items()
    items = [(rate if games else math.inf, name, games) for name, (games, rate) in met]
    items.sort(key=lambda item: item[0])
    for index, (rate, name, games) in enumerate(items):
        style = "red" if rate < 0.5 else "green" if 0.5 < rate < math.inf else ""
        piece = Text.assemble(
            f"  {short_name(name)} ",
            (f"{100 * rate:.0f} %" if games else _NONE, f"bold {style}"),
            (f" of {short_count(games)}", "dim"),
        )
        left = len(items) - index
        room = width - len(line) - len(piece) - (len(f"  +{left - 1}") if left > 1 else 0)
        if room < 0:
            return line.append(f"  +{left}", "dim")
        line.append_text(piece)
    return line


def measurement_table(history: History) -> Table:
    """The first and latest measurement by seat count and opponent."""
    table = _table(
        *("seats", "against", "after", "games", "won %, interval", *_SCORES),
        padding=(0, 1, 0, 0),
        caption="after: decisions learned from; intervals, ± too, are 95 % intervals",
        caption_justify="left",
    )
    table.columns[1].justify = "left"
    pairs = sorted(history.keys(), key=lambda pair: pair[0])
    for (players, opponent), after in zip(pairs, [*pairs[1:], None], strict=True):
        found = history.series(players, opponent)
        names = (str(players), Text("solo" if opponent == SOLO else short_name(opponent)))
        if len(found) > 1:
            table.add_row(*names, *_measured(found[0]))
            names = ("", Text(""))
        is_last = after is not None and after[0] != players
        table.add_row(*names, *_measured(found[-1]), style="bold", end_section=is_last)
    return table


def _measured(found: Measurement) -> list[str]:
    won = _NONE
    if found.percents is not None:
        rate, low, high = found.percents
        won = f"{rate:.1f} ({low:.1f}-{high:.1f})"
    counts = [short_count(found.decisions), short_count(found.games)]
    scores = score_text(found.mean_score, found.score_margin)
    return [*counts, won, scores, score_text(found.mean_winning_score, found.winning_margin)]
