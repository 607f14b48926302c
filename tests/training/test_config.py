"""Settings: errors name the setting at fault, and the TOML file describes every setting."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import torch

from shakespeare_env.checks import limits
from shakespeare_env.core import registry
from shakespeare_env.errors import MemoryLimitError
from shakespeare_training import building
from shakespeare_training.building import make_learner, needed_bytes, playouts_bytes
from shakespeare_training.config import (
    CONFIGS,
    TrainingConfig,
    as_toml,
    bundled_names,
    chosen_config,
    make_config,
    override,
    parse_override,
    settings_of,
    train_command,
)
from shakespeare_training.runs.run import Run
from tests.training.short_runs import small
from tests.training.toy_game import NAME

games = pytest.mark.parametrize("name", registry.names())


@games
def test_every_game_has_settings_for_each_algorithm(name, tmp_path):
    """All settings but those for a GPU fit a small machine."""
    assert {"expert_iteration", "ppo"} <= {*bundled_names(name)}
    (tmp_path / "empty.toml").touch()
    for path in (CONFIGS / name).glob("*.toml"):
        config = chosen_config(str(path), {})
        assert config.game == name
        given = {"game": name, "algorithm": config.algorithm}
        defaults = make_config(given, "here")
        if path.stem == config.algorithm:
            assert defaults == config == chosen_config(path.stem, {"game": name})
            assert defaults == chosen_config(str(tmp_path / "empty.toml"), given)
            assert defaults == chosen_config(None, given)
        assert needed_bytes(config) < 2**30 or path.stem == "gpu"
    assert TrainingConfig() == chosen_config("ppo", {})


def test_settings_are_read_back_from_their_toml_which_describes_each(tmp_path):
    config = override(
        TrainingConfig(),
        opponents={"current": 0.5, "network,greedy=false": 0.25, "runs/a b": 0.25},
        learning_rate=1.25e-4,
        players=[4],
        evaluation_opponents=[],
    )
    path = tmp_path / "run.toml"
    path.write_text(as_toml(config), encoding="utf-8-sig")  # as some editors write
    assert chosen_config(str(path), {}) == config
    lines = path.read_text("utf-8-sig").splitlines()
    for name in settings_of(TrainingConfig()):
        (place,) = [number for number, line in enumerate(lines) if line.startswith(f"{name} = ")]
        assert lines[place - 1].startswith("# ")
    path.write_text("width = 32\n")
    assert chosen_config(str(path), {}) == TrainingConfig(width=32)
    assert chosen_config(str(path), {"width": 64, "seed": 3}) == TrainingConfig(width=64, seed=3)


def test_a_game_without_a_scale_is_evaluated_against_an_untrained_agent(toy, tmp_path):
    assert TrainingConfig().evaluation_opponents == ("scale",)
    config = make_config({"game": NAME}, "here")
    assert config.evaluation_opponents == ("random",)
    config = override(config, n_envs=8, n_steps=8, width=8, evaluation_opponents=["scale"])
    with pytest.raises(ValueError, match=r"toy has no scale: no network of toy is bundled"):
        Run.create(config, tmp_path / "run")


def test_a_box_of_ones_own_is_evaluated_against_an_untrained_agent(monkeypatch):
    """There the first network, by which strength is measured, plays less well."""
    loaded = registry.game("figaro")
    monkeypatch.setattr(registry, "box_mismatch", lambda *_: "made with another box")
    assert make_config({"game": loaded.name}, "here").evaluation_opponents == ("heuristic",)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("widht = 3", r"widht = 3: there is no such setting \(did you mean 'width'\?\)"),
        ("players = [4, 5]", "players=5"),
        ("n_envs = 3", "n_envs"),
        ('game = "chess"', "chess"),
        ("opponents = { current = 0.0 }", "opponents"),
        ("opponents = { current = -1.0 }", "opponents.current"),
        ("horizon = 3", "horizon"),
        ('algorithm = "expert_iteration"\nclip_range = 0.3', "clip_range"),
        ("width = ", "TOML"),
        ("width = " + "[" * 10**5, "TOML"),
    ],
)
def test_an_invalid_setting_is_named_with_its_file(tmp_path, text, word):
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=word) as fault:
        chosen_config(str(path), {})
    assert str(path) in str(fault.value)


@games
def test_the_command_on_the_card_gives_the_same_settings(name):
    config = small(name)
    parts = shlex.split(train_command(config, config.precision))
    assert parts[:2] == ["shakespeare", "train"]
    options = list(zip(parts[2::2], parts[3::2], strict=True))
    overrides = dict(parse_override(text) for option, text in options if option == "--set")
    game = dict(options).get("--game", registry.DEFAULT)
    assert chosen_config(None, {"game": game, **overrides}) == config


def test_the_command_on_the_card_names_only_what_differs_from_the_defaults():
    command = train_command(TrainingConfig(), "float32", Path("a b"))
    assert command == "shakespeare train --seed 0 --start 'a b' --set 'precision=\"float32\"'"
    config = chosen_config("expert_iteration", {"game": "figaro", "simulations": 7, "seed": 3})
    command = train_command(config, "auto")
    assert command.endswith("--config expert_iteration --seed 3 --set simulations=7")


def test_a_search_that_needs_more_memory_than_a_gpu_has_is_refused(monkeypatch):
    """Playouts take some 20 kB each, and beyond a number they are played one after the other."""
    settings = {"algorithm": "expert_iteration", "width": 512, "considered": 8, "simulations": 16}
    needed = [
        playouts_bytes(make_config({**settings, "n_envs": n_envs}, "here"))
        for n_envs in (1024, 8192, 16384)
    ]
    assert 100 * 2**20 < needed[0] == needed[1] / 8 < 500 * 2**20
    assert needed[2] == needed[1]

    monkeypatch.setattr(building, "Batch", lambda *_, **__: pytest.fail("memory was taken"))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "set_device", lambda _device: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _device: (needed[0] - 1, 2**40))
    config = make_config({**settings, "n_envs": 1024}, "here")
    with pytest.raises(MemoryLimitError, match=r"the search on cuda .*lower n_envs, simulations"):
        make_learner(config, "cuda")


@pytest.mark.parametrize(
    "settings",
    [
        {"n_envs": 10**6, "n_steps": 10**6},
        {"max_snapshots": 10**6, "snapshot_every": 1, "width": 4096},
        {"algorithm": "expert_iteration", "opponents": {"current": 1.0}, "n_envs": 10**8},
    ],
)
def test_a_run_that_needs_too_much_memory_is_refused_before_any_is_taken(monkeypatch, settings):
    monkeypatch.setattr(building, "Batch", lambda *_, **__: pytest.fail("memory was taken"))
    monkeypatch.setattr(limits, "total_memory", lambda: 2**39)
    with pytest.raises(MemoryLimitError, match="n_envs"):
        make_learner(make_config(settings, "here"), "cpu")
