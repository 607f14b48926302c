"""A run is kept: resumed it is the run it would have been, and nothing that fails spoils it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from itertools import cycle

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError
from shakespeare_training.config import override
from shakespeare_training.runs.evaluation import ITSELF, SOLO
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from shakespeare_training.terminal import Stop
from tests.training.short_runs import SMALL, Quietly, edit_state, fingerprint, small

QUIET = Console(quiet=True)
CONFIGS = {
    name: override(
        small(name),
        precision=precision,
        players=[*registry.seats(name)][:2],
        n_steps=8,
        decisions=500,
        snapshot_every=200,
        first_evaluation_games=4,
        evaluation_games=4,
        final_evaluation_games=4,
        evaluate_every=200,
    )
    for name, precision in zip(registry.names(), cycle(["bfloat16", "float32"]), strict=False)
}
CONFIG = CONFIGS[registry.DEFAULT]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A complete run of a game by its name; each is played once."""

    @cache
    def run_of(name):
        run = Run.create(CONFIGS[name], tmp_path_factory.mktemp("runs") / name, device="cpu")
        assert train(run, QUIET)
        run.close()
        return run

    return run_of


@pytest.fixture
def whole(finished):
    """A complete run of one game, for what is the same with all of them."""
    return finished(registry.DEFAULT)


@pytest.fixture
def folder(whole, tmp_path):
    """A copy of its folder."""
    return shutil.copytree(whole.folder, tmp_path / "run")


class LosesPatience(Stop):
    """Is asked to stop at one of the times when a run looks whether it is to."""

    def __init__(self, at):
        super().__init__()
        self.left = at

    def check(self):
        self.left -= 1
        self.requested = self.left < 0
        super().check()


def figures(run):
    """All that was measured but the time."""
    return [replace(measurement, seconds=0.0) for measurement in run.history]


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(("name", "patience"), [("shakespeare", 401), ("figaro", 801)])
def test_a_run_stopped_anywhere_is_the_run_it_would_have_been(finished, tmp_path, name, patience):
    """In rollouts, updates and evaluations, through the course of the command itself."""
    folder = tmp_path / "run"
    run = Run.create(CONFIGS[name], folder, device="cpu")
    stopped_at = []
    # Within a rollout or update; after an evaluation's next games.
    for at in (41, patience) * 9:
        if train(run, QUIET, LosesPatience(at)):
            break
        run.close()
        measured = figures(run)
        run = Run.resume(folder, device="cpu")
        assert figures(run) == measured
        stopped_at.append((run.decisions, len(run.history)))
    assert len(set(stopped_at)) > 2
    assert fingerprint(run) == fingerprint(finished(name))
    assert figures(run) == figures(finished(name))
    assert len(run.learner.league.pool) == 2


def test_a_run_that_is_over_says_so_and_can_be_made_longer(whole, folder, capsys):
    before = files_of(folder)
    for decisions in (None, CONFIG.decisions):
        with Run.resume(folder, decisions=decisions, device="cpu") as run:
            assert train(run, Console(width=200))
        said = capsys.readouterr().out
        assert "is complete after" in said
        assert f"train --resume {folder} --decisions {2 * CONFIG.decisions}\n" in said
    with pytest.raises(ValueError, match="decisions already; give more"):
        Run.resume(folder, decisions=400, device="cpu")
    with Run.resume(folder, decisions=900, device="cpu") as run:
        assert files_of(folder) == before
        assert (run.config.decisions, run.decisions) == (900, whole.decisions)
        run.learn(Quietly(run))
        assert run.decisions >= 900
        run.save()
    assert read_card(folder).command.endswith(" && shakespeare train --resume RUN --decisions 900")
    assert "decisions = 900" in (folder / "config.toml").read_text()


def test_all_measurements_are_logged(whole):
    log = EventAccumulator(str(whole.folder / "tensorboard")).Reload()

    def check(tag, players, opponent, figure):
        events = [(event.step, event.value) for event in log.Scalars(tag)]
        measured = [m for m in whole.history if (m.players, m.opponent) == (players, opponent)]
        assert len(measured) > 2
        assert events == [(m.decisions, pytest.approx(getattr(m, figure))) for m in measured]

    assert CONFIG.players == (1, 2)
    # Nobody beats itself, nor anybody alone: then the score is what tells how good it is.
    check("winning_score/1_seat", 1, SOLO, "mean_winning_score")
    check("winning_score/2_seats", 2, ITSELF, "mean_winning_score")
    check("win_rate/2_seats_against_random", 2, "random", "win_rate")
    assert {"league/heuristic", "rollout/winning_score_1_seats"} <= {*log.Tags()["scalars"]}


def test_what_cannot_be_resumed_can_be_started_from(whole, folder, tmp_path):
    """As a folder of the version before: its checkpoint is as good as ever."""
    edit_state(folder, lambda data: data.update(format=1))
    with pytest.raises(CheckpointError, match=f"shakespeare train --start {folder}"):
        Run.resume(folder)
    run = Run.create(SMALL, tmp_path / "next", start=folder, device="cpu")
    ours, theirs = (one.learner.policy.tensors() for one in (run, whole))
    assert all((ours[name] == theirs[name]).all() for name in theirs)
    with pytest.raises(ValueError, match="width 16, but the run's is 24"):
        Run.create(override(SMALL, width=24), tmp_path / "wider", start=folder, device="cpu")
