"""Expert iteration: learning from searches, resuming, and games played by workers."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console

from shakespeare_agents.networks.checkpoint import read_card, save_checkpoint
from shakespeare_agents.search.agent import SearchAgent, SearchResult
from shakespeare_agents.workers import open_workers
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_training.building import make_learner
from shakespeare_training.config import make_config
from shakespeare_training.learners import expert_iteration
from shakespeare_training.learners.decisions import GameBuffer, take
from shakespeare_training.learners.expert_iteration import ExpertIteration, search_advantages
from shakespeare_training.learners.rollout import (
    NO_DECISION,
    NO_REPETITION,
    Minibatch,
    normalised_advantages,
    rotate_seats,
    seat_targets,
)
from shakespeare_training.networks.policy import log_shares
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.agents.networks import random_heads, random_tensors
from tests.contract.command_line import output_of
from tests.training.short_runs import StopsAfter, fingerprint, searching, small


def expert_iteration_learner(**settings):
    learner = make_learner(searching(**settings), "cpu")
    assert isinstance(learner, ExpertIteration)
    return learner


def test_it_learns_from_games_that_other_weights_played():
    """The losses fall, although the games were played by another learner."""
    other = expert_iteration_learner(warmup_decisions=0, seed=1)
    other.collect()
    learner = expert_iteration_learner(
        seed=2, n_epochs=20, learning_rate=3e-3, learning_rate_end=1.0
    )
    learner.decisions = other.decisions
    before = {name: loss.item() for name, loss in learner.losses(other.decisions).items()}
    learner.train()
    after = {name: loss.item() for name, loss in learner.losses(other.decisions).items()}
    assert all(after[name] < before[name] for name in ("win_loss", "score_loss")), (before, after)
    assert after["policy_gain"] > before["policy_gain"]


@pytest.mark.parametrize("has_heads", [True, False])
def test_a_start_with_heads_keeps_them_and_needs_no_warm_up(tmp_path, has_heads):
    """A warm-up that the settings ask for takes place all the same."""
    game = registry.game(registry.DEFAULT)
    tensors = random_tensors(16, game.layout.size, game.actions.size)
    tensors |= random_heads(16, game.max_seats) if has_heads else {}
    facts: dict[str, Any] = {"command": "", "settings": {}, "figures": {}}
    save_checkpoint(tmp_path / "start", tensors, game, players=[1], **facts)
    run = Run.create(searching(), tmp_path / "run", start=tmp_path / "start", device="cpu")
    first_tensors = run.learner.policy.tensors()
    for name in tensors:
        if not name.startswith("value."):
            np.testing.assert_array_equal(first_tensors[name], tensors[name])
    assert first_tensors["win.weight"].any() == has_heads
    assert run.config.warmup_decisions == 700
    run.close()
    words = "train", "--config", "expert_iteration", "--start", str(tmp_path / "start")
    settings = tomllib.loads(output_of(*words, "--print-config"))
    assert settings["warmup_decisions"] == (0 if has_heads else 300_000)
    overridden = tomllib.loads(output_of(*words, "--set", "warmup_decisions=9", "--print-config"))
    assert overridden == settings | {"warmup_decisions": 9}


def search_result(prior, values):
    """Return the result of a search of one decision; NaN is the value of an untried move."""
    prior = np.array([prior], float)
    values = np.array([values], float)
    tried = ~np.isnan(values)
    searched = tried.any(axis=1)
    return SearchResult(prior.argmax(axis=1), prior, searched, values, tried.astype(np.int64))


@pytest.mark.parametrize(
    ("prior", "values", "expected"),
    [
        # The mean of the tried moves, weighted by the prior, is 0.175. Untried moves count as that.
        ([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, np.nan, np.nan], [-0.075, 0.125, 0.0, 0.0]),
        ([0.6, 0.4, 0.0], [0.2, 0.2, np.nan], [0.0] * 3),
        ([0.6, 0.4, 0.0], [np.nan] * 3, [0.0] * 3),
    ],
)
def test_the_advantage_is_the_value_less_the_mean_of_tried_moves(prior, values, expected):
    (advantages,) = search_advantages(search_result(prior, values))
    assert advantages.dtype == np.float32
    assert advantages == pytest.approx(expected)


@pytest.mark.parametrize(("name", "players"), [("shakespeare", 1), ("figaro", 4)])
def test_outcomes_count_seats_clockwise_from_the_one_that_decided(name, players):
    batch = Batch(name, n=3, players=players, seed=1, autoreset=False)
    buffer = GameBuffer(batch)
    decisions = []
    rows = np.arange(batch.n)
    while rows.size:
        movers = batch.to_move[rows].tolist()
        decisions += list(zip(rows, movers, batch.scores(rows), strict=True))
        buffer.add(len(decisions), rows)
        batch.step(batch.random_actions()[rows], rows)
        rows = np.flatnonzero(batch.to_move >= 0)

    played = buffer.decisions()
    assert played["players"].tolist() == [players] * len(decisions)
    assert not played["shares"][:, players:].any()
    assert not played["changes"][:, players:].any()
    for number, (row, mover, scores) in enumerate(decisions):
        clockwise = (mover + np.arange(players)) % players
        winners = batch.final_winners[row]
        shares = winners[clockwise] / max(winners.sum(), 1)
        changes = (batch.final_scores[row] - scores)[clockwise] / batch.game.score_scale
        assert played["shares"][number, :players] == pytest.approx(shares, abs=1e-6)
        assert played["changes"][number, :players] == pytest.approx(changes, abs=1e-6)


def mixed_round(game, **settings):
    """Return a learner that has played a round, of which half of the games are searched.

    Also return the indices of the decisions in games that are not searched.
    """
    learner = expert_iteration_learner(
        game=game, searched_share=0.5, warmup_decisions=0, near_certain=1.0, **settings
    )
    learner.collect()
    decisions = learner.decisions
    assert decisions is not None
    games, numbers = np.unique(decisions["games"], return_inverse=True)
    # Only a search gives several moves of a decision advantages.
    several = (decisions["advantages"] != 0.0).sum(axis=1) > 1
    is_searched = np.array([several[numbers == number].any() for number in range(len(games))])
    return learner, is_searched, np.flatnonzero(~is_searched[numbers])


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_a_round_searches_its_share_of_the_games_of_every_table_size(share):
    learner = expert_iteration_learner(game="figaro", n_envs=41, searched_share=share)
    players = learner.league.batch.players
    drawn = [learner._draw_searched() for _ in range(50)]
    for size in np.unique(players):
        counts = [np.count_nonzero(is_searched[players == size]) for is_searched in drawn]
        expected = share * np.count_nonzero(players == size)
        assert max(abs(count - expected) for count in counts) < 1
        assert np.mean(counts) == pytest.approx(expected, abs=0.25)
    how_often = np.mean(drawn, axis=0)
    assert (how_often > 0).all()
    assert (how_often < 1).all()


def test_games_are_searched_as_they_are_drawn(monkeypatch):
    drawn = np.array([True, False, False, True, True, False])
    monkeypatch.setattr(ExpertIteration, "_draw_searched", lambda _self: drawn)
    _, is_searched, _ = mixed_round("figaro", n_envs=6)
    assert is_searched.tolist() == drawn.tolist()


def estimates_of_ppo(learner, unsearched, gae_lambda):
    """Return PPO's errors of targets for the seats that decided, float32[k, 2]."""
    batch = learner.league.batch
    columns = {name: torch.from_numpy(array) for name, array in unsearched.items()}
    with torch.no_grad():
        outputs = learner.policy.outputs(columns["observations"], columns["masks"])
    players = columns["players"]
    shares = log_shares(outputs.win_logits, players).exp()
    relative = torch.stack([shares, outputs.changes], dim=2)
    games, steps, seats = (columns[name] for name in ("games", "steps", "seats"))
    n_steps = int(steps.max()) + 1
    forecasts = torch.zeros(n_steps, batch.n, batch.game.max_seats, 2)
    forecasts[steps, games] = rotate_seats(relative, players, -seats)
    movers = torch.full((n_steps, batch.n), NO_DECISION, dtype=torch.int8)
    movers[steps, games] = seats.to(torch.int8)

    # What every seat still gains after each decision; its differences are the gains.
    remaining = torch.stack([columns["shares"], columns["changes"]], dim=2)
    gains = torch.zeros_like(forecasts)
    dones = torch.zeros(n_steps, batch.n, dtype=torch.bool)
    gains[steps, games] = rotate_seats(remaining, players, -seats)
    for game in games.unique():
        own = steps[games == game]
        gains[own[:-1], game] -= gains[own[1:], game]
        dones[own[-1], game] = True
    targets, _, closed = seat_targets(gains, forecasts, movers, dones, gains[:0], gae_lambda)
    assert closed[steps, games].all()
    errors = (targets - forecasts)[steps, games]
    return errors.gather(1, seats[:, None, None].expand(-1, 1, 2)).squeeze(1)


