"""RLlib, as docs/libraries/rllib_ppo.py uses it."""

import math

import pytest

from tests.ecosystem.recipes import foreign, run

pytest.importorskip("ray.rllib")


@foreign
def test_one_seat_and_all_seats_learn_with_legal_actions_alone(monkeypatch):
    recipe = run(monkeypatch, "rllib_ppo")
    for means in (recipe["one_seat"], recipe["all_seats"]):
        assert all(math.isfinite(mean) for mean in means)
        # An illegal action would end the game at -1.
        assert means[-1] > max(means[0], 0)
