"""The vector environment of stable-baselines3."""

from __future__ import annotations

from typing import Any

import numpy as np

from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.learners import ObservationHashAgent, learner_actions

GAMES = 8


def make_view(table, seed=0):
    opponents: Any = {"random": 1, ObservationHashAgent(2): 1}
    games = SingleAgentBatch(n=GAMES, seed=seed, opponents=opponents, **table.arguments)
    return SB3SingleAgentVecEnv(games)


def trajectory(view):
    """Return what 80 steps after a reset show."""
    observations = view.reset()
    shown = []
    for _ in range(80):
        observations, rewards, *_ = view.step(learner_actions(observations, view.action_masks()))
        shown.append((observations.tobytes(), rewards.tobytes()))
    return shown


@small_tables
def test_an_illegal_action_ends_its_game_and_no_other(table):
    view = make_view(table)
    observations: Any = view.reset()
    masks = view.action_masks()
    actions = learner_actions(observations, masks)
    actions[3] = masks[3].argmin()
    new, rewards, dones, infos = view.step(actions)
    assert np.flatnonzero(dones).tolist() == [3]
    assert (rewards == np.where(dones, -1.0, 0.0)).all()
    assert infos[3]["illegal_action"]
    assert not infos[3]["winners"].any()
    assert (infos[3]["terminal_observation"] == observations[3]).all()
    assert (new[3] != observations[3]).any()
    _, _, dones, _ = view.step(learner_actions(new, view.action_masks()))
    assert not dones.any()


@full_tables
def test_a_seed_decides_the_games_of_the_next_reset_only(table):
    view = make_view(table, seed=1)
    first = trajectory(make_view(table, seed=7))
    assert trajectory(view) != first
    assert view.seed(7) == [7] * GAMES
    assert trajectory(view) == first
    assert trajectory(view) != first
    view.seed(7)
    assert trajectory(view) == first
