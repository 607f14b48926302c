"""Expert iteration: what it learns from searches, how it is kept, and games played ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rich.console import Console
from stable_baselines3.common.logger import configure

from shakespeare_agents.networks.checkpoint import read_card, save_checkpoint
from shakespeare_agents.search.agent import Found
from shakespeare_agents.workers import open_workers
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_training import expert_iteration
from shakespeare_training.config import make_config
from shakespeare_training.expert_iteration import ExpertIteration
from shakespeare_training.learner import make_learner
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from shakespeare_training.searched_games import Decisions, GameLog, advantages
from tests.agents.networks import random_heads, random_tensors
from tests.training.short_runs import Quietly, StopsAfter, fingerprint, played, searching


def expert(**settings):
    learner = make_learner(searching(**settings), "cpu")
    assert isinstance(learner, ExpertIteration)
    return learner


def test_a_resumed_run_is_the_run_it_would_have_been(tmp_path):
    """Within its warm-up, after it, and whatever its threads."""
    long = {"decisions": 1400, "warmup_decisions": 600}
    whole = Run.create(searching(search_threads=2, **long), tmp_path / "whole", device="cpu")
    whole.learn(Quietly(whole))
    assert whole.learner.league.snapshots
    folder = tmp_path / "parts"
    run = Run.create(searching(**long), folder, device="cpu")
    stopped_at = []
    for leave_at in (1, 700):
        run.learn(Quietly(run, leave_at))
        run.close()
        run = Run.resume(folder, device="cpu")
        stopped_at.append(run.decisions)
    run.learn(Quietly(run))
    assert 0 < stopped_at[0] < 600 < stopped_at[1] < run.decisions
    assert fingerprint(run) == fingerprint(whole)
    card = read_card(folder)
    assert card.heads == ["win", "score"]
    assert make_config(card.settings, "card") == run.config


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
    run.close()


def found(prior, values):
    prior, values = np.array([prior], float), np.array([values], float)
    tried = ~np.isnan(values)
    searched = tried.any(axis=1)
    return Found(prior.argmax(axis=1), prior, searched, values, tried.astype(np.int64))


@pytest.mark.parametrize(
    ("prior", "values", "expected"),
    [
        # The mean of what was tried, by the prior, is 0.175; what was not tried counts as that.
        ([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, np.nan, np.nan], [-0.075, 0.125, 0.0, 0.0]),
        ([0.6, 0.4, 0.0], [0.2, 0.2, np.nan], [0.0] * 3),
        ([0.6, 0.4, 0.0], [np.nan] * 3, [0.0] * 3),
    ],
)
def test_a_move_that_searched_better_has_the_advantage(prior, values, expected):
    (gained,) = advantages(found(prior, values))
    assert gained.dtype == np.float32
    assert gained == pytest.approx(expected)


@pytest.mark.parametrize(("name", "players"), [("shakespeare", 1), ("figaro", 4)])
def test_games_are_told_as_their_seats_see_them(name, players):
    batch = Batch(name, n=3, players=players, seed=1, autoreset=False)
    log = GameLog(batch)
    noted = []
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        prior = batch.mask[rows] / batch.mask[rows].sum(axis=1, keepdims=True)
        scores = batch.scores(rows)
        noted += list(zip(rows, batch.to_move[rows].tolist(), scores, strict=True))
        log.add(len(noted), rows, prior.astype(np.float32), np.zeros(prior.shape, np.float32))
        batch.step(batch.random_actions()[rows], rows)
    examples = log.decisions(np.arange(3)).examples
    assert examples.size == len(noted)
    assert (examples.players == players).all()
    for number, (row, mover, scores) in enumerate(noted):
        clockwise = (mover + np.arange(players)) % players
        winners = batch.final_winners[row]
        changes = (batch.final_scores[row] - scores)[clockwise] / batch.game.score_scale
        shares = winners[clockwise] / max(winners.sum(), 1)
        absent = np.zeros(batch.game.max_seats - players)
        assert examples.shares[number] == pytest.approx(np.concatenate([shares, absent]))
        assert examples.changes[number] == pytest.approx(
            np.concatenate([changes, absent]), abs=1e-6
        )
    chosen = np.array([2, 0])
    assert np.array_equal(examples.rows(chosen).shares, examples.shares[chosen])


def first_moves(batch):
    """The log of games in which the first legal move is played."""
    log, step = GameLog(batch), 0
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        masks = batch.mask[rows]
        prior = masks / masks.sum(axis=1, keepdims=True, dtype=np.float32)
        gained = np.where(masks, np.linspace(-1.0, 1.0, masks.shape[1]), 0.0)
        log.add(step, rows, prior, gained.astype(np.float32))
        batch.step(masks.argmax(axis=1), rows)
        step += 1
    return log


def test_parts_of_a_group_are_put_together_as_if_it_had_been_played_as_one():
    batch = Batch("figaro", n=3, players=3, seed=1, autoreset=False)
    parts = [(batch.copies(np.array(games)), np.array(games)) for games in ([1], [0, 2])]
    expected = first_moves(batch).decisions(np.arange(3)).examples
    found = Decisions.joined([first_moves(games).decisions(numbers) for games, numbers in parts])
    for field in expected._fields:
        one, other = getattr(found, field), getattr(expected, field)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()


def test_who_plays_decides_nothing(monkeypatch, tmp_path):
    """A group is played by more than one worker."""
    monkeypatch.setattr(expert_iteration, "_GAMES_A_PART", 2)
    few = {"n_envs": 5, "width": 8, "simulations": 2, "warmup_decisions": 400, "decisions": 1200}
    config = searching("figaro", **few)
    with Run.create(config, tmp_path / "whole", device="cpu") as whole:
        whole.learn(Quietly(whole))
        assert whole.learner.league.snapshots
    with Run.create(config, tmp_path / "run", device="cpu") as run, open_workers(2) as workers:
        assert isinstance(run.learner, ExpertIteration)
        run.learner.workers = workers
        run.learn(Quietly(run))
        assert fingerprint(run) == fingerprint(whole)


def test_stopped_in_a_group_it_goes_on_as_if_it_had_not(tmp_path):
    quiet, folder = Console(quiet=True), tmp_path / "run"
    config = searching("figaro", n_envs=5, width=8, simulations=2, decisions=1000)
    with Run.create(config, tmp_path / "whole", device="cpu") as whole:
        assert train(whole, quiet)
    with Run.create(config, folder, device="cpu") as run:
        assert not train(run, quiet, StopsAfter(run, 300))
    with Run.resume(folder, device="cpu") as run:
        assert run.decisions <= 300
        assert train(run, quiet)
        assert fingerprint(run) == fingerprint(whole)
