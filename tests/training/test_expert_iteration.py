"""Expert iteration: learning from searches, resuming, and games played by workers."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from shakespeare_agents.networks.checkpoint import read_card, save_checkpoint
from shakespeare_agents.search.agent import SearchResult
from shakespeare_agents.workers import open_workers
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_training import expert_iteration
from shakespeare_training.building import make_learner
from shakespeare_training.config import make_config
from shakespeare_training.expert_iteration import ExpertIteration, GameBuffer, search_advantages
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.agents.networks import random_heads, random_tensors
from tests.contract.command_line import output_of
from tests.training.short_runs import StopsAfter, fingerprint, searching


def expert(**settings):
    learner = make_learner(searching(**settings), "cpu")
    assert isinstance(learner, ExpertIteration)
    return learner


def test_it_learns_from_games_that_other_weights_played():
    """Losses fall though a worker's weights may be older than the learner's, or anybody's."""
    other = expert(warmup_decisions=0, seed=1)
    other.collect()
    learner = expert(seed=2, n_epochs=20, learning_rate=3e-3, learning_rate_end=1.0)
    learner.examples = other.examples
    before = {name: loss.item() for name, loss in learner.losses(other.examples).items()}
    learner.train()
    after = {name: loss.item() for name, loss in learner.losses(other.examples).items()}
    assert all(after[name] < before[name] for name in ("win_loss", "score_loss")), (before, after)
    assert after["policy_gain"] > before["policy_gain"]


@pytest.mark.parametrize("has_heads", [True, False])
def test_a_start_with_heads_keeps_them_and_needs_no_warm_up(tmp_path, has_heads):
    """A warm-up that is asked for takes place."""
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
    assert run.config.warmup_decisions == 700
    run.close()
    words = "train", "--config", "expert_iteration", "--start", str(tmp_path / "start")
    settings = tomllib.loads(output_of(*words, "--print-config"))
    assert settings["warmup_decisions"] == (0 if has_heads else 300_000)
    asked = tomllib.loads(output_of(*words, "--set", "warmup_decisions=9", "--print-config"))
    assert asked == settings | {"warmup_decisions": 9}


def found(prior, values):
    prior = np.array([prior], float)
    values = np.array([values], float)
    tried = ~np.isnan(values)
    searched = tried.any(axis=1)
    return SearchResult(prior.argmax(axis=1), prior, searched, values, tried.astype(np.int64))


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
    (gained,) = search_advantages(found(prior, values))
    assert gained.dtype == np.float32
    assert gained == pytest.approx(expected)


@pytest.mark.parametrize(("name", "players"), [("shakespeare", 1), ("figaro", 4)])
def test_games_are_told_as_their_seats_see_them(name, players):
    batch = Batch(name, n=3, players=players, seed=1, autoreset=False)
    log = GameBuffer(batch)
    noted = []
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        prior = batch.mask[rows] / batch.mask[rows].sum(axis=1, keepdims=True)
        scores = batch.scores(rows)
        noted += list(zip(rows, batch.to_move[rows].tolist(), scores, strict=True))
        log.add(len(noted), rows, prior.astype(np.float32), np.zeros(prior.shape, np.float32))
        batch.step(batch.random_actions()[rows], rows)
    _, examples = log.decisions(np.arange(3))
    assert examples.players.tolist() == [players] * len(noted)
    absent = np.zeros(batch.game.max_seats - players)
    for number, (row, mover, scores) in enumerate(noted):
        clockwise = (mover + np.arange(players)) % players
        winners = batch.final_winners[row]
        changes = (batch.final_scores[row] - scores)[clockwise] / batch.game.score_scale
        shares = winners[clockwise] / max(winners.sum(), 1)
        for told, real in ((examples.shares, shares), (examples.changes, changes)):
            assert told[number] == pytest.approx(np.concatenate([real, absent]), abs=1e-6)


def test_who_plays_decides_nothing_and_a_stopped_run_is_the_run_it_would_have_been(
    monkeypatch, tmp_path
):
    """It is stopped in its warm-up, after it and within a group, with other workers and threads."""
    monkeypatch.setattr(expert_iteration, "GAMES_PER_SHARD", 2)  # for more than one worker
    few = {"n_envs": 5, "width": 8, "simulations": 2, "warmup_decisions": 400, "decisions": 1200}
    config = searching("figaro", **few)
    quiet = Console(quiet=True)
    threaded = searching("figaro", search_threads=2, **few)
    with Run.create(threaded, tmp_path / "whole", device="cpu") as whole:
        assert train(whole, quiet)
        assert whole.learner.league.snapshots
    run = Run.create(config, folder := tmp_path / "parts", device="cpu")
    with open_workers(2) as workers:
        for decisions, elsewhere in ((300, None), (900, workers)):
            assert not train(run, quiet, StopsAfter(run, decisions), workers=elsewhere)
            run.close()
            run = Run.resume(folder, device="cpu")
            assert run.decisions <= decisions
        assert train(run, quiet, workers=workers)
    assert fingerprint(run) == fingerprint(whole)
    card = read_card(folder)
    assert card.heads == ["win", "score"]
    assert make_config(card.settings, "card") == config
