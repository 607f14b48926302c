"""All views show the same games, and the comparison notices when one does not."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_env import Position, equality, rewards
from shakespeare_env.batch import Batch
from shakespeare_env.equality import VIEWS, DifferenceError, Setting
from shakespeare_env.equality.trace import choose
from shakespeare_env.wrappers.aec import raw_env
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv, SB3SingleAgentVecEnv
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.random_games import FULL_TABLES, PLAIN_FULL_TABLES, TABLES

views = pytest.mark.parametrize("view", VIEWS)


def setting_of(table, reward, **arguments):
    return Setting(table.game, table.players, reward, options=table.options, **arguments)


@pytest.mark.parametrize("number", range(len(TABLES)), ids=lambda number: str(TABLES[number]))
def test_all_views_agree_at_every_table(number):
    """Each table with one of the rewards; `shakespeare check` does them all."""
    reward = rewards.NAMES[number % len(rewards.NAMES)]
    setting = setting_of(TABLES[number], reward, seed=number, rows=2)
    course = equality.play(setting)
    for view in VIEWS:
        assert equality.compare(view, setting, course) > 20


@pytest.mark.parametrize("reward", rewards.NAMES)
@pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
def test_all_views_agree_on_every_reward(table, reward):
    setting = setting_of(table, reward, seed=77, rows=3, games=1)
    course = equality.play(setting)
    for view in VIEWS:
        assert equality.compare(view, setting, course) > 20


@pytest.mark.parametrize("table", FULL_TABLES, ids=str)
def test_the_rule_that_chooses_is_repeatable_and_uses_every_part_of_the_mask(table):
    setting = setting_of(table, "win", rows=8)
    course, again = equality.play(setting), equality.play(setting)
    taken = [decision.action for row in course for decision in row]
    assert taken == [decision.action for row in again for decision in row]
    ranks = [
        int(decision.mask[: decision.action].sum()) / int(decision.mask.sum())
        for row in course
        for decision in row
    ]
    # Evenly spread over the legal actions, first and last ones included.
    assert np.histogram(ranks, bins=4, range=(0, 1))[0].min() > len(ranks) / 10


def test_choosing_is_legal():
    rng = np.random.default_rng(0)
    observations = rng.integers(-128, 127, (500, 40)).astype(np.int8)
    masks = rng.random((500, 9)) < 0.3
    masks[np.arange(500), rng.integers(0, 9, 500)] = True
    assert masks[np.arange(500), choose(observations, masks)].all()


# What to break in a view, and what the comparison then says.
def shifted(method, change):
    def broken(self, *args, **kwargs):
        return change(method(self, *args, **kwargs))

    return broken


def flip_first(array):
    array = np.array(array)
    array.reshape(-1)[0] ^= 1
    return array


def at(place, change):
    """Change one value of a tuple."""
    return lambda out: tuple(change(value) if i == place else value for i, value in enumerate(out))


def in_dict(name, change):
    return lambda values: {**values, name: change(values[name])}


def more(value):
    return value + 1


def opposite(value):
    return np.logical_not(value)


MASKS = r"action_masks\(\)"
BREAKS = [
    ("Position", Position, "observation", flip_first, "the observation"),
    ("Position", Position, "action_mask", opposite, "the mask"),
    ("Position", Position, "scores", lambda scores: list(map(more, scores)), "the score"),
    ("Batch", Batch, "step", at(0, more), "the rewards"),
    ("PettingZoo", raw_env, "observe", in_dict("action_mask", opposite), "the mask in the info"),
    ("PettingZoo", raw_env, "observe", in_dict("observation", flip_first), "the observation"),
    ("Gymnasium", SingleAgentEnv, "action_masks", opposite, MASKS),
    ("Gymnasium", SingleAgentEnv, "step", at(1, more), "the reward"),
    ("Gymnasium", SingleAgentEnv, "step", at(3, lambda cut_short: True), "the end"),
    ("Gymnasium vector", SingleAgentVectorEnv, "step", at(0, flip_first), "the observation"),
    ("Gymnasium vector", SingleAgentVectorEnv, "step", at(2, opposite), "the end"),
    ("SB3 one seat", SB3SingleAgentVecEnv, "step_wait", at(1, more), "the reward"),
    ("SB3 one seat", SB3SingleAgentVecEnv, "action_masks", opposite, "the mask"),
    ("SB3 self-play", SB3SelfPlayVecEnv, "step_wait", at(0, flip_first), "the observation"),
    ("SB3 self-play", SB3SelfPlayVecEnv, "step_wait", at(1, more), "the mover's reward"),
]


@pytest.mark.parametrize(
    ("view", "kind", "name", "change", "what"),
    BREAKS,
    ids=[f"{case[0]}-{case[2]}-{case[4]}" for case in BREAKS],
)
@pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
def test_a_broken_view_is_found_out(table, view, kind, name, change, what, monkeypatch):
    setting = setting_of(table, "score", rows=2, games=1)
    course = equality.play(setting)
    monkeypatch.setattr(kind, name, shifted(getattr(kind, name), change))
    with pytest.raises(
        DifferenceError, match=rf"{view}: {what} differs from the batch's in row \d"
    ):
        equality.compare(view, setting, course)
