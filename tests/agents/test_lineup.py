"""Several agents at one table: each is asked once, for the games that wait for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, decide_together
from tests.training.toy_game import make_toy


class Takes:
    """Always the same action; keeps what it was shown, and draws a number a game."""

    def __init__(self, action):
        self.action = action
        self.shown = []
        self.drawn = []

    def act(self, observations, masks, rng):
        self.shown.append((observations.copy(), masks.copy()))
        self.drawn.append(rng.random(len(masks)).tolist())
        return np.full(len(masks), self.action)


class Looks(Takes):
    """The same as one that searches."""

    act = None  # type: ignore[assignment]

    def search(self, views, rng):
        self.shown.append((views.observations.copy(), views.masks.copy()))
        return np.full(len(views), self.action)


def generators(count, seed=0):
    return [np.random.default_rng([seed, index]) for index in range(count)]


def test_each_is_asked_once_for_its_games_and_answers_in_their_places():
    batch = make_toy(8, seed=3)
    rows = np.array([0, 2, 3, 5, 7])
    who = np.array([2, 0, 2, 0, 2])
    table = [Takes(0), Takes(1), Looks(2)]
    actions = decide_together(table, generators(3), batch, rows, who)
    assert actions.dtype == np.int64
    assert actions.tolist() == [2, 0, 2, 0, 2]
    assert [len(agent.shown) for agent in table] == [1, 0, 1]
    for agent, games in ((table[0], [2, 5]), (table[2], [0, 3, 7])):
        observations, masks = agent.shown[0]
        assert (observations == batch.obs[games]).all()
        assert (masks == batch.mask[games]).all()


def test_each_draws_from_a_generator_of_its_own():
    batch, rows = make_toy(4), np.arange(4)
    with_company, alone = Takes(0), Takes(0)
    decide_together(
        [with_company, RandomAgent()], generators(2), batch, rows, np.array([0, 1, 0, 1])
    )
    decide_together([alone], generators(1), batch, rows[:2], np.zeros(2, int))
    assert with_company.drawn == alone.drawn


def test_no_games_no_questions():
    agent = Takes(0)
    none = np.zeros(0, np.int64)
    assert decide_together([agent], generators(1), make_toy(3), none, none).shape == (0,)
    assert not agent.shown


def test_the_games_stay_as_they_are():
    batch = make_toy(4)
    before = batch.save(np.arange(4))
    decide_together([Takes(1)], generators(1), batch, np.arange(4), np.zeros(4, int))
    assert batch.save(np.arange(4)) == before


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda n: np.zeros(n + 1, int), ValueError),
        (lambda n: np.zeros((n, 1), int), ValueError),
        (lambda n: np.zeros(n), TypeError),
        (lambda n: None, ValueError),
        (lambda n: 1 / 0, ZeroDivisionError),
    ],
)
def test_whoever_fails_is_named_with_the_number_of_games(answer, fault):
    class Clueless:
        def act(self, observations, masks, rng):
            return answer(len(masks))

        def __repr__(self):
            return "Clueless()"

    table: list[Any] = [RandomAgent(), Clueless()]
    with pytest.raises(fault) as caught:
        decide_together(table, generators(2), make_toy(5), np.arange(5), np.array([0, 1, 1, 0, 1]))
    assert caught.value.__notes__ == ["The agent Clueless() was to decide in 3 games."]
