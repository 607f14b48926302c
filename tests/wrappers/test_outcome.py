"""The last info of an episode, which has the same keys in all environments."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from shakespeare_env.core import registry
from shakespeare_env.wrappers.gym import SingleAgentVectorEnv
from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.spaces import episode_outcomes
from tests.contract.batches import games
from tests.wrappers.learners import learner_actions

KEYS = {
    "seat": int,
    "players": int,
    "won": float,
    "is_success": float,
    "score": int,
    "rank": int,
    "illegal_action": bool,
    "final_scores": np.ndarray,
    "winners": np.ndarray,
}


NOBODY = -1


def of_every_seat(scores, winners, to_move=NOBODY, name=registry.DEFAULT):
    """Return `episode_outcomes` of one game for each of its seats, as lists."""
    players = len(scores)
    batch: Any = SimpleNamespace(
        game=registry.game(name),
        players=np.array([players]),
        scores=np.array([scores], np.int16).__getitem__,
        final_winners=np.array([winners], np.bool_),
        to_move=np.array([to_move]),
    )
    found = episode_outcomes(batch, np.zeros(players, np.int64), np.arange(players))
    return {key: values.tolist() for key, values in found.items()}


@pytest.mark.parametrize(
    ("scores", "winners", "offender", "won", "rank"),
    [
        ([9, 12, 12, 5], [0, 1, 1, 0], NOBODY, [0, 0.5, 0.5, 0], [3, 1, 1, 4]),
        # A tie broken by the rules: one of two equal scores wins.
        ([7, 7, -3], [0, 1, 0], NOBODY, [0, 1, 0], [2, 1, 3]),
        # After an illegal action nobody has won, and the offender is last.
        ([9, 30, 12], [0, 1, 0], 1, [0, 0, 0], [2, 3, 1]),
    ],
)
def test_the_share_of_the_victory_and_the_rank(scores, winners, offender, won, rank):
    found = of_every_seat(scores, winners, offender)
    assert found["won"] == found["is_success"] == pytest.approx(won)
    assert found["rank"] == rank
    assert found["score"] == scores
    assert found["seat"] == list(range(len(scores)))
    assert found["players"] == [len(scores)] * len(scores)
    assert found["illegal_action"] == [seat == offender for seat in range(len(scores))]


@pytest.mark.parametrize("name", [name for name in registry.names() if 1 in registry.seats(name)])
def test_alone_one_wins_by_passing_the_target(name):
    target = registry.game(name).solo_target
    assert target is not None
    for score, won in ((target, 0.0), (target + 1, 1.0)):
        assert of_every_seat([int(score)], [1], name=name)["won"] == [won]


def check(info, players, length):
    """Every key, as a Python number or an array of the table's length."""
    assert set(info) - {"action_mask", "terminal_observation", "TimeLimit.truncated"} == set(KEYS)
    for key, kind in KEYS.items():
        assert type(info[key]) is kind, key
    assert info["players"] == players
    assert (info["final_scores"].shape, info["final_scores"].dtype) == ((length,), np.int16)
    assert (info["winners"].shape, info["winners"].dtype) == ((length,), np.bool_)
    assert info["score"] == info["final_scores"][info["seat"]]
    if players > 1:
        assert (info["won"] > 0) == info["winners"][info["seat"]] == (info["rank"] == 1)
    json.dumps({key: info[key] for key, kind in KEYS.items() if kind is not np.ndarray})


@games
def test_of_tables_of_different_sizes_the_longest_counts(name):
    sizes = [*registry.seats(name)]
    arguments: dict[str, Any] = {"game": name, "players": sizes, "opponents": "random"}
    view = SingleAgentVectorEnv(len(sizes), **arguments)
    vec = SB3SingleAgentVecEnv(SingleAgentBatch(n=len(sizes), seed=2, **arguments))
    rows: Any = vec.reset()
    ends: dict[int, Any] = {}
    while len(ends) < len(sizes):
        rows, _, dones, listed = vec.step(learner_actions(rows, vec.action_masks()))
        ends = {row: listed[row] for row in np.flatnonzero(dones).tolist()} | ends
    observations, infos = view.reset(seed=2)
    waiting = set(ends)
    while waiting:
        actions = learner_actions(observations, infos["action_mask"])
        observations, _, terminated, _, infos = view.step(actions)
        for row in waiting & {*np.flatnonzero(terminated)}:
            check(ends[row], sizes[row], max(sizes))
            assert not ends[row]["final_scores"][sizes[row] :].any()
            for key in KEYS:
                assert infos[f"_{key}"][row]
                assert np.array_equal(infos[key][row], ends[row][key])
        waiting -= {*np.flatnonzero(terminated)}
