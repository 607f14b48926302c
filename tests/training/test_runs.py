"""Runs: a stopped run continues exactly, damage is refused, and runs do not disturb each other."""

from __future__ import annotations

import gc
import hashlib
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Barrier

import numpy as np
import pytest
import safetensors.numpy
import torch
from filelock import FileLock, Timeout
from rich.console import Console
from threadpoolctl import ThreadpoolController

from shakespeare_agents.networks.checkpoint import load_checkpoint, read_card
from shakespeare_agents.networks.threads import one_thread
from shakespeare_arena import evaluate
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_training.config import override
from shakespeare_training.exploit import ExploitSettings, exploit_by_ppo
from shakespeare_training.learners.learner import linear
from shakespeare_training.learners.ppo import PPO
from shakespeare_training.runs.evaluation import Strength, is_worth_measuring, strength_decisions
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.contract.command_line import refusal_of
from tests.training.short_runs import (
    SMALL,
    StopsAfter,
    edit_state,
    fingerprint,
    learn_quietly,
    searching,
    small,
)

QUIET = Console(quiet=True)
FEW = {"first_evaluation_games": 4, "evaluation_games": 4, "final_evaluation_games": 4}
CONFIG = override(
    SMALL,
    precision="bfloat16",
    players=[1, 2],
    n_steps=8,
    decisions=500,
    snapshot_every=200,
    evaluate_every=200,
    evaluation_opponents=["random", "scale"],
    **FEW,
)
GAME = registry.game(registry.DEFAULT)


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """A complete run, closed."""
    with Run.create(CONFIG, tmp_path_factory.mktemp("runs") / "complete", device="cpu") as run:
        assert train(run, QUIET)
    return run


@pytest.fixture
def folder(complete, tmp_path):
    """A copy of its folder, with snapshots, open decisions and the optimiser's state."""
    return shutil.copytree(complete.folder, tmp_path / "copy")


def results(run):
    """Return the results of a run's evaluations, without the seconds before each."""
    return [replace(result, seconds=0.0) for result in run.history]


def test_a_run_that_was_stopped_often_equals_one_that_never_was(complete, tmp_path):
    """Stop in rollouts, updates and evaluations, with the loop of the command itself."""
    folder = tmp_path / "run"
    run = Run.create(CONFIG, folder, device="cpu")
    stopped_at = []
    # 41 checks end within a rollout or an update, 2001 checks after some games of an evaluation.
    for checks in (41, 2001) * 9:
        if train(run, QUIET, StopsAfter(checks=checks)):
            break
        run.close()
        before = results(run)
        run = Run.resume(folder, device="cpu")
        assert results(run) == before
        stopped_at.append((run.decisions, len(run.history)))
    assert len(set(stopped_at)) > 2
    assert fingerprint(run) == fingerprint(complete)
    assert results(run) == results(complete)
    assert len(run.learner.league.pool) == 2


def test_a_complete_run_says_so_and_can_be_made_longer(complete, folder, capsys):
    for decisions in (None, CONFIG.decisions):
        with Run.resume(folder, decisions=decisions, device="cpu") as run:
            assert train(run, Console(width=200))
        out = capsys.readouterr().out
        assert "is complete after" in out
        assert f"--decisions {2 * CONFIG.decisions}\n" in out
    with Run.resume(folder, device="cpu") as run:
        run.config = override(CONFIG, decisions=100)  # less than half of what it has learned from
        train(run, Console(width=200))
    assert f"--decisions {2 * complete.decisions}\n" in capsys.readouterr().out
    with pytest.raises(ValueError, match="decisions already; give more"):
        Run.resume(folder, decisions=400, device="cpu")
    with Run.resume(folder, decisions=900, device="cpu") as run:
        assert (run.config.decisions, run.decisions) == (900, complete.decisions)
        learn_quietly(run)
        assert run.decisions >= 900
        run.save()
    assert read_card(folder).command.endswith(" && shakespeare train --resume RUN --decisions 900")


