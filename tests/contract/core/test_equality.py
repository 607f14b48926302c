"""All views show the same games, and the comparison notices when one does not."""

from __future__ import annotations

import numpy as np
import pytest
from shakespeare_env.equality import VIEWS, DifferenceError, Setting

from shakespeare_env import Position, equality
from shakespeare_env.core import rewards
from shakespeare_env.core.batch import Batch
from shakespeare_env.wrappers.aec import raw_env
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv, SB3SingleAgentVecEnv
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import small_tables
from tests.contract.random_games import TABLES


def setting_of(table, reward, **arguments):
    return Setting(table.game, table.players, reward, options=table.options, **arguments)


@pytest.mark.parametrize("number", range(len(TABLES)), ids=lambda number: str(TABLES[number]))
def test_all_views_agree_at_every_table(number):
    """Each table with one of the rewards; `shakespeare check` does them all."""
    reward = rewards.NAMES[number % len(rewards.NAMES)]
    setting = setting_of(TABLES[number], reward, seed=number, rows=4)
    course = equality.play(setting)
    for view in VIEWS:
        # Rules do not depend on rewards: they are tried with the first.
        is_tried = view != "Rules" or reward == rewards.NAMES[0]
        assert (equality.compare(view, setting, course) > 20) == is_tried
    # Chosen actions are spread evenly over the legal ones.
    decisions = [decision for row in course for decision in row]
    ranks = [one.mask[: one.action].sum() / one.mask.sum() for one in decisions]
    assert np.histogram(ranks, bins=4, range=(0, 1))[0].min() > len(ranks) / 12


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


def better(infos):
    """The same results with higher scores."""
    return [{**info, "final_scores": info["final_scores"] + 1} if info else info for info in infos]


MASKS = r"action_masks\(\)"
BREAKS = [
    ("Position", Position, "observation", flip_first, "the observation"),
    ("Position", Position, "scores", lambda scores: list(map(more, scores)), "the score"),
    ("Batch", Batch, "step", at(0, more), "the rewards"),
    ("PettingZoo", raw_env, "observe", in_dict("action_mask", opposite), "the mask in the info"),
    ("Gymnasium", SingleAgentEnv, "action_masks", opposite, MASKS),
    ("Gymnasium", SingleAgentEnv, "step", at(1, more), "the reward"),
    ("Gymnasium vector", SingleAgentVectorEnv, "step", at(0, flip_first), "the observation"),
    ("SB3 one seat", SB3SingleAgentVecEnv, "step_wait", at(1, more), "the reward"),
    ("SB3 self-play", SB3SelfPlayVecEnv, "step_wait", at(1, more), "the mover's reward"),
    ("SB3 self-play", SB3SelfPlayVecEnv, "step_wait", at(3, better), "the final score"),
]


@pytest.mark.parametrize(
    ("view", "kind", "name", "change", "what"),
    BREAKS,
    ids=[f"{case[0]}-{case[2]}-{case[4]}" for case in BREAKS],
)
@small_tables
def test_a_broken_view_is_found_out(table, view, kind, name, change, what, monkeypatch):
    setting = setting_of(table, "score", rows=2, games=1)
    course = equality.play(setting)
    monkeypatch.setattr(kind, name, shifted(getattr(kind, name), change))
    with pytest.raises(
        DifferenceError, match=rf"{view}: {what} differs from the batch's in row \d"
    ):
        equality.compare(view, setting, course)
