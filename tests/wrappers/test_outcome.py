"""How an episode ended: the last info has the same keys in all environments."""

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
"""Every key of the last info, and the type of its value."""
OTHER_KEYS = {"action_mask", "terminal_observation", "TimeLimit.truncated"}
NOBODY = -1


def outcomes_by_seat(scores, winners, to_move=NOBODY, name=registry.DEFAULT):
    """Return the `episode_outcomes` of one game for each of its seats, as lists."""
    players = len(scores)
    batch: Any = SimpleNamespace(
        game=registry.game(name),
        players=np.array([players]),
        scores=np.array([scores], np.int16).__getitem__,
        final_winners=np.array([winners], np.bool_),
        to_move=np.array([to_move]),
    )
    outcomes = episode_outcomes(batch, np.zeros(players, np.int64), np.arange(players))
    return {key: values.tolist() for key, values in outcomes.items()}


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
def test_winners_share_the_victory_and_the_rank_follows(scores, winners, offender, won, rank):
    outcomes = outcomes_by_seat(scores, winners, offender)
    assert outcomes["won"] == outcomes["is_success"] == pytest.approx(won)
    assert outcomes["rank"] == rank
    assert outcomes["score"] == scores
    assert outcomes["seat"] == list(range(len(scores)))
    assert outcomes["players"] == [len(scores)] * len(scores)
    assert outcomes["illegal_action"] == [seat == offender for seat in range(len(scores))]


@pytest.mark.parametrize("name", [name for name in registry.names() if 1 in registry.seats(name)])
def test_a_solo_player_wins_with_more_than_the_target(name):
    target = registry.game(name).solo_target
    assert target is not None
    for score, won in ((target, 0.0), (target + 1, 1.0)):
        assert outcomes_by_seat([int(score)], [1], name=name)["won"] == [won]


def check_last_info(info, players, length):
    """Assert that a last info has every key, as a Python number or an array of this length."""
    assert set(info) - OTHER_KEYS == set(KEYS)
    for key, kind in KEYS.items():
        assert type(info[key]) is kind, key
    assert info["players"] == players
    assert info["final_scores"].shape == (length,)
    assert info["final_scores"].dtype == np.int16
    assert info["winners"].shape == (length,)
    assert info["winners"].dtype == np.bool_
    assert info["score"] == info["final_scores"][info["seat"]]
    if players > 1:
        assert (info["won"] > 0) == info["winners"][info["seat"]] == (info["rank"] == 1)
    json.dumps({key: info[key] for key, kind in KEYS.items() if kind is not np.ndarray})


@pytest.fixture(scope="module", params=registry.names())
def mixed(request):
    """Arguments of one-seat games at tables of every size."""
    return {
        "game": request.param,
        "players": list(registry.seats(request.param)),
        "opponents": "random",
    }


@pytest.fixture(scope="module")
def last_infos(mixed):
    """The last info of the first game of every row, by row, in SB3's environment."""
    n = len(mixed["players"])
    view = SB3SingleAgentVecEnv(SingleAgentBatch(n=n, seed=2, **mixed))
    observations: Any = view.reset()
    found: dict[int, Any] = {}
    while len(found) < n:
        actions = learner_actions(observations, view.action_masks())
        observations, _, dones, infos = view.step(actions)
        for row in np.flatnonzero(dones).tolist():
            found.setdefault(row, infos[row])
    return found


def test_arrays_of_the_last_info_are_as_long_as_the_largest_table(mixed, last_infos):
    sizes = mixed["players"]
    for row, info in last_infos.items():
        check_last_info(info, sizes[row], max(sizes))
        assert not info["final_scores"][sizes[row] :].any()


def test_gymnasiums_vector_environment_gives_the_same_last_infos(mixed, last_infos):
    view = SingleAgentVectorEnv(len(mixed["players"]), **mixed)
    observations, infos = view.reset(seed=2)
    waiting = set(last_infos)
    while waiting:
        actions = learner_actions(observations, infos["action_mask"])
        observations, _, terminated, _, infos = view.step(actions)
        ended = {*np.flatnonzero(terminated).tolist()}
        for row in waiting & ended:
            for key in KEYS:
                assert infos[f"_{key}"][row]
                assert np.array_equal(infos[key][row], last_infos[row][key])
        waiting -= ended
