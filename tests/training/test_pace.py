"""The pace shown is that of learning, whatever comes between."""

import pytest

from shakespeare_training.runs.pace import Pace


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_only_whole_cycles_of_playing_and_updating_count():
    clock = Clock()
    pace = Pace(clock)
    pace.rest(0)
    clock.now = 60.0  # compiling, or loading what is resumed
    pace.step(100)
    clock.now = 61.0
    pace.step(1100)
    assert pace.rate == 0.0, "the update is still to come"
    clock.now = 62.0
    pace.rest(1100)
    assert pace.rate == pytest.approx(500.0)


def test_what_comes_between_two_cycles_does_not_count():
    clock = Clock()
    pace = Pace(clock)
    for _ in range(30):
        pace.step(0)
        clock.now += 2.0
        pace.rest(1000)
        clock.now += 1000.0  # an evaluation
        assert pace.rate == pytest.approx(500.0)


def test_the_latest_cycles_count():
    clock = Clock()
    pace = Pace(clock)
    for seconds in [100.0] * 5 + [1.0] * 40:
        pace.step(0)
        clock.now += seconds
        pace.rest(1000)
    assert pace.rate == pytest.approx(1000.0)
