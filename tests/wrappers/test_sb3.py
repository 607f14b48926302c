"""The vector environments: games as stable-baselines3 sees them."""

from __future__ import annotations

from typing import Any

import numpy as np

from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.learners import ObservationHashAgent, learner_actions

GAMES = 8


def seated(table, seed=0, **arguments):
    opponents: Any = {"random": 1, ObservationHashAgent(2): 1}
    return SB3SingleAgentVecEnv(
        SingleAgentBatch(n=GAMES, seed=seed, opponents=opponents, **table.arguments, **arguments)
    )


@small_tables
def test_an_illegal_action_of_the_learner_ends_its_game(table):
    view = seated(table)
    observations: Any = view.reset()
    masks = view.action_masks()
    actions = learner_actions(observations, masks)
    actions[3] = masks[3].argmin()
    seen, rewards, dones, infos = view.step(actions)
    assert np.flatnonzero(dones).tolist() == [3]
    assert (rewards == np.where(dones, -1.0, 0.0)).all()
    assert infos[3]["illegal_action"]
    assert not infos[3]["winners"].any()
    assert (infos[3]["terminal_observation"] == observations[3]).all()
    assert (seen[3] != observations[3]).any()
    assert not view.step(learner_actions(seen, view.action_masks()))[2].any()


@full_tables
def test_a_seed_counts_for_one_reset_and_settles_it(table):
    def course(view):
        observations = view.reset()
        shown = []
        for _ in range(80):
            observations, rewards, *_ = view.step(
                learner_actions(observations, view.action_masks())
            )
            shown.append((observations.tobytes(), rewards.tobytes()))
        return shown

    view = seated(table, seed=1)
    assert course(view) != course(seated(table, seed=7))
    assert view.seed(7) == [7] * GAMES
    first = course(view)
    assert course(view) != first
    view.seed(7)
    assert course(view) == first == course(seated(table, seed=7))
