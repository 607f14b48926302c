"""Measurements keep their order, and nothing damaged gets in or out."""

from __future__ import annotations

import json
import math

import pytest

from shakespeare_training.runs.history import (
    ITSELF,
    SOLO,
    History,
    Measurement,
    seats_text,
    short_count,
    short_name,
)
from tests.training.runs.histories import measurement

HISTORY = (
    measurement(),
    measurement(opponent="heuristic", win_rate=0.0, low=0.0, high=0.04),
    measurement(players=1, opponent=SOLO),
    measurement(10, 1.5),
    measurement(10, 1.5, opponent=ITSELF),
)


def test_measurements_survive_json_and_are_found_by_what_they_are_of():
    history = History(HISTORY)
    text = json.dumps(history.to_json(), allow_nan=False)
    assert [Measurement(**entry) for entry in json.loads(text)] == list(history) == [*HISTORY]
    assert history.keys() == [(4, "random"), (4, "heuristic"), (1, SOLO), (4, ITSELF)]
    assert history.rivals() == ["random", "heuristic"]
    assert [found.decisions for found in history.series(4, "random")] == [0, 10]
    assert history.latest(4, "random") == history[3]
    assert history.latest(2, "random") is None


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"decisions": -1}, r"decisions\n.*greater than or equal to 0"),
        ({"players": 1}, "with one seat only"),
        ({"opponent": SOLO}, "with one seat only"),
        ({"seconds": math.inf}, r"seconds\n.*finite number"),
        ({"win_rate": None}, "win_rate, low and high = .*numbers against others"),
        ({"opponent": ITSELF, "win_rate": 0.5}, "must be None against 'itself'"),
    ],
)
def test_wrong_figures_are_refused(changes, fault):
    with pytest.raises(ValueError, match=fault):
        measurement(**changes)


def test_order_is_kept():
    history = History(HISTORY)
    with pytest.raises(ValueError, match="decisions = 9 is below"):
        history.add(measurement(9, 2.0))
    with pytest.raises(ValueError, match=r"seconds = 1.0 is below"):
        history.add(measurement(11, 1.0))
    assert list(history) == [*HISTORY]
    with pytest.raises(ValueError, match="decisions = 0 is below"):
        History([*HISTORY, measurement()])


def test_counts_in_three_digits():
    counts = [0, 950, 999.6, 12_345, 999_499, 999_500, 2_500_000, 10**9, 15 * 10**11]
    said = ["0", "950", "1k", "12.3k", "999k", "1M", "2.5M", "1B", "1,500B"]
    assert [short_count(count) for count in counts] == said
    assert short_name("my_own_package:Agent") == "my_own_packag…"
    assert short_name("path/to/my.py:Agent") == "…o/my.py:Agent"
    assert (seats_text(1), seats_text(4)) == ("1 seat", "4 seats")
