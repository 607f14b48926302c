"""The main job, from the command line to the checkpoint, in a few seconds."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shakespeare_agents.checkpoint import read_card
from shakespeare_env import registry
from shakespeare_env.cli import app
from shakespeare_env.errors import WorkerError
from shakespeare_training.runs.saving import read_state

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
n_envs = 16
n_steps = 16
batch_size = 128
n_epochs = 1
width = 16
decisions = 1200
snapshot_every = 300
evaluate_every = 600
first_evaluation_games = 4
evaluation_games = 4
final_evaluation_games = 8
evaluation_opponents = ["random"]
precision = "float32"
save_every = 0.2
"""


@pytest.fixture
def small(tmp_path):
    """Settings of a small network and few games."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def command(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("name", registry.names())
def test_train_measure_and_go_on(small, tmp_path, name):
    folder, seats = tmp_path / "run", registry.seats(name)
    small.write_text(f'game = "{name}"\n{SMALL}')
    done = command("train", "--config", small, "--out", folder, "--device", "cpu")
    assert done.exit_code == 0, done.output
    assert f"shakespeare train --resume {folder} --decisions 2400" in done.output
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((folder / "tensorboard").glob("events.*"))
    card = read_card(folder)
    assert card.figures["decisions"] >= 1200
    history = card.figures["history"]
    assert sorted({entry["players"] for entry in history}) == list(seats)
    assert len({entry["decisions"] for entry in history}) == 3  # before, on the way, at the end
    for players in seats:  # whole rotations
        measured = {entry["games"] for entry in history if entry["players"] == players}
        assert measured == {-(-games // players) * players for games in (4, 8)}

    (measure,) = re.findall(r"^Evaluate +shakespeare (.*)$", done.output, re.MULTILINE)
    assert str(folder) in measure
    done = command(*shlex.split(measure), "--games", 2 * seats[-1])
    assert done.exit_code == 0, done.output

    done = command("train", "--resume", folder, "--decisions", 1500)
    assert done.exit_code == 0, done.output
    assert read_card(folder).figures["decisions"] >= 1500


def test_a_time_limit_leaves_a_run_that_can_go_on(small, tmp_path):
    folder = tmp_path / "run"
    limited = ("--set", "decisions=1_000_000", "--minutes", 0.02)
    done = command("train", "--config", small, "--out", folder, *limited)
    assert done.exit_code == 0, done.output
    assert f"shakespeare train --resume {folder}\n" in done.output
    assert "Stopped after" in done.output
    before = read_state(folder).decisions
    assert 0 < before < 1_000_000
    done = command("train", "--resume", folder, "--minutes", 0.01)
    assert done.exit_code == 0, done.output
    assert read_state(folder).decisions > before


def test_a_run_stopped_before_it_learns_leaves_nothing(small, tmp_path, monkeypatch):
    def stopped(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("shakespeare_training.runs.run.make_learner", stopped)
    done = command("train", "--config", small, "--out", tmp_path / "run")
    assert done.exit_code == 130
    assert "stopping; once more to leave at once\nStopped before learning began." in done.output
    assert not (tmp_path / "run").exists()


def test_what_a_stop_leaves_is_told(small, tmp_path, monkeypatch):
    """The last line of progress counts decisions that are not saved."""

    def stopped(callback, rows):
        if callback.num_timesteps > 530:
            raise KeyboardInterrupt

    monkeypatch.setattr("shakespeare_training.runs.callback.RunCallback._note_scores", stopped)
    done = command("train", "--config", small, "--out", tmp_path / "run", "--device", "cpu")
    assert done.exit_code == 0, done.output
    told = (
        r"Stopped after 512 of 1,200 decisions; saved. The (\d+) after them, of an update in "
        r"progress, are played again when it goes on\."
    )
    (after,) = re.findall(told, done.stdout)
    assert 0 < int(after) <= 32
    assert read_state(tmp_path / "run").decisions == 512


def test_without_a_terminal_lines_tell_what_goes_on_before_learning(small, tmp_path):
    folder = tmp_path / "run"
    done = command("train", "--config", small, "--out", folder, "--minutes", 0)
    assert done.exit_code == 0, done.output
    lines = done.stderr.splitlines()
    assert lines.index("importing PyTorch ...") < lines.index("building the learner ...")
    done = command("train", "--resume", folder, "--minutes", 0)
    assert "loading the run ..." in done.stderr.splitlines()


LONG_RUNS = """
import sys
from shakespeare_env.cli import app
from shakespeare_env.errors import WorkerError
settings = "--config", sys.argv[1], "--set", "decisions=10_000_000", "--device", "cpu"
for folder in sys.argv[2:]:
    try:
        app(["train", "--out", folder, *settings])
    except SystemExit as end:
        print("EXIT STATUS", end.code, flush=True)