@pytest.mark.parametrize("name", registry.names())
def test_games_without_search_teach_what_they_teach_in_ppo(name):
    """The gradient of the policy loss is that of PPO, at the weights that played."""
    settings = {"score_reward_coef": 0.3, "score_reward_coef_end": 0.3, "win_reward_coef": 0.7}
    learner, _, indices = mixed_round(name, n_envs=8, gae_lambda=0.8, **settings)
    unsearched = take(learner.decisions, indices)
    assert 0 < len(indices) < len(learner.decisions["games"])

    columns = {column: torch.from_numpy(array) for column, array in unsearched.items()}
    players = columns["players"]
    ppo = make_learner(small(name), "cpu")
    ppo.policy.network.load_state_dict(learner.policy.network.state_dict())
    evaluation = ppo.policy.evaluate_actions(
        columns["observations"], columns["masks"], columns["actions"]
    )
    errors = estimates_of_ppo(learner, unsearched, 0.8)
    minibatch = Minibatch(
        observations=columns["observations"],
        masks=columns["masks"],
        actions=columns["actions"],
        repetition=NO_REPETITION,
        log_probs=evaluation.log_probs.detach(),
        advantages=normalised_advantages(errors, players, learner.policy.game.max_seats, 0.7, 0.3),
        players=players,
        shares=columns["shares"],
        changes=columns["changes"],
    )

    def gradient(policy, loss):
        policy.network.zero_grad()
        loss.backward()
        gradients = [weights.grad for weights in policy.parameters() if weights.grad is not None]
        return torch.cat([each.flatten() for each in gradients])

    expected = gradient(ppo.policy, ppo.losses(minibatch)["policy_gradient_loss"])
    found = gradient(learner.policy, learner.losses(unsearched)["policy_loss"])
    assert expected.norm() > 0.01
    assert (found - expected).norm() < 1e-3 * expected.norm()