def test_a_new_run_can_start_from_a_run_that_cannot_be_resumed(folder, tmp_path):
    """The folder of a run of another version still holds a valid checkpoint."""
    edit_state(folder, lambda data: data.update(format=1))
    with pytest.raises(CheckpointError, match=f"shakespeare train --start {folder}"):
        Run.resume(folder)
    run = Run.create(SMALL, tmp_path / "next", start=folder, device="cpu")
    tensors = run.learner.policy.tensors()
    for name, stored in load_checkpoint(folder, GAME)[0].tensors.items():
        np.testing.assert_array_equal(tensors[name], stored)
    with pytest.raises(ValueError, match=r"width 16, .*say width = 24.*--set width=16"):
        Run.create(override(SMALL, width=24), tmp_path / "wider", start=folder, device="cpu")


def strength(decisions, low, playouts):
    """Return a result on the scale at two seats."""
    return Strength(2, playouts, low, None, 100, (), decisions=decisions, seconds=0.0)


def test_strength_is_measured_by_a_share_of_the_decisions_since_the_last_time():
    config = override(SMALL, players=[1, 2, 4])
    decisions_for = partial(strength_decisions, config, on_gpu=False)
    assert decisions_for([], 2, 4_000_000) == 0.034 * 4_000_000 / 2
    history = [strength(3_000_000, low=0.9, playouts=0.95)]
    assert decisions_for(history, 2, 4_000_000) == 0.034 * 1_000_000 / 2
    assert decisions_for(history, 4, 4_000_000) == 0.034 * 4_000_000 / 2
    # Repeated after an interruption, it may play as much as before.
    assert decisions_for(history, 2, 3_000_000) == 0.034 * 3_000_000 / 2
    assert decisions_for([], 2, 0) == decisions_for(history, 2, 3_000_001) == 10_000
    on_gpu = strength_decisions(config, [], 2, 400_000_000, on_gpu=True)
    assert on_gpu < decisions_for([], 2, 400_000_000) / 10


def test_a_learner_surely_above_the_network_is_measured_when_decisions_pay_for_searches(tmp_path):
    """Games against the network would not say how far above it the learner is."""
    near = [strength(1000, low=0.9, playouts=1.3)]
    above = [strength(1000, low=1.1, playouts=3.0)]
    far_above = [strength(1000, low=None, playouts=None)]
    assert is_worth_measuring([], 2, 2000, 10_000)
    assert is_worth_measuring(near, 2, 2000, 10_000)
    assert not is_worth_measuring(above, 2, 2000, 10_000)
    assert is_worth_measuring(above, 2, 2000, 100_000)
    assert not is_worth_measuring(far_above, 2, 2000, 100_000)
    config = override(SMALL, players=[2], evaluation_opponents=["scale"])
    with Run.create(config, tmp_path / "run", device="cpu") as run:
        run.history = [*above]
        run.learner.num_timesteps = 1200
        assert run.unmeasured == [(2, "itself")]
        run.learner.num_timesteps = config.decisions
        assert run.unmeasured == [(2, "scale"), (2, "itself")], "at the end of the run"


LONG = override(
    SMALL,
    decisions=10**12,
    players=[2],
    opponents={"current": 1.0},
    evaluation_opponents=[],
    n_epochs=1,
    learning_rate=1e-3,
    learning_rate_end=0.1,
    ent_coef=1.0,
    ent_coef_end=0.0,
    **FEW,
)
ROLLOUT = LONG.n_envs * LONG.n_steps


@pytest.fixture
def updates(monkeypatch):
    """The learning rate and entropy coefficient of each update, which takes 10 seconds.

    Nothing else takes time.
    """
    now = 1000.0
    updates = []
    monkeypatch.setattr(time, "monotonic", lambda: now)
    original_train = PPO.train

    def train_for_ten_seconds(learner):
        nonlocal now
        original_train(learner)
        now += 10.0
        rate = learner.optimizer.param_groups[0]["lr"]
        updates.append((rate, learner.entropy_coef.item()))

    monkeypatch.setattr(PPO, "train", train_for_ten_seconds)
    return updates


