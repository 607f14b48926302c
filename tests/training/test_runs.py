"""A run's folder: a run stopped or killed at any moment continues exactly; damage is refused."""

from __future__ import annotations

import errno
import gc
import hashlib
import os
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
import safetensors.numpy
import torch
from filelock import FileLock, Timeout
from rich.console import Console
from threadpoolctl import ThreadpoolController

from shakespeare_agents.networks.checkpoint import load_checkpoint, read_card
from shakespeare_arena import evaluate
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_training.config import override
from shakespeare_training.exploit import ExploitSettings, exploit_by_ppo
from shakespeare_training.games import one_thread
from shakespeare_training.league import one_blas_thread
from shakespeare_training.learner import linear
from shakespeare_training.ppo import PPO
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
    **FEW,
)
GAME = registry.game(registry.DEFAULT)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A complete run."""
    with Run.create(CONFIG, tmp_path_factory.mktemp("runs") / "whole", device="cpu") as run:
        assert train(run, QUIET)
    return run


@pytest.fixture
def folder(whole, tmp_path):
    """A copy of its folder, with snapshots, open decisions and an optimiser at work."""
    return shutil.copytree(whole.folder, tmp_path / "copy")


def figures(run):
    """Return a run's results without the time that they took."""
    return [replace(measurement, seconds=0.0) for measurement in run.history]


def test_a_run_stopped_anywhere_is_the_run_it_would_have_been(whole, tmp_path):
    """Stop in rollouts, updates and evaluations, with the loop of the command itself."""
    folder = tmp_path / "run"
    run = Run.create(CONFIG, folder, device="cpu")
    stopped_at = []
    # Within a rollout or update; after an evaluation's next games.
    for at in (41, 401) * 9:
        if train(run, QUIET, StopsAfter(checks=at)):
            break
        run.close()
        measured = figures(run)
        run = Run.resume(folder, device="cpu")
        assert figures(run) == measured
        stopped_at.append((run.decisions, len(run.history)))
    assert len(set(stopped_at)) > 2
    assert fingerprint(run) == fingerprint(whole)
    assert figures(run) == figures(whole)
    assert len(run.learner.league.pool) == 2


def test_a_run_that_is_over_says_so_and_can_be_made_longer(whole, folder, capsys):
    for decisions in (None, CONFIG.decisions):
        with Run.resume(folder, decisions=decisions, device="cpu") as run:
            assert train(run, Console(width=200))
        out = capsys.readouterr().out
        assert "is complete after" in out
        assert f"--decisions {2 * CONFIG.decisions}\n" in out
    with Run.resume(folder, device="cpu") as run:
        run.config = override(CONFIG, decisions=100)  # less than half of what it has learned from
        train(run, Console(width=200))
    assert f"--decisions {2 * whole.decisions}\n" in capsys.readouterr().out
    with pytest.raises(ValueError, match="decisions already; give more"):
        Run.resume(folder, decisions=400, device="cpu")
    with Run.resume(folder, decisions=900, device="cpu") as run:
        assert (run.config.decisions, run.decisions) == (900, whole.decisions)
        learn_quietly(run)
        assert run.decisions >= 900
        run.save()
    assert read_card(folder).command.endswith(" && shakespeare train --resume RUN --decisions 900")


def test_what_cannot_be_resumed_can_be_started_from(folder, tmp_path):
    """A folder of another version has a checkpoint that is as good as ever."""
    edit_state(folder, lambda data: data.update(format=1))
    with pytest.raises(CheckpointError, match=f"shakespeare train --start {folder}"):
        Run.resume(folder)
    run = Run.create(SMALL, tmp_path / "next", start=folder, device="cpu")
    ours = run.learner.policy.tensors()
    theirs = load_checkpoint(folder, GAME)[0].tensors
    assert all((ours[name] == theirs[name]).all() for name in theirs)
    with pytest.raises(ValueError, match=r"width 16, .*say width = 24.*--set width=16"):
        Run.create(override(SMALL, width=24), tmp_path / "wider", start=folder, device="cpu")


# A killed process does nothing more to its files, so from a call on every one that would change the
# folder fails, those that tidy up included.  On a full disk one call fails, and all others work.
SHORT = SMALL.model_copy(update={"decisions": 700, "max_snapshots": 1})
FILES = [".lock", "card.json", "config.toml", "run.json", "run.safetensors", "weights.safetensors"]


class Killed(BaseException):
    """No handler of errors catches it."""


def failed(monkeypatch, moment, work, full_disk=False):
    """Return whether `work` met its end at the call `moment` that flushes, renames or deletes."""
    calls = 0

    def guarded(act):
        def acted(*arguments, **options):
            nonlocal calls
            calls += 1
            if full_disk and calls == moment + 1:
                raise OSError(errno.ENOSPC, "No space left on device")
            if not full_disk and calls > moment:
                raise Killed
            return act(*arguments, **options)

        return acted

    with monkeypatch.context() as patch:
        for place, name in ((os, "fsync"), (os, "replace"), (Path, "unlink")):
            patch.setattr(place, name, guarded(getattr(place, name)))
        try:
            work()
        except (Killed, OSError):
            return True
    return False