def test_games_wait_for_others_so_that_many_are_searched_at_once(monkeypatch):
    """Waiting changes no decision, but there are fewer searches."""
    look_ahead = SearchAgent.look_ahead
    searched_at_once: list[int] = []

    def counted(self, games, rng, prior):
        result = look_ahead(self, games, rng, prior)
        searched_at_once.append(int(result.searched.sum()))
        return result

    monkeypatch.setattr(SearchAgent, "look_ahead", counted)
    rounds = []
    for least in (1.0, expert_iteration.LEAST_PLAYING):  # with 1, none waits
        monkeypatch.setattr(expert_iteration, "LEAST_PLAYING", least)
        learner = expert_iteration_learner(game="figaro", warmup_decisions=0, near_certain=0.1)
        searched_at_once.clear()
        learner.collect()
        assert learner.decisions is not None
        rounds.append((learner.decisions, np.count_nonzero(searched_at_once)))
    (decisions, searches), (decisions_of_waiting, searches_of_waiting) = rounds
    for name, column in decisions.items():
        np.testing.assert_array_equal(column, decisions_of_waiting[name], name)
    assert searches_of_waiting < 0.8 * searches


@pytest.mark.parametrize("searched_share", [1.0, 0.5])
def test_a_run_does_not_depend_on_workers_and_stops(monkeypatch, tmp_path, searched_share):
    """Stop a run in its warm-up and after it, and continue it with other workers.

    It must equal a run that was not stopped.
    """
    monkeypatch.setattr(expert_iteration, "GAMES_PER_SHARD", 2)  # for more than one worker
    settings = {
        "n_envs": 5,
        "width": 8,
        "simulations": 2,
        "warmup_decisions": 400,
        "decisions": 1200,
        "searched_share": searched_share,
    }
    config = searching("figaro", **settings)
    quiet = Console(quiet=True)
    with Run.create(config, tmp_path / "complete", device="cpu") as complete:
        assert train(complete, quiet)
        assert complete.learner.league.snapshots
    folder = tmp_path / "stopped"
    run = Run.create(config, folder, device="cpu")
    with open_workers(2) as workers:
        for decisions, given_workers in ((300, None), (900, workers)):
            assert not train(run, quiet, StopsAfter(run, decisions), workers=given_workers)
            run.close()
            run = Run.resume(folder, device="cpu")
            assert run.decisions <= decisions
        assert train(run, quiet, workers=workers)
    assert fingerprint(run) == fingerprint(complete)
    card = read_card(folder)
    assert card.heads == ["win", "score"]
    assert make_config(card.settings, "card") == config
