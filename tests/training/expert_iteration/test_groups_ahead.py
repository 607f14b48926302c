"""Games played ahead by workers: the setting decides what is learned, and who plays does not."""

from __future__ import annotations

import os
import signal

import pytest
from rich.console import Console

from shakespeare_agents.workers import open_workers
from shakespeare_training.expert_iteration import groups
from shakespeare_training.expert_iteration.groups import Groups
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.learner import make_learner
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.training.short_runs import Quietly, StopsAfter, fingerprint, searching, weights_digest

SMALL = {"n_envs": 5, "width": 8, "simulations": 2, "warmup_decisions": 400, "decisions": 2000}


def ahead(groups_ahead):
    return searching("figaro", groups_ahead=groups_ahead, **SMALL)


@pytest.fixture(autouse=True)
def in_parts(monkeypatch):
    """A group is played by more than one worker."""
    monkeypatch.setattr(groups, "_GAMES_A_PART", 2)


@pytest.fixture(scope="module")
def processes():
    with open_workers(2) as workers:
        yield workers


class Kills(Quietly):
    """Loses a worker in the middle of the second group."""

    def __init__(self, run, workers):
        super().__init__(run)
        self.workers, self.killed = workers, 0

    def _on_step(self):
        if not self.killed and self.run_kept.learner.league.finished:
            (self.killed, *_) = self.workers._executor._processes
            os.kill(self.killed, signal.SIGKILL)
        return super()._on_step()


def test_who_plays_decides_nothing_nor_who_is_lost(processes, tmp_path):
    with Run.create(ahead(0), tmp_path / "whole", device="cpu") as whole:
        whole.learn(Quietly(whole))
        assert whole.learner.league.snapshots
    shared = processes._shares.total()
    with Run.create(ahead(0), tmp_path / "run", device="cpu") as run:
        assert isinstance(run.learner, ExpertIteration)
        run.learner.workers = processes
        callback = Kills(run, processes)
        run.learn(callback)
        assert fingerprint(run) == fingerprint(whole)
        assert callback.killed
    assert processes._shares.total() == shared + 1, "the job: weights are shared while they play"


def test_stopped_with_groups_ahead_it_goes_on_as_if_it_had_not(processes, tmp_path):
    """Played by this process or by workers."""
    quiet, config, folder = Console(quiet=True), ahead(2), tmp_path / "run"
    with Run.create(config, tmp_path / "whole", device="cpu") as whole:
        assert train(whole, quiet)
        assert whole.learner.league.snapshots
    run = Run.create(config, folder, device="cpu")
    for workers, decisions in ((None, 300), (processes, 1200)):
        assert not train(run, quiet, StopsAfter(run, decisions), workers)
        run.close()
        run = Run.resume(folder, device="cpu")
        # None at all if groups came in faster than they were learned from.
        assert run.decisions <= decisions
    with run:
        assert train(run, quiet)
        assert fingerprint(run) == fingerprint(whole)
    orders = [path.name for path in folder.glob("order-*")]
    assert len(orders) == config.groups_ahead, "of what has been played none is left"


@pytest.mark.parametrize("count", [0, 2])
def test_a_group_is_played_with_the_weights_of_as_many_updates_ago(monkeypatch, count):
    learner = make_learner(ahead(count), "cpu")
    after_update = []
    gave, given = Groups.give, {}
    train_once = learner.train

    def give(self, group, order, league, rows):
        given[group] = weights_digest(order.tensors), order.is_searched, learner.num_timesteps
        gave(self, group, order, league, rows)

    def update():
        train_once()
        after_update.append(weights_digest(learner.policy.tensors()))

    monkeypatch.setattr(Groups, "give", give)
    monkeypatch.setattr(learner, "train", update)
    first = weights_digest(learner.policy.tensors())
    learner.learn(2000)
    assert len(after_update) > count + 1
    weights = [first] * (count + 1) + after_update
    for group in range(len(after_update)):
        assert given[group][0] == weights[group]
        assert given[group][1] == (given[group][2] >= 400)
    assert len(given) == len(after_update) + count
