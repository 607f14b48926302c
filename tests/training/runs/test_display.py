"""The live picture fits its terminal and is there once at the end; a log file gets lines."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from shakespeare_training.runs.display import TrainingDisplay, measurement_table, status_view
from shakespeare_training.runs.evaluation import Measuring
from shakespeare_training.runs.history import SOLO, History
from shakespeare_training.runs.status import Status, status_line, time_left, time_text
from tests.training.runs.histories import filled, measurement

STATUS = Status(
    decisions=12_345_678,
    total=30_000_000,
    rate=14_210.4,
    seconds=3872.0,
    seats={1: [(27.1, 27.1)] * 800, 4: [(21.3, 28.9)] * 12_400},
    opponents={"first": (340, 0.61), "hard [red]": (80, 0.47), "unplayed": (0, float("nan"))},
    history=filled((12_000_000, 1.0)),
    measuring=Measuring("4 seats against heuristic", 312, 4000, 0.25, 75.0),
)
EMPTY = Status(0, 1000, 0.0, 0.0, {}, {}, History())


def view(status, width=80):
    console = Console(force_terminal=True, width=width, record=True, file=io.StringIO())
    console.print(status_view(status, width))
    return console.export_text()


def test_view_says_it_all():
    text = view(STATUS)
    for words in (
        *("12.3M of 30M decisions", "14,210/s", "1:04:32", "20:42 left"),
        *("measuring: 312 of 4,000 games", "4 seats against heuristic", "1:15 left"),
        *("30 % (25-35)", "12.4k", "21.3", "28.9", "hard [red] 47 % of 80", "unplayed - of 0"),
    ):
        assert words in text


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_wider_than_the_terminal_and_what_does_not_fit_in_is_counted(width):
    full = replace(
        STATUS,
        decisions=123_456_789_012,
        total=987_654_321_098,
        rate=1_234_567.0,
        seconds=9e5,
        opponents={f"opponent {n}": (10**6, n / 60) for n in range(60)},
        history=filled((0, 0.0), rivals=[f"rival {n} of a long name" for n in range(7)]),
        measuring=Measuring("4 seats against " + "a/" * 40, 0, 10**6, 0.0, None),
    )
    for status in (STATUS, EMPTY, replace(EMPTY, rate=float("nan"), seconds=1e6), full):
        text = view(status, width)
        lines = text.splitlines()
        assert max(map(len, lines)) <= width
        assert len(lines) < 20
    assert "rival 1" in text
    assert "rival 6" not in text
    assert "more opponents" in text
    assert f"+{60 - len(re.findall(r'opponent [0-9]+ [0-9]', text))}" in text


def test_terminal_shows_the_last_state_once():
    file = io.StringIO()
    console = Console(
        force_terminal=True,
        width=80,
        height=40,
        color_system="standard",
        file=file,
        _environ={"TERM": "xterm"},  # the tests' may say otherwise
    )
    with TrainingDisplay(console) as display:
        console.print("before")
        display.show(EMPTY)
        console.print("between [bold]two")
        display.show(replace(STATUS, decisions=1000))
        display.show(STATUS)
    console.print("after")
    written = file.getvalue()
    assert written.startswith("before\n")
    assert "between" in written
    left = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", written.rpartition("\x1b[2K")[2])
    shown = [line.rstrip() for line in left.splitlines()]
    assert shown == [*(line.rstrip() for line in view(STATUS).splitlines()), "after"]


def test_log_has_a_line_every_half_minute_and_one_at_the_end():
    now, file = 100.0, io.StringIO()
    with TrainingDisplay(Console(file=file, width=80), clock=lambda: now) as display:
        for quarter in range(4 * 65):
            now = 100.0 + quarter / 4
            display.show(replace(STATUS, decisions=quarter * 1000, history=History()))
    lines = file.getvalue().splitlines()
    assert [line.split(" of ")[0] for line in lines] == ["0", "120k", "240k", "259k"]
    assert lines[-1] == (
        "259k of 30M decisions (1%), 14,210/s, 1:04:32 learning and evaluating, 34:52 left, "
        "1 seat: winning score 27.1, 4 seats: winning score 28.9, "
        "measuring: 312 of 4,000 games, 4 seats against heuristic, 1:15 left"
    )


def test_log_has_a_line_for_each_new_measurement():
    history, file = History([measurement(), measurement(players=1, opponent=SOLO)]), io.StringIO()
    with TrainingDisplay(Console(file=file, width=80), told=1) as display:
        display.show(replace(EMPTY, history=history))
        scores = (21.0, 26.0, 20.5, 21.5, 25.75, 26.25)
        history.add(measurement(2_500_000, 9.0, 2, "[red]", scores, games=1000))
        display.show(replace(EMPTY, history=history))
        display.show(replace(EMPTY, history=history))
    lines = [line for line in file.getvalue().splitlines() if line.startswith("evaluated")]
    assert lines == [
        "evaluated after 0 decisions, 1 seat solo: 100 games, score 20.0, winning score 25.5",
        "evaluated after 2.5M decisions, 2 seats against [red]: 1,000 games, "
        "50.0 % won (95 % interval 40.0 to 60.0 %), score 21.0 ± 0.5, winning score 26.0 ± 0.2",
    ]


def test_time_left_is_to_the_end_or_to_the_limit():
    pace = 17_654_322 / 14_210.4
    for limit, left in ((None, pace), (STATUS.seconds + 60, 60), (STATUS.seconds + 10**6, pace)):
        assert time_left(replace(STATUS, limit=limit)) == time_text(left)
    assert time_left(replace(STATUS, limit=STATUS.seconds - 1)) == "0:00"
    assert time_left(replace(EMPTY, limit=90.0)) == "1:30", "before there is a pace"
    # All is learned by the last evaluation, and what is left are its games.
    over = replace(STATUS, decisions=30_000_000)
    for text in (view(over), status_line(over)):
        assert "all learned" in text
        assert "1:15 left" in text
        assert "0:00 left" not in text
    share = STATUS.decisions / STATUS.total
    for used, expected in ((None, share), (0.1, share), (0.9, 0.9), (1.5, 1.0)):
        limit = None if used is None else STATUS.seconds / used
        assert replace(STATUS, limit=limit).share == pytest.approx(expected)


def test_measurement_table_has_the_first_and_the_latest():
    history = filled((0, 1.0), (5_000_000, 1.0), (12_000_000, 1.0))
    history.add(measurement(12_000_000, 2.0, 3, "[red]"))
    widest = (24.6, 27.5, 24.1, 25.1, 26.1, 28.9)
    rates = {"win_rate": 1.0, "low": 0.99, "high": 1.0, "games": 12_400}
    history.add(measurement(12_000_000, 2.0, 4, "path/to/my.py:Agent", widest, **rates))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(measurement_table(history))
    text = console.export_text()
    assert "[red]" in text
    assert "5M" not in text
    rows = [line.split() for line in text.splitlines() if re.search(r"\d\.\d", line)]
    assert len(rows) == 2 * 7 + 2, "two for each, but one for what was measured once"
    solo = ["0", "100", "-", "18.0", "±", "0.8", "18.0", "±", "0.8"]
    assert rows[0] == ["1", "solo", *solo]
    assert ["12M", "100", "40.0", "(35.0-45.0)", "22.0", "27.0"] in rows
    assert "…o/my.py:Agent" in text
    assert "100.0 (99.0-100.0)  24.6 ± 0.5  27.5 ± 1.4" in text
    assert max(map(len, text.splitlines())) <= 80
