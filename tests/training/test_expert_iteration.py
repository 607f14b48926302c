"""Expert iteration learns, is kept like any run, and keeps the heads it starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rich.console import Console
from stable_baselines3.common.logger import configure

from shakespeare_agents.checkpoint import read_card, save_checkpoint
from shakespeare_env import registry
from shakespeare_training.config import make_config
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.learner import make_learner
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.agents.networks import random_heads, random_tensors
from tests.training.short_runs import Quietly, StopsAfter, fingerprint, played, searching

QUIET = Console(quiet=True)


def expert(**settings):
    learner = make_learner(searching(**settings), "cpu")
    assert isinstance(learner, ExpertIteration)
    return learner


def test_a_resumed_run_is_the_run_it_would_have_been(tmp_path):
    """Within its warm-up, after it, and whatever its threads."""
    long = {"decisions": 1800, "warmup_decisions": 700}
    whole = Run.create(searching(search_threads=2, **long), tmp_path / "whole", device="cpu")
    whole.learn(Quietly(whole))
    assert whole.learner.league.snapshots
    folder = tmp_path / "parts"
    run = Run.create(searching(**long), folder, device="cpu")
    stopped_at = []
    for leave_at in (1, 800):
        run.learn(Quietly(run, leave_at))
        run.close()
        run = Run.resume(folder, device="cpu")
        stopped_at.append(run.decisions)
    run.learn(Quietly(run))
    assert 0 < stopped_at[0] < 700 < stopped_at[1] < run.decisions
    assert fingerprint(run) == fingerprint(whole)


def test_stopped_in_a_game_it_plays_that_game_again(tmp_path):
    config = searching(warmup_decisions=0, decisions=300)
    whole = Run.create(config, tmp_path / "whole", device="cpu")
    assert train(whole, QUIET)
    run = Run.create(config, tmp_path / "run", device="cpu")
    assert not train(run, QUIET, stop=StopsAfter(run, 100))
    assert run.decisions > 100
    run.close()
    with Run.resume(tmp_path / "run", device="cpu") as run:
        assert run.decisions == 0
        assert train(run, QUIET)
        assert fingerprint(run) == fingerprint(whole)
    card = read_card(tmp_path / "run")
    assert card.heads == ["win", "score"]
    assert make_config(card.settings, "card") == config


def test_how_many_are_played_together_changes_nothing(monkeypatch):
    found = []
    for together in (2, 8):
        monkeypatch.setattr("shakespeare_training.expert_iteration.groups._GAMES_A_PART", together)
        learner = expert(warmup_decisions=0)
        found.append([array.tolist() for array in played(learner)])
    assert found[0] == found[1]


def test_it_learns_from_games_that_other_weights_played(tmp_path):
    """A worker's weights may be older than the learner's, or anybody's: losses fall."""
    examples = played(expert(warmup_decisions=0, seed=1))
    rate = {"learning_rate": 3e-3, "learning_rate_end": 1.0}
    learner = expert(seed=2, n_epochs=4, **rate)
    learner.set_logger(configure(str(tmp_path), []))
    every = examples.rows(np.arange(examples.size))
    before = {name: loss.item() for name, loss in learner._losses(every).items()}
    for _ in range(5):
        learner._examples = examples
        learner.train()
    after = {name: loss.item() for name, loss in learner._losses(every).items()}
    losses = {"win_loss", "score_loss"}
    assert after.keys() == losses | {"policy_gain", "policy_kl"}
    assert all(after[name] < before[name] for name in losses), (before, after)
    assert after["policy_gain"] > before["policy_gain"]


@pytest.mark.parametrize("has_heads", [True, False])
def test_a_start_with_heads_keeps_them_and_needs_no_warm_up(tmp_path, has_heads):
    game = registry.game(registry.DEFAULT)
    tensors = random_tensors(16, game.layout.size, game.actions.size)
    tensors |= random_heads(16, game.max_seats) if has_heads else {}
    facts: dict[str, Any] = {"command": "", "settings": {}, "figures": {}}
    save_checkpoint(tmp_path / "start", tensors, game, players=[1], **facts)
    run = Run.create(searching(), tmp_path / "run", start=tmp_path / "start", device="cpu")
    kept = run.learner.policy.tensors()
    same = {name for name in tensors if not name.startswith("value.")}
    assert all((kept[name] == tensors[name]).all() for name in same)
    assert kept["win.weight"].any() == has_heads
    warmup = 0 if has_heads else 700
    assert run.config.warmup_decisions == warmup
    assert f"--set warmup_decisions={warmup}" in run.commands[0]
    run.save()
    run.close()
    with Run.resume(tmp_path / "run", device="cpu") as run:
        assert isinstance(run.learner, ExpertIteration)
        assert run.learner.warmup_decisions == warmup
    ppo = make_config({"width": 16, "n_envs": 8, "evaluation_opponents": []}, "here")
    with Run.create(ppo, tmp_path / "ppo", start=tmp_path / "start", device="cpu") as run:
        assert run.config == ppo, "it has no such setting"
