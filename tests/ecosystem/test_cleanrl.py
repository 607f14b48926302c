"""PPO in one file, docs/libraries/cleanrl_ppo.py."""

import math

import pytest

from tests.ecosystem.recipes import foreign, run

pytest.importorskip("torch")


@foreign
def test_it_learns_to_beat_random_play(monkeypatch):
    recipe = run(monkeypatch, "cleanrl_ppo", "--decisions", "65536")
    assert recipe["won"]["random"] > 0.8
    assert math.isfinite(recipe["loss"])
