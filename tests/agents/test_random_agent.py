from __future__ import annotations

import numpy as np

from shakespeare_agents import RandomAgent
from shakespeare_env.agent import Agent
from tests.generators import generators


def test_it_is_an_agent():
    assert isinstance(RandomAgent(), Agent)


def test_every_legal_action_equally_often_and_no_other():
    masks = np.zeros((30_000, 7), np.bool_)
    masks[:, [1, 2, 6]] = True
    actions = RandomAgent().act(np.zeros((30_000, 3), np.int8), masks, generators(30_000))
    counts = np.bincount(actions, minlength=7)
    assert counts[[0, 3, 4, 5]].sum() == 0
    assert (abs(counts[[1, 2, 6]] - 10_000) < 400).all()


def test_draws_come_from_the_generators_alone():
    masks = np.random.default_rng(1).random((50, 9)) < 0.5
    masks[:, 4] = True
    observations = np.zeros((50, 3), np.int8)
    first, again = (RandomAgent().act(observations, masks, generators(50, 2)) for _ in range(2))
    assert (first == again).all()
    assert masks[np.arange(50), first].all()
