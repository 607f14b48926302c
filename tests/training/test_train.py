"""The command `shakespeare train`: its checkpoint, its errors, and how signals stop it."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_env.core import registry
from shakespeare_training.config import ADAPTING, FOREVER, as_toml, override
from shakespeare_training.runs.saving import read_state
from shakespeare_training.stopping import Stop, stopped_by_signals
from tests.agents.networks import edit_card, write_checkpoint
from tests.contract.command_line import output_of, refusal_of, run
from tests.training.short_runs import small

ROOT = Path(__file__).resolve().parents[2]
signals = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
SMALL = override(
    small("figaro"),
    players=[3, 4],
    opponents={"current": 0.8, "past": 0.2},
    n_epochs=1,
    decisions=800,
    snapshot_every=300,
    evaluate_every=400,
    evaluation_opponents=["random", "scale"],
    first_evaluation_games=4,
    evaluation_games=4,
    final_evaluation_games=8,
    save_every=0.2,
)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "width [draft], lr=0.1"


@pytest.fixture
def train_words(tmp_path, folder):
    """The arguments that start a run of a small network with few games in `folder`."""
    (tmp_path / "small.toml").write_text(as_toml(SMALL))
    config = str(tmp_path / "small.toml")
    return ["train", "--config", config, "--out", str(folder), "--device", "cpu"]


def test_train_evaluate_and_resume(train_words, folder, monkeypatch):
    monkeypatch.undo()  # so that curves are drawn
    done = run(*train_words)
    assert done.exit_code == 0, done.output
    assert f"shakespeare train --resume '{folder}' --decisions 1600" in done.stdout
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert done.stdout.count("Strength, with 95 % intervals: 0 is random play") == 1
    assert re.search(r"decisions, 3 seats: .* strength (\S+ \(.* to .*\)|0 or less)", done.stdout)
    (logs,) = (folder / "tensorboard").glob("events.*")
    for name in ("strength/3_seats", "strength/4_seats_low", "strength/4_seats_high"):
        assert f"{name}\x15".encode() in logs.read_bytes()
    card = read_card(folder)
    assert card.players == [3, 4]
    assert card.figures["decisions"] >= 800
    history = card.figures["history"]
    # Evaluations are before, within and after the training.
    assert len({entry["decisions"] for entry in history}) == 3
    (evaluate,) = re.findall(r"^Evaluate +shakespeare (.*)$", done.output, re.MULTILINE)
    assert str(folder) in evaluate
    output_of(*shlex.split(evaluate), "--games", "6")
    done = run("train", "--resume", str(folder), "--decisions", "1100")
    assert done.exit_code == 0, done.output
    assert read_card(folder).figures["decisions"] >= 1100


def test_a_run_stopped_before_it_learns_leaves_nothing(train_words, folder, monkeypatch):
    interrupted = "shakespeare_training.runs.run.make_learner"
    monkeypatch.setattr(interrupted, lambda *_: signal.raise_signal(signal.SIGINT))
    done = run(*train_words)
    assert done.exit_code == 130
    assert "Stopped before learning began." in done.output
    assert not folder.exists()


SIGNALS = """
import signal

from stable_baselines3.common.callbacks import BaseCallback

class Signals(BaseCallback):
    def __init__(self, run):
        super().__init__()
        self.run = run

    def _on_step(self):
        if self.run.decisions > 530:
            signal.raise_signal(signal.SIGHUP)
        return True
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_folder_whose_name_is_not_utf8(train_words, tmp_path):
    """TensorBoard cannot write there; everything else can."""
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    out = output_of(*train_words, "--set", "decisions=300", "--out", str(folder))
    assert "Logs        none" in out
    output_of("train", "--resume", str(folder), "--decisions", "513")
    assert read_state(folder).decisions >= 513


@signals
def test_a_run_stopped_by_a_signal_is_saved_and_can_be_resumed(train_words, folder, tmp_path):
    (tmp_path / "mine.py").write_text(SIGNALS)
    done = run(*train_words, "--callback", f"{tmp_path}/mine.py:Signals")
    assert done.exit_code == 0, done.output
    assert "Stopped after 512 decisions; saved." in done.stdout
    assert f"shakespeare train --resume '{folder}'" in done.stdout
    assert read_state(folder).decisions == 512
    output_of("train", "--resume", str(folder), "--decisions", "513")
    assert 512 < read_state(folder).decisions < 1000


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--set", "widht=3"), "widht = 3: there is no such setting (did you mean 'width'?)"),
        (("--set", "opponents={nobody=1.0}"), "nobody"),
        (("--device", "tpu"), "tpu"),
        (("--start", "nowhere"), "nowhere"),
        (("--start", "network,version=99"), "99"),
        (("--callback", "mine"), "FILE.py:NAME"),
        (("--callback", "nowhere.py:Mine"), "nowhere.py"),
        # Refused before a folder is made or a cluster is started.
        (("--workers", "2"), "--workers"),
        (("--ray", "local"), "--ray"),
        (("--resume", "nowhere"), "--resume"),
        (("--resume", "nowhere", "--print-config"), "--print-config"),
    ],
)
def test_errors_name_the_fault_and_leave_no_folder(train_words, folder, words, error):
    assert error in refusal_of(*train_words, *words)
    assert not folder.exists()