def annealed(share):
    """Return the learning rate and entropy coefficient after a share of the run."""
    return pytest.approx((1e-3 - 9e-4 * share, 1.0 - share))


def test_schedules_follow_the_time_limit_and_the_new_limit_of_a_resumed_run(tmp_path, updates):
    """A run that its time limit ends is evaluated and saved like one of full length."""
    folder = tmp_path / "run"
    with Run.create(LONG, folder, device="cpu", minutes=0.5) as run:
        assert not train(run, QUIET), "it is not complete"
    assert updates == [annealed(spent / 30) for spent in (0, 10, 20)]
    assert run.history[-1].decisions == 3 * ROLLOUT, "evaluated after the last update"
    assert read_card(folder).command.endswith(" --minutes 0.5")
    updates.clear()
    # The new limit counts from the half minute that is over.
    with Run.resume(folder, device="cpu", minutes=0.5) as run:
        train(run, QUIET)
    assert updates == [annealed(spent / 60) for spent in (30, 40, 50)]
    updates.clear()
    length = 8 * ROLLOUT
    with Run.resume(folder, decisions=length, device="cpu") as run:
        assert train(run, QUIET)
    # The last rollout overshoots the end, where schedules stay as they are.
    assert [rate for rate, _ in updates] == pytest.approx([1e-3 - 9e-4 * n / 8 for n in (7, 8)])
    assert [linear(3.0, 1.0)(left) for left in (1.5, 1.0, 0.5, 0.0, -0.5)] == [3, 3, 2, 1, 1]
    assert read_card(folder).command.endswith(
        " --minutes 0.5 && shakespeare train --resume RUN --minutes 0.5"
        f" && shakespeare train --resume RUN --decisions {length}"
    )


def set_entry(data, place, value):
    """Replace the entry at a place such as `a.b.0`; the value `...` removes it."""
    *path, last = [int(key) if key.isdecimal() else key for key in place.split(".")]
    for key in path:
        data = data[key]
    if value is ...:
        del data[last]
    else:
        data[last] = value


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("format", 99),
        ("made_for.game", "chess"),
        ("made_for.box_digest", "0"),
        ("made_for.records", "0"),
        ("made_for.layout_digest", ...),
        ("arrays.file", "../run.safetensors"),
        ("processes.0.league.active", 99),
        ("opponents.1", ...),
        ("processes.0.league.rng.bit_generator", "MT19937"),
        ("opponents.0.name", "greedy"),
        ("opponents.1.name", "../1"),
        ("opponents.1.games", 1e300),
        ("opponents.1.wins", 99.0),
        ("processes.0.league.active", 0),
        ("processes.0.rng.state.state", -1),
        ("processes.0.rng.state.inc", 0.5),
        ("history.0.mean_score", float("nan")),
        ("history.0.players", 0),
        ("history.0.decisions", 10**400),
        ("history.2.low", 2000.0),
        ("history.2.opponent", "random"),
        ("digests.scale", "0"),
        ("decisions", 10**30),
        ("snapshots", []),
        ("digests.random", "0"),
        ("config.width", 24),
        ("config.n_envs", 17),
        ("config.players", [99]),
    ],
)
def test_an_impossible_entry_is_refused(folder, place, value):
    edit_state(folder, partial(set_entry, place=place, value=value))
    with pytest.raises(CheckpointError, match=str(folder)):
        Run.resume(folder, device="cpu")


def test_the_error_for_a_run_of_an_unknown_game_says_only_how_to_name_it(folder):
    edit_state(folder, partial(set_entry, place="config.game", value="bids"))
    with pytest.raises(
        CheckpointError, match=r"no game 'bids'.* as --game FILE\.py:GAME"
    ) as refused:
        Run.resume(folder, device="cpu")
    assert "copy all" not in str(refused.value)
    assert not hasattr(refused.value, "__notes__")


