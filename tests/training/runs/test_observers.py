"""What follows a run: trackers, films and callbacks of the user."""

import sys
from io import StringIO

import pytest
from rich.console import Console
from stable_baselines3.common.logger import KVWriter

from shakespeare_env.core import registry
from shakespeare_training.config import override
from shakespeare_training.runs.observers import Observers, film_of, observers_wanted
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.contract.command_line import refused
from tests.training.short_runs import small

CALLBACK = """
from stable_baselines3.common.callbacks import BaseCallback

class Watches(BaseCallback):
    def __init__(self, run, last=10**9):
        super().__init__()
        self.run, self.last = run, last

    def _on_step(self):
        self.logger.record("mine/decisions", self.run.decisions)
        return self.run.decisions < self.last

def stops(run):
    return Watches(run, 700)

def nothing(run):
    return None
"""
SHORT = override(
    small(registry.names()[-1]), players=[3], evaluation_games=3, final_evaluation_games=3
)


class Writer(KVWriter):
    """Keeps what is logged."""

    def __init__(self):
        self.steps, self.closed = {}, False

    def write(self, key_values, key_excluded, step=0):
        assert not self.closed
        self.steps.setdefault(step, {}).update(key_values)

    def close(self):
        self.closed = True


@pytest.fixture
def mine(tmp_path):
    """A file with callbacks."""
    file = tmp_path / "mine.py"
    file.write_text(CALLBACK)
    return file


def learn(run, observers):
    return train(run, Console(file=StringIO()), observers=observers)


def test_a_callback_sees_the_run_and_stops_it_where_it_goes_on_exactly(tmp_path, mine):
    whole = Run.create(SHORT, tmp_path / "whole", device="cpu")
    writer = Writer()
    watches = observers_wanted(callbacks=[f"{mine}:Watches"])(whole)
    with whole:
        assert learn(whole, Observers([writer], watches.callbacks))
    assert writer.closed
    seen = [row["mine/decisions"] for row in writer.steps.values() if "mine/decisions" in row]
    assert seen == sorted(seen)
    assert "win_rate/3_seats_against_random" in writer.steps[whole.decisions]
    folder = tmp_path / "parts"
    with Run.create(SHORT, folder, device="cpu") as run:
        assert not learn(run, observers_wanted(callbacks=[f"{mine}:stops"])(run))
    with Run.resume(folder, device="cpu") as run:
        assert 0 < run.decisions <= 700
        assert learn(run, None)
        assert run.learner.policy.tensors()["trunk.bias"].tolist() == (
            whole.learner.policy.tensors()["trunk.bias"].tolist()
        )


def test_every_evaluation_is_filmed(tmp_path):
    with Run.create(SHORT, tmp_path / "run", device="cpu") as run:
        assert learn(run, observers_wanted(films=True)(run))
        measured = {f"{one.decisions}.html" for one in run.history}
        films = tmp_path / "run" / "films"
        assert {film.name for film in films.iterdir()} == measured
        last = (films / f"{run.decisions}.html").read_text()
        assert last == film_of(run.folder, SHORT.game, 3)
        assert last != (films / "0.html").read_text()
        assert not observers_wanted(films=True)(run).callbacks  # it is complete


@pytest.mark.filterwarnings("default")  # what trackers warn of is theirs to mend
def test_weights_and_biases_gets_the_figures_offline(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    with Run.create(SHORT, tmp_path / "run", device="cpu") as run:
        observers = observers_wanted(track=["wandb"])(run)
        assert wandb.run.config["width"] == SHORT.width
        assert learn(run, observers)
        assert wandb.run is None
    (file,) = (tmp_path / "run" / "wandb").glob("offline-run-*/*.wandb")
    assert b"win_rate/3_seats_against_random" in file.read_bytes()


@pytest.mark.filterwarnings("default")
def test_mlflow_goes_on_with_a_run_that_is_resumed(tmp_path, monkeypatch, mine):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    folder, wanted = tmp_path / "run", observers_wanted(track=["mlflow", "tensorboard"])
    with Run.create(SHORT, folder, device="cpu") as run:
        stops = observers_wanted(callbacks=[f"{mine}:stops"])(run).callbacks
        assert not learn(run, Observers(wanted(run).outputs, stops))
    with Run.resume(folder, device="cpu") as run:
        assert learn(run, wanted(run))
        decisions = run.decisions
    client = mlflow.MlflowClient()
    (experiment,) = client.search_experiments(filter_string="name = 'shakespeare-env'")
    (kept,) = client.search_runs([experiment.experiment_id])
    assert kept.info.status == "FINISHED"
    assert kept.data.params["width"] == str(SHORT.width)
    rates = client.get_metric_history(kept.info.run_id, "win_rate/3_seats_against_random")
    assert [0, decisions] == [min(one.step for one in rates), max(one.step for one in rates)]


def test_what_cannot_observe_is_refused_before_there_is_a_run(tmp_path, monkeypatch, mine):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "wandb", None)
    for option, value, said in [
        ("--track", "wandbb", "there is no tracker 'wandbb' (did you mean 'wandb'?)"),
        ("--track", "wandb", "install the extra wandb of shakespeare-env"),
        ("--callback", "mine", "give FILE.py:NAME"),
        ("--callback", "nowhere.py:Mine", "there is no file 'nowhere.py'"),
        ("--callback", "mine.py:Other", "Other"),
    ]:
        assert said in refused("train", option, value)
    assert not (tmp_path / "runs").exists()
    assert "it must make a BaseCallback" in refused("train", "--callback", f"{mine}:nothing")
