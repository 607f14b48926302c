"""Stable-Baselines3 and sb3-contrib, as docs/libraries/sb3_ppo.py uses them."""

import pytest

from tests.ecosystem.recipes import foreign, run

pytest.importorskip("sb3_contrib")


@foreign
def test_it_learns_to_beat_random_play_with_legal_actions_alone(monkeypatch):
    recipe = run(monkeypatch, "sb3_ppo")
    # `win` pays at most 1; an illegal action would cost a game.
    assert recipe["before"] + 0.3 < recipe["after"] <= 1.0
    assert recipe["after"] > 0.9
    assert 0.8 < recipe["single"] <= 1.0
