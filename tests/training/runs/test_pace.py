"""The pace shown is that of learning; an evaluation says how far it is by its work."""

import pytest

from shakespeare_agents import make
from shakespeare_env.core import registry
from shakespeare_training.config import TrainingConfig
from shakespeare_training.runs.callback import Pace
from shakespeare_training.runs.evaluation import Measuring, kinds_of_games, measure
from shakespeare_training.runs.history import ITSELF, SOLO
from tests.agents.networks import random_tensors


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


def test_an_evaluation_tells_how_far_it_is():
    """Games of one kind end together, and each takes as long as it has seats."""
    game = registry.game("figaro")
    tensors = random_tensors(8, game.layout.size, game.actions.size)
    kinds = [(3, "random"), (4, ITSELF)]
    told: list[Measuring] = []
    config, opponents = TrainingConfig(game="figaro"), {"random": make("random", game)}
    measured = measure(tensors, opponents, config, kinds, 5, 0, 0.0, on_progress=told.append)
    assert [found.games for found in measured] == [6, 8]
    assert (told[0].what, told[0].games, told[0].share) == ("3 seats against random", 0, 0.0)
    assert told[0].seconds_left is None
    assert {one.total for one in told} == {14}
    between = next(one for one in told if one.what == "4 seats against itself")
    assert between.games == 6
    assert between.share == pytest.approx(18 / 50)
    assert between.seconds_left is not None
    assert (told[-1].games, told[-1].share, told[-1].seconds_left) == (14, 1.0, 0.0)
    assert [one.share for one in told] == sorted(one.share for one in told)