def test_a_network_of_another_box_is_adapted_with_settings_for_that(tmp_path):
    """`--start` is enough to choose these settings, and settings that are given replace them."""
    game = registry.game("figaro")
    write_checkpoint(tmp_path, game)
    words = "train", "--game", "figaro", "--start", str(tmp_path), "--print-config"
    own = tomllib.loads(output_of(*words))
    assert own["width"] == 8
    assert own["batch_size"] != ADAPTING["batch_size"]
    edit_card(tmp_path, box_digest="0")
    adapted = tomllib.loads(output_of(*words, "--minutes", "10", "--set", "n_envs=30"))
    assert adapted == own | {**ADAPTING, "decisions": FOREVER, "n_envs": 30}
    assert tomllib.loads(output_of(*words, "--config", "ppo")) == own


def test_a_width_other_than_that_of_the_checkpoint_is_refused(tmp_path):
    write_checkpoint(tmp_path / "start", registry.game("figaro"))
    config = tmp_path / "mine.toml"
    config.write_text('game = "figaro"\nwidth = 16\ndecisions = 1\nevaluation_opponents = []\n')
    words = ["train", "--config", str(config), "--start", str(tmp_path / "start")]
    error = refusal_of(*words, "--out", str(tmp_path / "run"))
    assert f"{tmp_path / 'start'}: width 8, but the settings say width = 16" in error
    assert "--set width=8" in error
    assert tomllib.loads(output_of(*words, "--set", "width=8", "--print-config"))["width"] == 8
    assert not (tmp_path / "run").exists()


CALLBACK = """
from stable_baselines3.common.callbacks import BaseCallback

class Stops(BaseCallback):
    def __init__(self, run):
        super().__init__()
        self.run = run

    def _on_step(self):
        return self.run.decisions < 300

no_callback = repr
"""


def test_a_callback_stops_a_run_if_it_returns_false(train_words, folder, tmp_path):
    (tmp_path / "mine.py").write_text(CALLBACK)
    output = output_of(*train_words, "--callback", f"{tmp_path}/mine.py:Stops")
    assert "Stopped after 256 decisions" in output
    error = refusal_of(
        "train", "--resume", str(folder), "--callback", f"{tmp_path}/mine.py:no_callback"
    )
    assert "BaseCallback" in error


FAULTY = """
from stable_baselines3.common.callbacks import BaseCallback

def refuses(*_):
    raise ConnectionRefusedError(111, "Connection refused")

def never(run):
    return refuses()

def cheats(observations, masks, rng):
    return masks.argmin(axis=1)

class Logs(BaseCallback):
    def __init__(self, run):
        super().__init__()

    def _on_step(self):
        refuses()
"""


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        (
            "--set",
            "opponents={current=0.5,'FILE:refuses'=0.5}",
            "The agent FILE:refuses failed to decide",
        ),
        (
            "--set",
            "evaluation_opponents=['FILE:refuses']",
            "The agent FILE:refuses failed to decide",
        ),
        ("--set", "opponents={current=0.5,'FILE:cheats'=0.5}", "The agent FILE:cheats chose it."),
        ("--callback", "FILE:Logs", "The callback Logs failed in on_step: ConnectionRefusedError"),
        (
            "--callback",
            "FILE:never",
            "FILE:never makes no callback: FILE, line 5: ConnectionRefusedError",
        ),
    ],
)
def test_an_error_of_the_users_code_names_the_code(train_words, tmp_path, option, value, error):
    """The error has the line, and is not mistaken for one of the disk, though it is an OSError."""
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY)
    done = run(*train_words, option, value.replace("FILE", str(file)))
    assert done.exit_code == 1
    printed_error = " ".join(done.stderr.split())
    assert error.replace("FILE", str(file)) in printed_error
    assert "line 5" in printed_error or "illegal move" in printed_error
    assert "cannot be written" not in printed_error


def test_weights_that_explode_end_the_run_and_leave_the_last_save_intact(train_words, folder):
    # The run is saved so rarely that even a slow machine saves it only at the start.
    settings = ("learning_rate=1e6", "target_kl=1e6", "save_every=1000")
    done = run(*train_words, *(word for setting in settings for word in ("--set", setting)))
    assert done.exit_code == 1
    error = " ".join(done.output.split())
    assert "not finite" in error or "too large to choose a move by" in error
    assert "--set learning_rate=250000" in error
    assert read_state(folder).decisions == 0
    read_card(folder)


@signals
def test_ignored_signals_stay_ignored_and_handlers_are_restored():
    """Under nohup, a lost terminal must not end the run."""
    stop = Stop()
    interrupt = signal.getsignal(signal.SIGINT)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_by_signals(stop):
            signal.raise_signal(signal.SIGHUP)
            assert not stop.requested
            assert signal.getsignal(signal.SIGINT) is not interrupt
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is interrupt
    finally:
        signal.signal(signal.SIGHUP, before)


BUSY = """
import signal, time
from shakespeare_training.stopping import Stop, stopped_by_signals
stop = Stop()
with stopped_by_signals(stop), stop.deferred():
    signal.raise_signal(signal.SIGINT)
    time.sleep(0.7)
    print("went on", flush=True)
    signal.raise_signal(signal.SIGINT)
    print("never said", flush=True)
"""


@signals
def test_a_second_signal_ends_the_process():
    done = subprocess.run([sys.executable, "-c", BUSY], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "went on\n"
    assert done.stderr == "stopping; once more to leave at once\n"
    assert done.returncode == 128 + signal.SIGINT
