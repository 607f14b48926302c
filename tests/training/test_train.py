"""The main job, from the command line to the checkpoint, in a few seconds."""

from __future__ import annotations

import json
import os
import signal
import threading

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from agents.checkpoint import load_checkpoint, read_card
from agents.network import NetworkAgent
from shakespeare_env import registry
from training import evaluate as evaluation
from training import train as training
from training.config import CONFIGS, read_config

GAME = registry.game("shakespeare")


@pytest.fixture
def small(tmp_path):
    """The configuration with a small network and few games."""
    text = (CONFIGS / "shakespeare.toml").read_text()
    changes = {"games": 16, "steps": 32, "batch_size": 128, "epochs": 1, "width": 16}
    lines = [
        f"{name} = {changes[name]}" if (name := line.split(" =")[0]) in changes else line
        for line in text.splitlines()
    ]
    path = tmp_path / "small.toml"
    path.write_text("\n".join(lines))
    return path


def command(function, *arguments):
    app = typer.Typer()
    app.command()(function)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_train_go_on_and_measure(small, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "EVALUATION_GAMES", 8)
    first, second = tmp_path / "first", tmp_path / "second"
    done = command(training.main, "--config", small, "--minutes", 0.03, "--out", first)
    assert done.exit_code == 0, done.output
    for word in ("before", "after", "95 % interval", "--start", "training.evaluate"):
        assert word in done.output
    network, card = load_checkpoint(first, GAME)
    assert (card.players, card.settings["games"]) == (4, 16)
    assert card.figures["decisions"] > 0
    assert 0 <= card.figures["win_rate_after"] <= 1
    assert NetworkAgent(network).network is network

    done = command(
        training.main, "--config", small, "--minutes", 0.02, "--start", first, "--out", second
    )
    assert done.exit_code == 0, done.output
    done = command(evaluation.main, second, "--games", 8)
    assert done.exit_code == 0, done.output
    assert "likeliest action" in done.output


def test_interrupt_saves(small, tmp_path):
    run = training.Run(read_config(small), tmp_path / "run", Console(quiet=True))
    run.progress.seconds = 600.0
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    run.learn()
    timer.join()
    assert signal.getsignal(signal.SIGINT) is before
    assert run.progress.elapsed < 60
    card = read_card(tmp_path / "run")
    assert card.figures["decisions"] == run.learner.num_timesteps > 0


def test_faults_are_told_in_a_line(small, tmp_path):
    wrong = command(training.main, "--config", small, "--players", 7, "--out", tmp_path / "run")
    assert wrong.exit_code == 2
    assert "players=7" in wrong.output
    wrong = command(training.main, "--config", small, "--start", tmp_path / "nothing")
    assert wrong.exit_code == 2
    assert "cannot be read" in wrong.output
    wrong = command(evaluation.main, tmp_path / "nothing")
    assert wrong.exit_code == 2
    assert not (tmp_path / "run").exists()


def test_weights_of_another_width_cannot_be_gone_on_from(small, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "EVALUATION_GAMES", 4)
    run = training.Run(read_config(small), tmp_path / "run", Console(quiet=True))
    run.save()
    text = small.read_text().replace("width = 16", "width = 24")
    small.write_text(text)
    wrong = command(training.main, "--config", small, "--start", tmp_path / "run")
    assert wrong.exit_code == 2
    assert "width 16" in wrong.output
    assert json.loads((tmp_path / "run" / "card.json").read_text())["width"] == 16
