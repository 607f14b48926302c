"""Processes that learn together: they average gradients, and resume a run exactly."""

import json
import pickle
import socket
import subprocess
import sys

import pytest
import torch
from rich.console import Console

from shakespeare_env.errors import WorkerError
from shakespeare_training.building import checked_processes
from shakespeare_training.config import make_config
from shakespeare_training.group import run_processes
from shakespeare_training.learners.rollout import normalised_advantages
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.training import group_program
from tests.training.group_program import CONFIG, SIZE

QUIET = Console(quiet=True)
DIES = """
import os, signal
from shakespeare_training.group import joined_group
with joined_group() as group:
    if group.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    group.all_gather(None)
"""
DIES_EARLY = """
import os, signal
from shakespeare_training.group import joined_group
if os.environ["RANK"] == "1":
    os.kill(os.getpid(), signal.SIGKILL)
with joined_group():
    raise AssertionError("process 0 has met a dead one")
"""
EXCHANGES = """
import math, torch
from shakespeare_training.group import joined_group
from shakespeare_training.stopping import exit_at_once
with joined_group() as group:
    rank = group.rank
    large = b"." * 3_000_000  # more than a socket holds
    assert group.all_gather((rank, large)) == [(0, large), (1, large), (2, large)]
    assert group.gather(rank) == ([] if rank else [0, 1, 2])
    assert group.broadcast((rank, large)) == (0, large)
    assert group.union({rank, 1}) == [0, 1, 2]
    count = group.all_reduce(torch.tensor(rank))
    assert count == 3 and count.dtype == torch.int64
    assert group.all_reduce(torch.tensor([[rank, 0.5]])).tolist() == [[3.0, 1.5]]
    for factor in (1.0, 10.0):
        numbers = [torch.full((2, 3), math.nan if rank == 0 else factor * rank), torch.ones(1)]
        group.all_average(numbers, weight=rank)
        assert torch.allclose(numbers[0], torch.full((2, 3), factor * (1 * 1 + 2 * 2) / 3))
        assert numbers[1] == 1.0
exit_at_once(0)
"""


# On the CPU, processes of one machine exchange values through sockets. On GPUs, and where sockets
# cannot be handed on, they do it by `torch.distributed`, which needs no GPU for values on the CPU.
BY_DEVICE = pytest.mark.parametrize("device", ["cpu", "cuda"])


def free_port():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    """What each process of a group has reported, by rank, and the folder of its runs.

    torchrun starts the group as on two machines, with two processes and with one.
    """
    folder = tmp_path_factory.mktemp("group")
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nnodes=2"]
    torchrun += [f"--master-port={free_port()}"]
    program = ["-m", group_program.__name__, str(folder)]
    machines = [
        subprocess.Popen([*torchrun, f"--node-rank={rank}", f"--nproc-per-node={size}", *program])
        for rank, size in enumerate([SIZE - 1, 1])
    ]
    assert [machine.wait(timeout=300) for machine in machines] == [0, 0]
    reports = [pickle.loads((folder / f"{rank}.pickle").read_bytes()) for rank in range(SIZE)]
    return reports, folder


def test_a_mean_counts_each_process_by_its_weight(groups):
    reports, _ = groups
    # Process r has the numbers r and 10 r with weight r, so process 0 counts for nothing.
    means = [(0 * 0 + 1 * 1 + 2 * 2) / 3, (0 + 10 * 1 + 20 * 2) / 3]
    for report in reports:
        assert report["means"] == pytest.approx(means)
        assert report["gathered"] == [0, 1, 2]
        assert report["broadcast"] == 0


def test_advantages_are_normalised_over_the_decisions_of_all_processes(groups):
    reports, _ = groups
    errors, players = group_program.decisions()
    whole = normalised_advantages(errors, players, 4, 1.0, 0.5)
    parts = torch.cat([report["advantages"] for report in reports])
    assert torch.allclose(parts, whole, atol=1e-5)