"""


def has_saved(folder):
    return (folder / "run.json").exists() and read_state(folder).decisions > 500


def exits(said):
    return said.read_text().count("EXIT STATUS")


def wait_until(process, said, happened):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if happened():
            return
        assert process.poll() is None, said.read_text()
        time.sleep(0.05)
    raise AssertionError(f"nothing happened in two minutes:\n{said.read_text()}")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_run_that_is_told_to_stop_or_killed_goes_on(small, tmp_path):
    """Long runs one after the other in a process of their own, each ended by another signal."""
    names = ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"]
    folders = [tmp_path / name for name in names]
    words = [sys.executable, "-c", LONG_RUNS, str(small), *map(str, folders)]
    said = tmp_path / "said"
    with said.open("w") as output:
        process = subprocess.Popen(words, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    try:
        for ended, (name, folder) in enumerate(zip(names, folders, strict=True)):
            wait_until(process, said, partial(has_saved, folder))
            process.send_signal(getattr(signal, name))
            if name == "SIGKILL":
                assert process.wait(60) == -signal.SIGKILL
            else:
                wait_until(process, said, lambda before=ended: exits(said) > before)
                *told, status = said.read_text().split("EXIT STATUS")
                # The next run may have begun to talk.
                assert status.splitlines()[0] == " 0", name
                assert f"shakespeare train --resume {folder}" in told[ended]
                assert "stopping; once more to leave at once" in told[ended]
    finally:
        process.kill()
        process.wait()
    for folder in folders:
        left = read_state(folder).decisions
        assert left > 500
        read_card(folder)
        done = command("train", "--resume", folder, "--decisions", left + 1, "--device", "cpu")
        assert done.exit_code == 0, done.output
        assert left < read_state(folder).decisions < left + 1000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--set", "width=0"), "width = 0"),
        (("--set", "widht=3"), "--set: there is no setting widht (did you mean 'width'?)"),
        (("--set", "players=[99]"), "players=99"),
        (("--set", "entropy=0.1"), "entropy is now called ent_coef"),
        (("--set", "width"), "write NAME=VALUE"),
        (("--set", "opponents={nobody=1.0}"), "there is no agent or folder 'nobody'"),
        (("--set", 'evaluation_opponents=["nobody"]'), "there is no agent or folder 'nobody'"),
        (("--device", "cuda:77"), "CUDA devices here"),
        (("--device", "tpu"), "choose cpu, cuda"),
        (("--start", "nowhere"), "cannot be read"),
    ],
)
def test_faults_are_told_in_a_line_and_leave_nothing(small, tmp_path, arguments, said):
    folder = tmp_path / "run"
    done = command("train", "--config", small, "--out", folder, *arguments)
    assert done.exit_code == 1
    assert said in done.output
    assert "Traceback" not in done.output
    assert not folder.exists()


def test_only_the_settings_that_apply_are_printed():
    done = command("train", "--config", "expert_iteration", "--game", "figaro", "--print-config")
    assert done.exit_code == 0, done.output
    assert 'game = "figaro"' in done.stdout
    assert "\nsimulations = " in done.stdout
    assert "clip_range" not in done.stdout
    done = command("train", "--config", "expert_iteration", "--set", "clip_range=0.3")
    assert done.exit_code == 1
    said = "--set: clip_range = 0.3: algorithm = 'expert_iteration' has no such setting"
    assert said in done.output


def test_a_run_keeps_its_settings(small, tmp_path):
    done = command("train", "--resume", tmp_path, "--set", "width=3", "--out", tmp_path / "b")
    assert done.exit_code == 2
    assert "only --decisions may change" in " ".join(done.output.replace("│", "").split())
    done = command("train", "--resume", tmp_path / "nothing")
    assert done.exit_code == 1
    assert "is it a run?" in done.output


@pytest.mark.parametrize("option", [("--workers", 2), ("--ray", "local")])
def test_ppo_has_no_use_for_workers(small, tmp_path, option):
    """Said before a folder is made or a cluster asked for."""
    done = command("train", "--config", small, "--out", tmp_path / "run", *option)
    assert done.exit_code == 2
    said = " ".join(done.output.replace("│", "").split())
    assert "PPO's games stay in the process that learns" in said
    assert option[0] in said
    assert not (tmp_path / "run").exists()


def test_lost_workers_are_told_with_what_is_left(small, tmp_path, monkeypatch):
    def lose(*_):
        raise WorkerError("a worker process was lost 4 times in a row")

    monkeypatch.setattr("shakespeare_training.runs.run.Run.learn", lose)
    done = command("train", "--config", small, "--out", tmp_path / "run")
    assert done.exit_code == 1
    assert "lost 4 times in a row; nothing was saved yet: " in done.output


def test_after_a_disk_was_full_what_is_recommended_works(small, tmp_path, monkeypatch):
    """At the first save there is nothing to resume, later there is."""
    folder = tmp_path / "run"
    begin = ("train", "--config", small, "--out", folder, "--device", "cpu")
    longer = ("train", "--resume", folder, "--decisions", 600)

    def fill_the_disk(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def fails(*words):
        with monkeypatch.context() as patched:
            patched.setattr("shakespeare_agents.storage.write_atomically", fill_the_disk)
            done = command(*words)
        assert done.exit_code == 1
        return " ".join(done.output.split())

    said = fails(*begin)
    assert "No space left on device); nothing was saved yet: " in said
    assert "start it again by the same command" in said
    assert command(*begin, "--decisions", 300).exit_code == 0
    assert f"go on with shakespeare train --resume {folder}" in fails(*longer)
    assert command(*longer).exit_code == 0


def test_a_folder_that_cannot_be_written(small, tmp_path):
    (tmp_path / "file").write_text("")
    done = command("train", "--config", small, "--out", tmp_path / "file" / "run")
    assert done.exit_code == 1
    assert "cannot be written" in done.output


def test_the_settings_can_be_printed(small):
    done = command("train", "--config", small, "--print-config", "--seed", 9)
    assert done.exit_code == 0
    assert "\nwidth = 16\n" in done.output
    assert "\nseed = 9\n" in done.output
    assert "# Passes over each rollout.\nn_epochs = 1\n" in done.output


@pytest.mark.parametrize("rate", [1e4, 1e6])
def test_weights_that_explode_end_the_run_and_spoil_nothing(small, tmp_path, rate):
    folder = tmp_path / "run"
    # Saved so rarely that a slow machine saves no oftener.
    given = (f"learning_rate={rate}", "target_kl=1e6", "save_every=1000")
    settings = [word for setting in given for word in ("--set", setting)]
    done = command("train", "--config", small, "--out", folder, *settings)
    assert done.exit_code == 1
    told = " ".join(done.output.split())
    assert "not finite" in told or "too large to choose a move by" in told
    assert f"--set learning_rate={rate / 4:g}" in told
    data = json.loads((folder / "run.json").read_text())
    assert data["decisions"] == 0
    read_card(folder)