def stems(folder):
    """Return names of the files of a run, without the digests in them and without logs."""
    names = {path.name for path in folder.iterdir()} - {"tensorboard"}
    return sorted(re.sub(r"-[0-9a-f]{16}\.", ".", name) for name in names)


def begin(folder):
    return Run.create(SHORT, folder, device="cpu")


def go_on(run):
    """Learn to the end, and save."""
    with run:
        learn_quietly(run)
        run.save()
    return fingerprint(run)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the fingerprint of a run to which nothing happened."""
    return go_on(begin(tmp_path_factory.mktemp("runs") / "run"))


def test_killed_in_its_first_save(undisturbed, monkeypatch, tmp_path):
    """Before there is a state, --resume says what to do, and --out accepts the folder."""

    def work():
        with begin(folder) as run:
            run.save()

    starts = 0
    for moment in count():
        folder = tmp_path / str(moment)
        was_killed = failed(monkeypatch, moment, work)
        try:
            run = Run.resume(folder, device="cpu")
        except CheckpointError as fault:
            assert "first save" in str(fault)  # noqa: PT017
            run = begin(folder)
            starts += 1
        with run:
            run.save()
        assert stems(folder) == FILES
        if moment == 8 or not was_killed:  # learning takes longer than all else
            assert go_on(Run.resume(folder, device="cpu")) == undisturbed
        if not was_killed:
            break
    assert 4 < starts < moment


@pytest.mark.parametrize("full_disk", [False, True])
def test_killed_in_a_later_save(undisturbed, monkeypatch, tmp_path, full_disk):
    """Resuming finds one complete state, the old or the new, and continues it exactly."""
    before = tmp_path / "before"
    with begin(before) as run:
        learn_quietly(run, leave_at=450)
    run = Run.resume(before, device="cpu")
    states = {"old": fingerprint(run)}
    learn_quietly(run)
    states["new"] = fingerprint(run)
    met = []
    for moment in count():
        folder = run.folder = shutil.copytree(before, tmp_path / str(moment))
        has_failed = failed(monkeypatch, moment, run.save, full_disk)
        load_checkpoint(folder, GAME)
        with Run.resume(folder, device="cpu") as again:
            met += [name for name, state in states.items() if state == fingerprint(again)]
            again.save()
        snapshots = [f"snapshot-{it.name}.safetensors" for it in again.learner.league.snapshots]
        assert stems(folder) == sorted([*FILES, *snapshots])
        if moment == 8 or not has_failed:
            assert go_on(Run.resume(folder, device="cpu")) == undisturbed
        if not has_failed:
            break
    run.close()
    assert len(met) == moment + 1
    assert met == sorted(met, reverse=True)
    assert (met[0], met[-1]) == ("old", "new")


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
    """Let only updates take time, 10 seconds each; list (learning rate, entropy) of each."""
    now = 1000.0
    made = []
    monkeypatch.setattr(time, "monotonic", lambda: now)
    update = PPO.train

    def slow(learner):
        nonlocal now
        update(learner)
        now += 10.0
        rate = learner.optimizer.param_groups[0]["lr"]
        made.append((rate, learner.entropy_coef.item()))

    monkeypatch.setattr(PPO, "train", slow)
    return made


def annealed(share):
    """Return the coefficients at a share of the run."""
    return pytest.approx((1e-3 - 9e-4 * share, 1.0 - share))


def test_schedules_follow_the_time_limit_which_a_resumed_run_has_anew(tmp_path, updates):
    """A run that its time limit stops ends as one of full length does."""
    folder = tmp_path / "run"
    with Run.create(LONG, folder, device="cpu", minutes=0.5) as run:
        assert not train(run, QUIET), "it is not complete"
    assert updates == [annealed(spent / 30) for spent in (0, 10, 20)]
    assert run.history[-1].decisions == 3 * ROLLOUT, "evaluated after the last update"
    assert read_card(folder).command.endswith(" --minutes 0.5")
    updates.clear()
    # Half of a minute is over.
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


def put(data, place, value):
    """Replace the entry at `a.b.0`; `...` removes it."""
    *path, last = [int(step) if step.isdecimal() else step for step in place.split(".")]
    for step in path:
        data = data[step]
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
        ("league.active", 99),
        ("league.opponents.1", ...),
        ("league.rng.bit_generator", "MT19937"),
        ("league.opponents.0.name", "greedy"),
        ("league.opponents.1.name", "../1"),
        ("league.opponents.1.games", 1e300),
        ("league.opponents.1.wins", 99.0),
        ("league.active", 0),
        ("rng.state.state", -1),
        ("rng.state.inc", 0.5),
        ("history.0.mean_score", float("nan")),
        ("history.0.players", 0),
        ("history.0.decisions", 10**400),
        ("decisions", 10**30),
        ("snapshots", []),
        ("digests.random", "0"),
        ("config.width", 24),
        ("config.n_envs", 17),
        ("config.players", [99]),
    ],
)
def test_an_entry_that_cannot_be_is_refused(folder, place, value):
    edit_state(folder, partial(put, place=place, value=value))
    with pytest.raises(CheckpointError, match=str(folder)):
        Run.resume(folder, device="cpu")


def test_a_run_of_a_game_that_is_not_known_says_only_how_to_name_it(folder):
    edit_state(folder, partial(put, place="config.game", value="bids"))
    with pytest.raises(
        CheckpointError, match=r"no game 'bids'.* as --game FILE\.py:GAME"
    ) as refused:
        Run.resume(folder, device="cpu")
    assert "copy all" not in str(refused.value)
    assert not hasattr(refused.value, "__notes__")


def spoilt(value):
    """Return a function that puts another number into an array's first place."""
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
        ("open/games", spoilt(99)),
        ("open/games", spoilt(-1)),
        ("open/games", lambda a: a * 0),
        ("open/seats", spoilt(-1)),
        ("open/actions", spoilt(10**6)),
        ("open/masks", lambda a: ~a),
        ("open/gained", lambda a: a * np.nan),
        ("open/log_probs", lambda a: a + np.inf),
        ("open/more", lambda a: np.zeros(3)),
        ("open/observations", lambda a: a[:-1]),
    ],
)
def test_an_array_that_cannot_be_is_refused(folder, name, change):
    """The digest of its file is right."""

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


