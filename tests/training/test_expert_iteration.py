"""Expert iteration learns, is kept like any run, and keeps the heads it starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rich.console import Console
from stable_baselines3.common.logger import configure

from shakespeare_agents.checkpoint import read_card, save_checkpoint
from shakespeare_env import registry
from shakespeare_training.config import make_config, override
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.learner import make_learner
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from shakespeare_training.stopping import Stop, Stopped
from tests.agents.networks import random_heads, random_tensors
from tests.training.short_runs import Plain, Quietly, fingerprint, played

SETTINGS: dict[str, Any] = {
    "algorithm": "expert_iteration",
    "n_envs": 6,
    "n_epochs": 1,
    "batch_size": 128,
    "width": 16,
    "decisions": 1500,
    "opponents": {"current": 0.5, "past": 0.3, "heuristic": 0.2},
    "snapshot_every": 400,
    "max_snapshots": 2,
    "precision": "float32",
    "simulations": 4,
    "considered": 2,
    "horizon": 1,
    "warmup_decisions": 700,
    "evaluation_opponents": [],
    "first_evaluation_games": 1,
    "final_evaluation_games": 1,
}


def expert(**settings):
    learner = make_learner(searching(**settings), "cpu")
    assert isinstance(learner, ExpertIteration)
    return learner


def searching(name=registry.DEFAULT, **settings):
    return make_config({"game": name, **SETTINGS, **settings}, "searching")


@pytest.mark.parametrize("name", registry.names())
def test_a_resumed_run_is_the_run_it_would_have_been(tmp_path, name):
    """Within its warm-up, after it, and whatever its threads."""
    long = {"decisions": 3000, "warmup_decisions": 1500}
    whole = Run.create(searching(name, search_threads=2, **long), tmp_path / "whole", device="cpu")
    whole.learn(Quietly(whole))
    assert whole.learner.league.snapshots
    folder = tmp_path / "parts"
    run = Run.create(searching(name, **long), folder, device="cpu")
    stopped_at = []
    for leave_at in (1, 1600):
        run.learn(Quietly(run, leave_at))
        run.close()
        run = Run.resume(folder, device="cpu")
        stopped_at.append(run.decisions)
    run.learn(Quietly(run))
    assert 0 < stopped_at[0] < 1500 < stopped_at[1] < run.decisions
    assert fingerprint(run) == fingerprint(whole)


class StopsWithin(Stop):
    """Is asked to stop in the middle of a run's first games."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def check(self):
        self.requested = self.run.decisions > 100
        super().check()


def test_stopped_in_a_game_it_plays_that_game_again(tmp_path):
    config = searching(warmup_decisions=0, decisions=700)
    whole = Run.create(config, tmp_path / "whole", device="cpu")
    assert train(whole, Console(quiet=True))
    run = Run.create(config, tmp_path / "run", device="cpu")
    assert not train(run, Console(quiet=True), stop=StopsWithin(run))
    assert run.decisions > 100
    run.close()
    with Run.resume(tmp_path / "run", device="cpu") as run:
        assert run.decisions == 0
        assert train(run, Console(quiet=True))
        assert fingerprint(run) == fingerprint(whole)
    card = read_card(tmp_path / "run")
    assert card.heads == ["win", "score"]
    assert make_config(card.settings, "card") == config


def test_a_stop_is_heeded_within_a_game():
    learner = expert(opponents={"current": 1.0}, warmup_decisions=0)
    asked = 0

    def check():
        nonlocal asked
        asked += 1
        if asked > 2:
            raise Stopped

    learner.check_stop = check
    with pytest.raises(Stopped):
        learner.learn(1, callback=Plain())
    assert learner.num_timesteps == 2 * learner.league.batch.n - 6, "one step of every game"


def test_how_many_are_played_together_changes_nothing(monkeypatch):
    found = []
    for together in (2, 8):
        monkeypatch.setattr("shakespeare_training.expert_iteration.groups._GAMES_A_PART", together)
        learner = expert(warmup_decisions=0)
        examples = played(learner)
        found.append([array.tolist() for array in examples])
    assert found[0] == found[1]


def test_it_learns_from_games_that_other_weights_played(tmp_path):
    """A worker's weights may be older than the learner's, or anybody's: losses fall."""
    teacher = expert(warmup_decisions=0, seed=1)
    examples = played(teacher)
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
    assert isinstance(run.learner, ExpertIteration)
    assert run.learner.warmup_decisions == run.config.warmup_decisions == warmup
    assert f"--set warmup_decisions={warmup}" in run.commands[0]
    run.save()
    run.close()
    with Run.resume(tmp_path / "run", device="cpu") as run:
        assert isinstance(run.learner, ExpertIteration)
    assert run.learner.warmup_decisions == warmup


def test_what_a_start_has_is_no_setting_of_ppo(tmp_path):
    config = override(make_config({}, "here"), width=16, n_envs=8, evaluation_opponents=[])
    game = registry.game(registry.DEFAULT)
    tensors = random_tensors(16, game.layout.size, game.actions.size)
    tensors |= random_heads(16, game.max_seats)
    facts: dict[str, Any] = {"command": "", "settings": {}, "figures": {}}
    save_checkpoint(tmp_path / "start", tensors, game, players=[1], **facts)
    with Run.create(config, tmp_path / "run", start=tmp_path / "start", device="cpu") as run:
        assert run.config == config
