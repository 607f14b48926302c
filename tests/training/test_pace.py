"""The pace shown is that of learning; an evaluation says how far it is by its work."""

import pytest

from shakespeare_training.config import TrainingConfig
from shakespeare_training.runs.history import ITSELF, SOLO
from shakespeare_training.runs.measuring import Meter, kinds_of_games
from shakespeare_training.runs.pace import Pace


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_only_whole_cycles_of_playing_and_updating_count_and_the_latest():
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
    for seconds in [100.0] * 5 + [1.0] * 40:
        clock.now += 1000.0  # an evaluation
        pace.step(0)
        clock.now += seconds
        pace.rest(1000)
    assert pace.rate == pytest.approx(1000.0)


def test_kinds_of_games():
    config = TrainingConfig(players=(3, 1, 3), evaluation_opponents=("random", "random"))
    assert kinds_of_games(config) == [(1, SOLO), (3, "random"), (3, ITSELF)]


def test_work_is_measured_by_the_decisions_of_what_was_played():
    clock = Clock()
    meter = Meter([(1, SOLO), (3, "my.py:Agent")], 10, clock=clock)
    found = meter.begin((1, SOLO))
    assert (found.what, found.games, found.total) == ("1 seat solo", 0, 10 + 12)
    assert (found.share, found.seconds_left) == (0.0, None)
    assert meter.reading(200, 0).share == 0.0, "how long a game is nobody knows yet"
    meter.reading(500, 10)
    clock.now += 4.0
    # 46 seats in all, 10 of them done.
    found = meter.begin((3, "my.py:Agent"))
    assert (found.what, found.games) == ("3 seats against my.py:Agent", 10)
    assert found.share == pytest.approx(10 / 46)
    assert found.seconds_left == pytest.approx(4.0 * 36 / 10)
    # Of these games' 36 seats as many decisions are expected as of the others, 50.
    assert meter.reading(900, 0).share == pytest.approx((10 + 18) / 46)
    assert meter.reading(9000, 11).share == 1.0, "longer than expected"