def test_a_run_has_its_folder_until_it_is_closed(folder):
    with Run.resume(folder, device="cpu") as run:
        with pytest.raises(Timeout):
            FileLock(folder / ".lock").acquire(timeout=0)
        load_checkpoint(folder, GAME)  # who reads needs no lock
        with pytest.raises(TrainingError, match=r"this process has it.*close\(\)"):
            Run.resume(folder, device="cpu")
    for use in (run.save, lambda: train(run, QUIET)):
        with pytest.raises(TrainingError, match="closed"):
            use()
    for _ in range(2):  # what fails to begin gives the folder back
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
    results = []
    short = {"seed": seed, "decisions": 200, "players": [3], **FEW}
    searched = searching("figaro", n_envs=4, warmup_decisions=50)
    for config in (override(small("figaro"), **short), override(searched, **short)):
        with Run.create(config, place / config.algorithm, device="cpu") as run:
            assert train(run, QUIET)
        results += [fingerprint(run), figures(run)]
    results.append(evaluate(["network", "heuristic"], "figaro", games=6, players=3, seed=seed))
    small_network = {"n_envs": 8, "n_steps": 8, "width": 16, "precision": "float32", **FEW}
    settings = ExploitSettings(decisions=99, players=3, games=6, seed=seed, training=small_network)
    found = exploit_by_ppo("random", place / "exploit", settings, "figaro")
    assert found is not None
    return [*results, found.evaluation]


def test_in_threads_of_a_process_all_is_as_alone(tmp_path):
    alone = everything_seeded(tmp_path / "alone", seed=0)
    together = Barrier(4)

    def begin_together(number):
        together.wait()
        return everything_seeded(tmp_path / f"thread-{number}", seed=number % 2)

    with ThreadPoolExecutor(4) as pool:
        first, second, third, fourth = pool.map(begin_together, range(4))
    assert first == third == alone
    assert second == fourth != alone


def test_a_rollout_changes_the_number_of_threads_of_nobody_else():
    """Neither PyTorch's, even in a thread that begins meanwhile, nor NumPy's afterwards."""
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
    first = one_blas_thread(libraries)
    second = one_blas_thread(libraries)
    with first:
        second.__enter__()
    assert [each["num_threads"] for each in libraries.info()] == [1 for _ in numbers]
    second.__exit__(None, None, None)
    assert [each["num_threads"] for each in libraries.info()] == numbers


def test_a_run_that_is_forgotten_lets_go_of_its_folder(folder):
    """Forgetting it in a notebook is enough, even without garbage collection."""
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


def test_python_that_settings_name_is_run_only_if_it_is_trusted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "planted.py"
    was_run = tmp_path / "was_run"
    code.write_text(CODE)
    met = {"opponents": {"current": 0.5, PLANTED: 0.5}, "evaluation_opponents": [PLANTED]}
    with Run.create(override(SMALL, **met), tmp_path / "run", device="cpu") as run:
        assert [opponent.name for opponent in run.learner.league.named] == [PLANTED]
        run.save()

    def forget():
        """Make the file one that was never run."""
        was_run.unlink()
        for name in [name for name in sys.modules if name.endswith("planted%2Epy")]:
            del sys.modules[name]

    forget()
    with pytest.raises(CheckpointError, match=PLANTED):
        Run.resume(tmp_path / "run", device="cpu", trusted=["other.py:first"])
    assert "--trust" in refusal_of("train", "--resume", str(tmp_path / "run"))
    assert not was_run.exists()
    with Run.resume(tmp_path / "run", device="cpu", trusted=[PLANTED]) as run:
        assert run.config.evaluation_opponents == (PLANTED,)
    assert was_run.exists()
    forget()
    code.write_text(f"{CODE}# changed\n")
    with pytest.raises(CheckpointError, match="changed"):
        Run.resume(tmp_path / "run", device="cpu", trusted=[PLANTED])
