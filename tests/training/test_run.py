"""A run is kept: resumed it is the run it would have been, and nothing that fails spoils it."""

from __future__ import annotations

import errno
import shlex
import shutil
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from shakespeare_agents import storage
from shakespeare_agents.checkpoint import load_checkpoint, read_card
from shakespeare_agents.network_agent import NetworkAgent
from shakespeare_env import registry
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_env.generators import GameGenerators
from shakespeare_training.config import TrainingConfig, override
from shakespeare_training.config_text import (
    chosen_config,
    default_config,
    parse_override,
    train_command,
)
from shakespeare_training.ppo.device import checked_device
from shakespeare_training.runs.history import ITSELF, SOLO, seats_text
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from shakespeare_training.stopping import Stop
from tests.training.short_runs import SMALL, Quietly, edit_state, fingerprint, small

SHORT: dict[str, Any] = {
    "decisions": 900,
    "first_evaluation_games": 4,
    "evaluation_games": 4,
    "final_evaluation_games": 4,
    "evaluate_every": 300,
}
PRECISIONS = ("float32", "bfloat16")
games = pytest.mark.parametrize("name", registry.names())


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of a game by its name; each is played once."""

    @cache
    def run_of(name):
        run = Run.create(small(name), tmp_path_factory.mktemp("runs") / name, device="cpu")
        run.learn(Quietly(run))
        run.save()
        run.close()
        return run

    return run_of


@pytest.fixture
def uninterrupted(finished):
    """A run of one game, for what is the same with all of them."""
    return finished(registry.DEFAULT)


@games
def test_a_resumed_run_is_the_run_it_would_have_been(finished, name, tmp_path):
    folder = tmp_path / "run"
    run = Run.create(small(name), folder, device="cpu")
    for leave_at in (1, 700, 1100):
        run.learn(Quietly(run, leave_at))
        run.close()
        run = Run.resume(folder, device="cpu")
        assert run.decisions >= leave_at
    run.learn(Quietly(run))
    assert fingerprint(run) == fingerprint(finished(name))
    assert len(run.learner.league.pool) == 2


def test_a_run_can_be_made_longer(uninterrupted, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(uninterrupted.folder, folder)
    run = Run.resume(folder, decisions=2000, device="cpu")
    assert (run.config.decisions, run.decisions) == (2000, uninterrupted.decisions)
    run.learn(Quietly(run))
    assert run.decisions >= 2000
    run.save()
    run.close()
    card = read_card(folder)
    assert card.command.endswith(" && shakespeare train --resume RUN --decisions 2000")
    assert "decisions = 2000" in (folder / "config.toml").read_text()
    assert Run.resume(folder, device="cpu").config.decisions == 2000


class LosesPatience(Stop):
    """Is asked to stop at one of the times when a run looks whether it is to."""

    def __init__(self, at):
        super().__init__()
        self.left = at

    def check(self):
        self.left -= 1
        self.requested = self.left < 0
        super().check()


@pytest.mark.parametrize(("name", "precision"), [*zip(registry.names(), cycle(PRECISIONS))])
def test_a_run_stopped_anywhere_is_the_run_it_would_have_been(tmp_path, name, precision):
    """In rollouts, updates and evaluations, through the course of the command itself."""
    config = override(small(name), precision=precision, **SHORT)
    console = Console(quiet=True)
    whole = Run.create(config, tmp_path / "whole", device="cpu")
    assert train(whole, console)
    folder = tmp_path / "parts"
    run = Run.create(config, folder, device="cpu")
    stopped_at = []
    patience = cycle((41, 601))  # within a rollout or update; after an evaluation's next games
    while not train(run, console, stop=LosesPatience(next(patience))):
        run.close()
        run = Run.resume(folder, device="cpu")
        stopped_at.append((run.decisions, len(run.history)))
    assert len(set(stopped_at)) > 3
    assert fingerprint(run) == fingerprint(whole)
    assert [figures(m) for m in run.history] == [figures(m) for m in whole.history]


def figures(measurement):
    """All but the time."""
    return replace(measurement, seconds=0.0)


@pytest.mark.parametrize("at", [1, 5, 400])
def test_what_was_measured_before_a_stop_is_kept(tmp_path, at):
    run = Run.create(override(SMALL, **SHORT), tmp_path / "run", device="cpu")
    assert not train(run, Console(quiet=True), stop=LosesPatience(at))
    run.close()
    again = Run.resume(tmp_path / "run", device="cpu")
    assert [figures(found) for found in again.history] == [figures(found) for found in run.history]


def test_an_interrupt_between_any_two_lines_loses_one_rollout_at_most(tmp_path):
    """As Jupyter's, which nobody asks for permission."""
    run = Run.create(override(SMALL, **SHORT), tmp_path / "run", device="cpu")
    kept = 0

    def interrupt(*_):
        nonlocal kept
        if run.decisions > 500:
            kept = run.decisions
            raise KeyboardInterrupt

    run.learner.policy.optimizer.register_step_post_hook(interrupt)
    assert not train(run, Console(quiet=True))
    run.close()
    left = Run.resume(tmp_path / "run", device="cpu").decisions
    rollout = SMALL.n_envs * SMALL.n_steps
    assert kept - rollout <= left < kept


