"""PPO in one file, docs/libraries/cleanrl_ppo.py."""

import math

import pytest

from shakespeare_env import registry
from tests.ecosystem.recipes import FOLDER, foreign, run

pytest.importorskip("torch")


def test_it_is_under_100_lines():
    assert len((FOLDER / "cleanrl_ppo.py").read_text().splitlines()) < 100


@foreign
def test_it_learns_to_beat_random_play(monkeypatch):
    recipe = run(monkeypatch, "cleanrl_ppo", "--decisions", "65536")
    assert recipe["won"]["random"] > 0.8
    assert math.isfinite(recipe["loss"])


@foreign
def test_its_advantages_are_those_of_the_project(monkeypatch):
    """Along each seat's own decisions, as `shakespeare_training` takes them."""
    import numpy as np

    from shakespeare_training.ppo.advantages import seat_advantages

    recipe = run(monkeypatch, "cleanrl_ppo", "--decisions", "0")
    games, seats = recipe["games"], registry.game("shakespeare").max_seats
    shape = recipe["STEPS"], games.n
    rng = np.random.default_rng(0)
    rewards = rng.normal(size=(*shape, seats)).astype(np.float32)
    values = rng.normal(size=shape).astype(np.float32)
    movers = rng.integers(seats, size=shape)
    dones = rng.random(shape) < 0.05
    gain, closed = recipe["advantages"](rewards, values, movers, dones)
    known = seat_advantages(rewards, values, movers, dones, recipe["GAMMA"], recipe["LAMBDA"])
    assert (closed.numpy() == known.closed).all()
    assert np.allclose(gain.numpy(), known.advantages[known.closed], atol=1e-4)
