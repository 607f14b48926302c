"""What cannot fit is refused before it is taken, and what is counted is what is taken."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from shakespeare_env.checks import memory
from shakespeare_env.core import registry
from shakespeare_env.errors import MemoryLimitError
from shakespeare_training import learner as learners
from shakespeare_training.config import make_config
from shakespeare_training.config_text import bundled_names, chosen_config
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.learner import check_memory, make_learner, needs
from tests.training.short_runs import SMALL, played

OF_SEARCH = {"algorithm": "expert_iteration", "opponents": {"current": 1.0}}


def weights_of(learner):
    return sum(tensor.nbytes for tensor in learner.policy.tensors().values())


def games_of(learner):
    batch = learner.league.batch
    return batch.save(slice(None)).nbytes + batch.obs.nbytes + batch.mask.nbytes


def test_what_is_counted_is_there():
    """Nearly all of what the buffer holds, and every weight."""
    learner, found = make_learner(SMALL, "cpu"), needs(SMALL)
    buffer = learner.rollout_buffer
    taken = sum(store.nbytes for store in buffer._stores.values())
    taken += buffer._seats.nbytes + buffer._gains.nbytes + buffer._dones.nbytes
    later = 3 * buffer._stores["forecasts"].nbytes  # targets, results and what was gained
    assert found["n_envs or n_steps"] == taken + later
    assert found["width"] == 4 * weights_of(learner)
    assert found["n_envs"] == games_of(learner)
    assert found["max_snapshots"] == 2 * weights_of(learner)


@pytest.mark.parametrize("name", registry.names())
def test_what_whole_games_leave_to_learn_is_counted(name):
    """Not beyond what some games take, heads with the weights, and groups ahead with theirs."""
    config = make_config({"game": name, "n_envs": 8, "width": 8, **OF_SEARCH}, "here")
    learner, found = make_learner(config, "cpu"), needs(config)
    assert found["width"] == 4 * weights_of(learner)
    taken = sum(array.nbytes for array in played(learner))
    assert 0.3 * taken < found["n_envs"] < 2 * taken
    config = config.model_copy(update={"groups_ahead": 2})
    learner, more = make_learner(config, "cpu"), needs(config)
    assert isinstance(learner, ExpertIteration)
    taken = sum(array.nbytes for order in learner.orders for array in order.tensors.values())
    assert more["groups_ahead"] == taken
    assert more["n_envs"] - found["n_envs"] == games_of(learner) * 2 // 3


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"n_envs": 10**6, "n_steps": 10**6}, "lower n_envs or n_steps"),
        ({"n_envs": 2 * 10**5, "batch_size": 10**9, "width": 4096}, "lower batch_size"),
        ({"max_snapshots": 10**6, "snapshot_every": 1, "width": 4096}, "lower max_snapshots"),
        ({**OF_SEARCH, "n_envs": 10**6, "players": [4], "batch_size": 2 * 10**7}, "lower n_envs"),
    ],
)
def test_what_no_machine_holds_is_refused_untouched(monkeypatch, settings, remedy):
    monkeypatch.setattr(learners, "Batch", lambda *_, **__: pytest.fail("memory was taken"))
    monkeypatch.setattr(memory, "total_memory", lambda: 2**39)
    with pytest.raises(MemoryLimitError, match=rf"run needs about .* use 512 GiB: {remedy}$"):
        make_learner(make_config(settings, "here"), "cpu")


def test_a_gpu_has_memory_of_its_own(monkeypatch):
    config = make_config({"width": 4096}, "here")
    monkeypatch.setattr(memory, "total_memory", lambda: 2**40)
    there = SimpleNamespace(total_memory=2**20)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: there)
    said = r"needs about .* of the GPU's memory, but cuda:1 has 1 MiB: lower (width|batch_size)"
    with pytest.raises(MemoryLimitError, match=said):
        check_memory(config, "cuda:1")
    there.total_memory = 2**40
    check_memory(config, "cuda:1")
    total = sum(needs(config).values())
    monkeypatch.setattr(memory, "total_memory", lambda: total)
    check_memory(config, "cpu")
    monkeypatch.setattr(memory, "total_memory", lambda: total - 1)
    with pytest.raises(MemoryLimitError, match="lower"):
        check_memory(config, "cpu")


@pytest.mark.parametrize("name", registry.names())
def test_the_bundled_settings_fit_a_small_machine(name):
    for choice in bundled_names(name):
        assert sum(needs(chosen_config(choice, {"game": name})).values()) < 2**30