def test_all_processes_have_the_same_weights_and_opponents(groups):
    reports, _ = groups
    first, *others = reports
    for other in others:
        assert other["weights"] == first["weights"]
        assert other["opponents"] == first["opponents"]
    assert len({report["games"] for report in reports}) == SIZE, "each plays games of its own"


def test_a_run_that_one_process_stops_is_resumed_as_if_it_had_never_stopped(groups):
    reports, _ = groups
    assert all(report["was_stopped"] for report in reports)
    assert all(report["resumed"] == report["whole"] for report in reports)


def test_processes_evaluate_together_as_one_does_alone(groups, tmp_path):
    """Before they learn, the weights are those of a process that learns alone."""
    reports, _ = groups
    with Run.create(CONFIG, tmp_path / "alone", device="cpu") as run:
        run.evaluate(4, lambda _share: None, lambda _result: None)
        alone = [str(result) for result in run.history]
    assert all(sorted(report["first_results"]) == sorted(alone) for report in reports)


def test_a_run_goes_on_with_another_number_of_processes(groups):
    _, folder = groups
    whole = folder / "whole"
    longer = 2 * json.loads((whole / "run.json").read_text())["decisions"]
    with Run.resume(whole, decisions=longer, device="cpu") as run:
        assert len(run.learner.league.lineup.seats) == CONFIG.n_envs
        assert train(run, QUIET)
        assert run.commands[-1].endswith(f"--decisions {longer} --processes 1")


@BY_DEVICE
def test_processes_of_one_machine_exchange_values_and_average(device):
    assert run_processes(SIZE, ["-c", EXCHANGES], device=device) == 0


@BY_DEVICE
@pytest.mark.parametrize("program", [DIES, DIES_EARLY])
def test_a_process_that_dies_ends_the_others_and_is_named(program, device):
    with pytest.raises(WorkerError, match="process 1 of 2 was ended by SIGKILL; if memory"):
        run_processes(2, ["-c", program], device=device)


def test_the_command_starts_processes(tmp_path):
    settings = {**group_program.SETTINGS, "evaluation_opponents": [], "decisions": 700}
    options = [f"--set={name}={value}" for name, value in settings.items()]
    command = ["train", "--game=figaro", "--config=ppo", "--out=run", "--processes=2", *options]
    done = subprocess.run(
        [sys.executable, "-m", "shakespeare_env", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "2 processes learn together, with seed 0.\nafter 0 decisions" in done.stdout
    state = json.loads((tmp_path / "run" / "run.json").read_text())
    assert len(state["processes"]) == 2
    assert state["decisions"] >= 700
    assert state["commands"][0].endswith(" --processes 2")


@pytest.mark.parametrize(
    ("wanted", "settings", "device", "fault"),
    [
        (9, {"n_envs": 8}, "cpu", "9 processes cannot share n_envs = 8; give fewer"),
        (2, {}, "cuda", "2 processes need a GPU each, and PyTorch finds 1 here; give fewer"),
    ],
)
def test_more_processes_than_games_or_gpus_are_refused(
    wanted, settings, device, fault, monkeypatch
):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    config = make_config({"game": "figaro", "players": [3], **settings}, "wide")
    with pytest.raises(ValueError, match=fault):
        checked_processes(wanted, config, device)


def test_by_default_a_long_run_uses_every_core(monkeypatch):
    monkeypatch.setattr("shakespeare_training.building.cpu_count", lambda: 16)
    sizes = [
        checked_processes(None, make_config({"game": "figaro", **settings}, "run"), "cpu")
        for settings in (
            {"n_envs": 512, "decisions": 50_000_000},
            {"n_envs": 512, "decisions": 1_000_000},
            {"n_envs": 512, "decisions": 1000},
            {"n_envs": 64, "decisions": 50_000_000},
        )
    ]
    assert sizes == [16, 2, 1, 4]