def with_first(value):
    """Return a function that replaces the first number of an array."""
    return lambda array: np.concatenate([[value], array[1:]]).astype(array.dtype)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("policy/action.weight", lambda a: a[:-1]),
        ("policy/action.weight", lambda a: a.astype(np.float64)),
        ("policy/action.weight", lambda a: a * np.nan),
        ("policy/action.weight", lambda a: a + 1e30),
        ("policy/action.weight", None),
        ("optimizer/0/exp_avg", lambda a: a[:-1]),
        ("optimizer/0/exp_avg", lambda a: np.full_like(a, np.inf)),
        ("optimizer/0/exp_avg_sq", lambda a: a - 1),
        ("optimizer/0/exp_avg_sq", None),
        ("optimizer/3/step", lambda a: a[None]),
        ("optimizer/3/step", lambda a: -a),
        ("seats", lambda a: a[:, :2]),
        ("seats", lambda a: a.astype(np.int64)),
        ("seats", lambda a: np.full_like(a, -1)),
        ("seats", lambda a: np.where(a < 0, a, 99)),
        ("seats", lambda a: np.where(a == -1, 0, a)),
        ("generators", lambda a: a.astype(np.float64)),
        ("generators", lambda a: a[:-1]),
        ("games", lambda a: a * 0),
        ("games", lambda a: a[::-1]),
        ("games", lambda a: a[:-1]),
        ("open/games", with_first(99)),
        ("open/games", with_first(-1)),
        ("open/games", lambda a: a * 0),
        ("open/seats", with_first(-1)),
        ("open/actions", with_first(10**6)),
        ("open/masks", lambda a: ~a),
        ("open/gained", lambda a: a * np.nan),
        ("open/log_probs", lambda a: a + np.inf),
        ("open/more", lambda a: np.zeros(3)),
        ("open/observations", lambda a: a[:-1]),
    ],
)
def test_an_impossible_array_is_refused(folder, name, change):
    """The array is refused although its file has the right digest."""

    def edit(data):
        path = folder / data["arrays"]["file"]
        arrays = dict(safetensors.numpy.load(path.read_bytes()))
        if change is None:
            del arrays[name]
        else:
            arrays[name] = np.ascontiguousarray(change(arrays.get(name, np.zeros(1)).copy()))
        path.write_bytes(safetensors.numpy.save(arrays))
        data["arrays"]["digest"] = hashlib.sha256(path.read_bytes()).hexdigest()

    edit_state(folder, edit)
    with pytest.raises(CheckpointError, match=str(folder)):
        Run.resume(folder, device="cpu")


def test_a_run_locks_its_folder_until_it_is_closed(folder):
    with Run.resume(folder, device="cpu") as run:
        with pytest.raises(Timeout):
            FileLock(folder / ".lock").acquire(timeout=0)
        load_checkpoint(folder, GAME)  # reading needs no lock
        with pytest.raises(TrainingError, match=r"this process has it.*close\(\)"):
            Run.resume(folder, device="cpu")
    for use in (run.save, lambda: train(run, QUIET)):
        with pytest.raises(TrainingError, match="closed"):
            use()
    for _ in range(2):  # a run that cannot begin unlocks the folder again
        with pytest.raises(ValueError, match="--resume"):
            Run.create(SMALL, folder, device="cpu")
        with pytest.raises(ValueError, match="tpu"):
            Run.resume(folder, device="tpu")
    with FileLock(folder / ".lock"):
        assert "another process" in refusal_of("train", "--resume", str(folder), "--device", "cpu")
    Run.resume(folder, device="cpu").close()