def test_a_run_that_is_over_says_so(uninterrupted, tmp_path, capsys):
    folder = shutil.copytree(uninterrupted.folder, tmp_path / "run")
    with Run.resume(folder, device="cpu") as run:
        assert train(run, Console(quiet=True)), "its last evaluation is still to be made"
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for decisions in (None, SMALL.decisions):
        with Run.resume(folder, decisions=decisions, device="cpu") as run:
            assert train(run, Console(width=200))
        said = capsys.readouterr().out
        assert "is complete after" in said
        assert f"train --resume {folder} --decisions {2 * SMALL.decisions}\n" in said
    with pytest.raises(ValueError, match="decisions already; give more"):
        Run.resume(folder, decisions=1000, device="cpu")
    Run.resume(folder, decisions=9000, device="cpu").close()
    assert {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()} == before


def test_an_opponent_with_other_weights_is_another_opponent(uninterrupted, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(uninterrupted.folder, folder)
    edit_state(folder, lambda data: data["facts"]["digests"].update(random="0"))
    with pytest.raises(CheckpointError, match="opponent 'random' have changed"):
        Run.resume(folder, device="cpu")


@games
def test_all_measurements_are_logged_with_their_intervals(tmp_path, name):
    config = override(small(name), **SHORT)
    run = Run.create(config, tmp_path / "run", device="cpu")
    train(run, Console(quiet=True))
    log = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()

    def logged(name):
        events = log.Scalars(name)
        return [(event.step, event.value) for event in events]

    def expected(measured, name):
        return [(m.decisions, pytest.approx(getattr(m, name))) for m in measured]

    for players in registry.seats(name):
        seats = seats_text(players).replace(" ", "_")
        # Nobody beats itself, nor anybody alone: then the score is what tells how good it is.
        measured = run.history.series(players, SOLO if players == 1 else ITSELF)
        assert len(measured) > 2
        assert logged(f"winning_score/{seats}") == expected(measured, "mean_winning_score")
        if measured[0].games // players > 1:
            low, high = (logged(f"winning_score_{end}/{seats}") for end in ("low", "high"))
            assert low == expected(measured, "winning_low")
            assert high == expected(measured, "winning_high")
        measured = run.history.series(players, "random")
        for end, figure in (("", "win_rate"), ("_low", "low"), ("_high", "high")):
            if measured:
                found = logged(f"win_rate{end}/{seats}_against_random")
                assert found == expected(measured, figure)
    assert "custom_scalars__config__" in log.Tags()["tensors"]


@games
def test_what_is_left_can_play(finished, name):
    game, uninterrupted = registry.game(name), finished(name)
    network, card = load_checkpoint(uninterrupted.folder, game)
    policy = uninterrupted.learner.policy
    observations = uninterrupted.learner.league.batch.obs
    masks = uninterrupted.learner.league.batch.mask.copy()
    with torch.no_grad():
        found = policy.outputs(
            torch.as_tensor(observations), torch.as_tensor(masks)
        )
    generators = GameGenerators.of_games(0, np.arange(len(masks)))
    chosen = NetworkAgent(network).act(observations, masks, generators)
    assert chosen.tolist() == found.log_probabilities.argmax(dim=1).tolist()
    assert card.players == list(registry.seats(name))
    assert card.settings == small(name).to_json()
    assert card.figures["decisions"] == uninterrupted.decisions


@games
def test_the_command_on_the_card_gives_the_same_settings(finished, name):
    parts = shlex.split(read_card(finished(name).folder).command)
    assert parts[:2] == ["shakespeare", "train"]
    options = list(zip(parts[2::2], parts[3::2], strict=True))
    named, given = dict(options), [text for option, text in options if option == "--set"]
    assert named["--seed"] == "0"
    game = named.get("--game", registry.DEFAULT)
    assert default_config(game, dict(map(parse_override, given))) == small(name)


@games
def test_the_command_of_expert_iteration_repeats_it(name):
    config = chosen_config("expert_iteration", {"game": name, "simulations": 7, "seed": 3})
    words = train_command(config, "auto")
    assert words.endswith("--config expert_iteration --seed 3 --set simulations=7")


def test_the_command_names_what_is_not_the_default():
    assert train_command(TrainingConfig(seed=3), "auto") == "shakespeare train --seed 3"
    found = train_command(TrainingConfig(), "float32", Path("a b"))
    assert found == "shakespeare train --seed 0 --start 'a b' --set 'precision=\"float32\"'"


def test_weights_that_are_no_numbers_are_not_saved(uninterrupted, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(uninterrupted.folder, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    run = Run.resume(folder, device="cpu")
    run.check_weights()
    with torch.no_grad():
        dict(run.learner.policy.named_parameters())["action_net.bias"][3] = torch.nan
    with pytest.raises(TrainingError, match=r"action_net\.bias .* not finite.*learning_rate"):
        run.check_weights()
    with pytest.raises(ValueError, match="not finite"):
        run.save()
    assert {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()} == before


@pytest.mark.parametrize("writes", range(5))
def test_a_full_disk_leaves_the_last_state_whole(uninterrupted, tmp_path, monkeypatch, writes):
    """Whichever write fails, what can be read afterwards is one whole state, the old or the new."""
    folder = tmp_path / "run"
    shutil.copytree(uninterrupted.folder, folder)
    run = Run.resume(folder, decisions=1800, device="cpu")
    run.learn(Quietly(run))
    done = 0

    def fail_after(path, content):
        nonlocal done
        if done == writes:
            raise OSError(errno.ENOSPC, "No space left on device")
        done += 1
        path.write_bytes(content)

    monkeypatch.setattr("shakespeare_agents.storage.write_atomically", fail_after)
    with pytest.raises(OSError, match="No space left"):
        run.save()
    monkeypatch.undo()
    run.close()
    again = Run.resume(folder, device="cpu")
    assert again.decisions in (uninterrupted.decisions, run.decisions)
    load_checkpoint(folder, registry.game(registry.DEFAULT))


def test_old_files_are_cleared_away(uninterrupted):
    files = sorted(path.name for path in uninterrupted.folder.iterdir())
    snapshots = [name for name in files if name.startswith("snapshot-")]
    league = uninterrupted.learner.league
    assert len(snapshots) == len(league.snapshots)
    stems = ("run-", "weights-")
    assert all(len([name for name in files if name.startswith(stem)]) == 1 for stem in stems)


def test_what_cannot_be_resumed_can_be_started_from(uninterrupted, tmp_path):
    """As a folder of the version before: its checkpoint is as good as ever."""
    folder = tmp_path / "run"
    shutil.copytree(uninterrupted.folder, folder)
    edit_state(folder, lambda data: data.update(format=1))
    with pytest.raises(CheckpointError, match=f"shakespeare train --start {folder}"):
        Run.resume(folder)
    Run.create(SMALL, tmp_path / "next", start=folder, device="cpu")


def test_no_run_at_all(tmp_path):
    with pytest.raises(CheckpointError, match="is it a run"):
        Run.resume(tmp_path / "nothing")


def test_a_folder_holds_one_run(uninterrupted):
    with pytest.raises(ValueError, match="already holds a run; continue it with --resume"):
        Run.create(SMALL, uninterrupted.folder)


def test_a_checkpoint_is_not_overwritten_by_a_new_run(uninterrupted, tmp_path):
    folder = tmp_path / "best"
    shutil.copytree(uninterrupted.folder, folder)
    (folder / "run.json").unlink()
    with pytest.raises(ValueError, match="already holds a checkpoint"):
        Run.create(SMALL, folder, start=folder)
    load_checkpoint(folder, registry.game(registry.DEFAULT))


def test_only_files_of_runs_are_cleared_away(uninterrupted, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(uninterrupted.folder, folder)
    names = ("run-mine.safetensors", "snapshot-old.safetensors", "weights-1.safetensors")
    for name in names:
        (folder / name).write_text("")
    Run.resume(folder, device="cpu").save()
    assert all((folder / name).exists() for name in names)


def test_a_run_can_begin_with_the_weights_of_a_checkpoint(uninterrupted, tmp_path):
    run = Run.create(SMALL, tmp_path / "next", start=uninterrupted.folder, device="cpu")
    ours, theirs = (one.learner.policy.tensors() for one in (run, uninterrupted))
    assert all((ours[name] == theirs[name]).all() for name in theirs)
    wider = override(SMALL, width=24)
    with pytest.raises(ValueError, match="width 16, but the run's is 24"):
        Run.create(wider, tmp_path / "wider", start=uninterrupted.folder, device="cpu")


@pytest.mark.parametrize("name", ["tpu", "cuda:x", "", "cpu:cuda", "cpu:", "cuda:", "cpu:3"])
def test_unknown_devices(name):
    with pytest.raises(ValueError, match="choose cpu, cuda"):
        checked_device(name)


def test_devices_that_are_not_here(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ValueError, match="finds 0 CUDA devices here; use --device cpu"):
        checked_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert checked_device("auto") == "cpu"


def test_storage_writes_once(tmp_path, monkeypatch):
    stored = storage.store_tensors(tmp_path, "a", {"x": np.zeros(3)})
    monkeypatch.setattr(storage, "write_atomically", lambda *_: pytest.fail("written again"))
    assert storage.store_tensors(tmp_path, "a", {"x": np.zeros(3)}) == stored
