"""Games played ahead by workers: the setting decides what is learned, and who plays does not."""

from __future__ import annotations

import os
import signal

import pytest
from rich.console import Console

from shakespeare_agents.workers import open_workers
from shakespeare_env.errors import CheckpointError
from shakespeare_training.config import make_config
from shakespeare_training.expert_iteration.groups import Groups
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.learner import make_learner
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from shakespeare_training.stopping import Stop
from tests.training.short_runs import Plain, Quietly, edit_state, fingerprint, weights_digest
from tests.training.test_expert_iteration import searching

SMALL = {"n_envs": 10, "width": 8, "simulations": 2, "warmup_decisions": 800, "decisions": 6000}


@pytest.fixture(scope="module")
def processes():
    with open_workers(2) as workers:
        yield workers


class Kills(Quietly):
    """Loses a worker in the middle of the second group."""

    def __init__(self, run, workers):
        super().__init__(run)
        self.workers = workers
        self.killed = 0

    def _on_step(self):
        if not self.killed and self.run_kept.learner.league.finished:
            (self.killed, *_) = self.workers._executor._processes
            os.kill(self.killed, signal.SIGKILL)
        return super()._on_step()


@pytest.fixture(scope="module", params=[0, 2])
def whole(request, tmp_path_factory):
    """The settings of a run, and all that it is when this process plays."""
    config = searching("figaro", groups_ahead=request.param, **SMALL)
    with Run.create(config, tmp_path_factory.mktemp("whole") / "run", device="cpu") as run:
        run.learn(Quietly(run))
        assert run.learner.league.snapshots
        return config, fingerprint(run)


def test_who_plays_decides_nothing_nor_who_is_lost(whole, processes, tmp_path):
    config, expected = whole
    shared = processes._shares.total()
    with Run.create(config, tmp_path / "run", device="cpu") as run:
        assert isinstance(run.learner, ExpertIteration)
        run.learner.workers = processes
        callback = Kills(run, processes)
        run.learn(callback)
        assert fingerprint(run) == expected
        assert callback.killed
    assert processes._shares.total() == shared + 1, "the job: weights are shared while they play"


def test_a_resumed_run_is_the_run_it_would_have_been(whole, tmp_path):
    """In its warm-up and after it."""
    config, expected = whole
    run = Run.create(config, tmp_path / "parts", device="cpu")
    stopped_at = []
    for leave_at in (1, 3000):
        run.learn(Quietly(run, leave_at))
        run.close()
        run = Run.resume(tmp_path / "parts", device="cpu")
        stopped_at.append(run.decisions)
    run.learn(Quietly(run))
    assert 0 < stopped_at[0] < 3000 < stopped_at[1] < run.decisions
    assert fingerprint(run) == expected
    run.save()
    orders = [path.name for path in (tmp_path / "parts").glob("order-*")]
    assert len(orders) == config.groups_ahead, "of what has been played none is left"


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_a_group_is_played_with_the_weights_of_as_many_updates_ago(monkeypatch, ahead):
    learner = make_learner(searching("figaro", **SMALL | {"groups_ahead": ahead}), "cpu")
    assert isinstance(learner, ExpertIteration)
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
    learner.learn(9000, callback=Plain())
    assert len(after_update) > ahead + 1
    weights = [first] * (ahead + 1) + after_update
    for group in range(len(after_update)):
        assert given[group][0] == weights[group]
        assert given[group][1] == (given[group][2] >= 800)
    assert len(given) == len(after_update) + ahead


class StopsWithin(Stop):
    """Is asked to stop when some decisions are made."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def check(self):
        self.requested = self.run.decisions > 2000
        super().check()


def test_stopped_while_workers_play_it_goes_on_as_if_it_had_not(processes, tmp_path):
    quiet = Console(quiet=True)
    config = searching("figaro", **SMALL | {"groups_ahead": 1, "decisions": 3000})
    with Run.create(config, tmp_path / "whole", device="cpu") as whole:
        assert train(whole, quiet)
    run = Run.create(config, tmp_path / "run", device="cpu")
    assert not train(run, quiet, StopsWithin(run), processes)
    run.close()
    with Run.resume(tmp_path / "run", device="cpu") as run:
        # None at all if groups came in faster than they were learned from.
        assert run.decisions <= 2000
        assert train(run, quiet, workers=processes)
        assert fingerprint(run) == fingerprint(whole)


def test_orders_that_do_not_agree_are_refused(tmp_path):
    config = searching("figaro", **SMALL | {"groups_ahead": 2})
    with Run.create(config, tmp_path / "run", device="cpu") as run:
        run.save()

    def drop(data):
        del data["orders"][0]

    edit_state(tmp_path / "run", drop)
    with pytest.raises(CheckpointError, match="there are 1 orders, but groups_ahead = 2"):
        Run.resume(tmp_path / "run", device="cpu")


def test_groups_ahead_are_a_setting_of_searches_alone():
    with pytest.raises(ValueError, match="algorithm = 'ppo' has no such setting"):
        make_config({"groups_ahead": 1}, "here")