def everything_seeded(place, seed):
    """Return the results of PPO, expert iteration, an evaluation and a best response."""
    place.mkdir()
    outcomes = []
    short = {"seed": seed, "decisions": 200, "players": [3], **FEW}
    searched = searching("figaro", n_envs=4, warmup_decisions=50)
    for config in (override(small("figaro"), **short), override(searched, **short)):
        with Run.create(config, place / config.algorithm, device="cpu") as run:
            assert train(run, QUIET)
        outcomes += [fingerprint(run), results(run)]
    outcomes.append(evaluate(["network", "heuristic"], "figaro", games=6, players=3, seed=seed))
    small_network = {"n_envs": 8, "n_steps": 8, "width": 16, "precision": "float32", **FEW}
    settings = ExploitSettings(decisions=99, players=3, games=6, seed=seed, training=small_network)
    exploitation = exploit_by_ppo("random", place / "exploit", settings, "figaro")
    assert exploitation is not None
    return [*outcomes, exploitation.evaluation]


def test_runs_in_parallel_threads_have_the_same_results_as_alone(tmp_path):
    alone = everything_seeded(tmp_path / "alone", seed=0)
    together = Barrier(4)

    def begin_together(number):
        together.wait()
        return everything_seeded(tmp_path / f"thread-{number}", seed=number % 2)

    with ThreadPoolExecutor(4) as pool:
        first, second, third, fourth = pool.map(begin_together, range(4))
    assert first == third == alone
    assert second == fourth != alone


def test_a_rollout_leaves_the_numbers_of_other_threads_alone():
    """Check PyTorch's number in a thread that begins meanwhile, and NumPy's number afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with ThreadPoolExecutor(1) as pool, one_thread():
            assert torch.get_num_threads() == 1
            assert pool.submit(torch.get_num_threads).result() == 3
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    libraries = ThreadpoolController().select(user_api="blas")
    numbers = [each["num_threads"] for each in libraries.info()]
    first = one_thread()
    second = one_thread()
    with first:
        second.__enter__()
    assert [each["num_threads"] for each in libraries.info()] == [1 for _ in numbers]
    second.__exit__(None, None, None)
    assert [each["num_threads"] for each in libraries.info()] == numbers


def test_deleting_a_run_unlocks_its_folder(folder):
    """`del run` in a notebook is enough, even before any garbage collection."""
    gc.disable()
    try:
        run = Run.resume(folder, decisions=10**6, device="cpu")
        train(run, QUIET, StopsAfter(checks=3))
        del run
        Run.resume(folder, device="cpu").close()
    finally:
        gc.enable()


CODE = """
import pathlib
pathlib.Path(__file__).with_name("was_run").touch()

def first(observations, masks, rng):
    return masks.argmax(axis=1)
"""
PLANTED = "planted.py:first"


def test_python_named_in_settings_is_run_only_if_it_is_trusted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "planted.py"
    was_run = tmp_path / "was_run"
    code.write_text(CODE)
    opponents = {"opponents": {"current": 0.5, PLANTED: 0.5}, "evaluation_opponents": [PLANTED]}
    with Run.create(override(SMALL, **opponents), tmp_path / "run", device="cpu") as run:
        assert [opponent.name for opponent in run.learner.league.named] == [PLANTED]
        run.save()

    def undo_import():
        """Forget that the file was ever run."""
        was_run.unlink()
        for name in [name for name in sys.modules if name.endswith("planted%2Epy")]:
            del sys.modules[name]

    undo_import()
    with pytest.raises(CheckpointError, match=PLANTED):
        Run.resume(tmp_path / "run", device="cpu", trusted=["other.py:first"])
    assert "--trust" in refusal_of("train", "--resume", str(tmp_path / "run"))
    assert not was_run.exists()
    with Run.resume(tmp_path / "run", device="cpu", trusted=[PLANTED]) as run:
        assert run.config.evaluation_opponents == (PLANTED,)
    assert was_run.exists()
    undo_import()
    code.write_text(f"{CODE}# changed\n")
    with pytest.raises(CheckpointError, match="changed"):
        Run.resume(tmp_path / "run", device="cpu", trusted=[PLANTED])
