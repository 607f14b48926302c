"""Settings: what is wrong is named, and the file of defaults documents every entry."""

from __future__ import annotations

import re
import tomllib

import pytest

from shakespeare_env import registry
from shakespeare_training.config import TrainingConfig, make_config, override, settings_of
from shakespeare_training.config_text import (
    CONFIGS,
    as_toml,
    bundled_names,
    chosen_config,
    default_config,
    parse_override,
    read_config,
)

SEATS = registry.seats(registry.DEFAULT)
games = pytest.mark.parametrize("name", registry.names())


def test_every_game_has_settings_for_each_algorithm():
    assert sorted(path.name for path in CONFIGS.iterdir()) == sorted(registry.names())
    for path in CONFIGS.glob("*/*"):
        config = read_config(path)
        assert (config.game, f"{config.algorithm}.toml") == (path.parent.name, path.name)
    for name in registry.names():
        assert bundled_names(name) == ["expert_iteration", "ppo"]
        assert chosen_config(None, {"game": name}) == chosen_config("ppo", {"game": name})
        searched = chosen_config("expert_iteration", {"game": name})
        assert searched == default_config(name, {"algorithm": "expert_iteration"})


def test_the_bundled_files_document_every_setting_of_their_algorithm():
    for path in CONFIGS.glob("*/*.toml"):
        config, text = read_config(path), path.read_text()
        assert text == as_toml(config), f"write {path} anew: as_toml(read_config(path))"
        lines = text.splitlines()
        for name in settings_of(config.algorithm):
            place = next(i for i, line in enumerate(lines) if line.startswith(f"{name} = "))
            assert lines[place - 1].startswith("# ")
        assert tomllib.loads(text).keys() == {*settings_of(config.algorithm)}


def test_a_setting_of_the_other_algorithm_is_refused(tmp_path):
    said = "--set: clip_range = 0.3: algorithm = 'expert_iteration' has no such setting; leave it"
    with pytest.raises(ValueError, match=said):
        chosen_config("expert_iteration", {"clip_range": 0.3}, "--set")
    with pytest.raises(ValueError, match="horizon = 3: algorithm = 'ppo' has no such setting"):
        chosen_config(None, {"horizon": 3})
    path = tmp_path / "run.toml"
    path.write_text('algorithm = "expert_iteration"\ngae_lambda = 0.9\n')
    with pytest.raises(ValueError, match=r"run\.toml: gae_lambda = 0\.9: algorithm = "):
        read_config(path)
    assert not {"gae_lambda", "clip_range"} & chosen_config("expert_iteration", {}).to_json().keys()


def test_settings_that_are_not_bundled_are_told_from_a_file():
    known = "one of the bundled settings of figaro: expert_iteration, ppo$"
    with pytest.raises(ValueError, match=rf"--config 'search': give a TOML file, or {known}"):
        chosen_config("search", {"game": "figaro"})
    with pytest.raises(ValueError, match=r"search\.toml: cannot be read"):
        chosen_config("search.toml", {})


def test_the_algorithm_alone_chooses_its_bundled_settings():
    for name in ("ppo", "expert_iteration"):
        assert chosen_config(None, {"algorithm": name}) == chosen_config(name, {})


def test_settings_survive_their_toml(tmp_path):
    config = override(
        TrainingConfig(),
        opponents={"current": 0.5, "network,greedy=false": 0.25, "runs/a b": 0.25},
        learning_rate=1.25e-4,
        players=[SEATS[-1]],
        evaluation_opponents=[],
    )
    path = tmp_path / "run.toml"
    path.write_text(as_toml(config))
    assert read_config(path) == config
    assert tomllib.loads(path.read_text())["players"] == [SEATS[-1]]


def test_what_a_file_leaves_out_has_its_default(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text("width = 32\n")
    assert read_config(path) == TrainingConfig(width=32)
    assert read_config(path, {"width": 64, "seed": 3}) == TrainingConfig(width=64, seed=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("breadth = 3", "there is no setting breadth; see shakespeare train --print-config"),
        ("widht = 3", r"there is no setting widht \(did you mean 'width'\?\)"),
        ('width = "wide"', "width = 'wide': must be a whole number$"),
        ("width = 2.0", "width = 2.0: must be a whole number$"),
        ("width = true", "width = True: must be a whole number$"),
        ("width = 0", "width = 0: must be at least 1$"),
        ("width = 5000", "width = 5000: must be at most 4096$"),
        ("learning_rate = nan", "learning_rate = nan: must be a finite number$"),
        ("learning_rate = inf", "learning_rate = inf: must be a finite number$"),
        ("learning_rate = -1.0", r"learning_rate = -1\.0: must be above 0$"),
        ("learning_rate = 1e7", r"learning_rate = 10000000\.0: must be at most 1000000$"),
        ('learning_rate = "fast"', "learning_rate = 'fast': must be a number$"),
        ("gae_lambda = 1.5", r"gae_lambda = 1\.5: must be at most 1$"),
        ("near_certain_share = 0.0", r"near_certain_share = 0\.0: must be above 0$"),
        ("near_certain_share = 1.1", r"near_certain_share = 1\.1: must be at most 1$"),
        ("players = []", r"players = \[\]: must be at least 1 long$"),
        ("players = 4", "players = 4: must be a list$"),
        ("players = [0]", r"players\[0\] = 0: must be above 0$"),
        ("batch_size = 1", "batch_size = 1: must be at least 2$"),
        ("decisions = 10_000_000_000_000_000", "must be at most 1000000000000000$"),
        ("n_envs = 10_000_000", "n_envs = 10000000: must be at most 1000000$"),
        ("n_steps = 10_000_000", "n_steps = 10000000: must be at most 1000000$"),
        ("n_epochs = 10_000_000", "n_epochs = 10000000: must be at most 1000000$"),
        ("max_snapshots = 10_000_000", "max_snapshots = 10000000: must be at most 1000000$"),
        ("batch_size = 10_000_000_000", "must be at most 1000000000$"),
        (
            'game = "chess"',
            f"game = 'chess': there is no such game; the games: {', '.join(registry.names())}$",
        ),
        ("game = []", r"game = \[\]: must be text$"),
        ("opponents = {}", "opponents: give at least one of them a weight above 0$"),
        ("opponents = 1", "opponents = 1: must be a table of names and values$"),
        ("opponents = { current = 0.0 }", "opponents: give at least one of them a weight above 0$"),
        ("opponents = { current = -1.0 }", r"opponents\.current = -1\.0: must be at least 0$"),
        ('precision = "half"', "precision = 'half': must be 'auto', 'float32' or 'bfloat16'$"),
        ('evaluation_opponents = "random"', "evaluation_opponents = 'random': must be a list$"),
        (f'game = "{"x" * 200}"', r"game = 'x{79}\.\.\.: there is no such game"),
        ("width = ", "is not TOML"),
        ("width = " + "[" * 10**5, "is not TOML"),
        ("width = " + "9" * 5000, "is not TOML"),
        ("#" * 2**21, "bytes, and at most 1,048,576 can be"),
    ],
)
def test_entries_are_checked(tmp_path, text, message):
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as fault:
        read_config(path)
    assert str(path) in str(fault.value)


@games
def test_the_tables_are_those_of_the_game(name):
    seats = registry.seats(name)
    assert make_config({"game": name}, "here").players == tuple(seats)
    wrong = {"game": name, "players": [seats[-1], seats[-1] + 1]}
    said = f"players={seats[-1] + 1}: {name} is played by {seats[0]} to {seats[-1]} seats"
    with pytest.raises(ValueError, match=said):
        make_config(wrong, "here")


@games
def test_every_table_has_a_game(name):
    few = len(registry.seats(name)) - 1
    listed = re.escape(str(list(registry.seats(name))))
    with pytest.raises(ValueError, match=f"n_envs = {few} with players = {listed}: give at least"):
        make_config({"game": name, "n_envs": few}, "here")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"nothing\.toml: cannot be read"):
        read_config(tmp_path / "nothing.toml")


def test_an_integer_is_a_fine_float():
    assert type(make_config({"learning_rate": 1}, "here").learning_rate) is float


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("learning_rate=1e-3", ("learning_rate", 1e-3)),
        ("players = [2, 3]", ("players", [2, 3])),
        ('precision="float32"', ("precision", "float32")),
        ("precision=float32", ("precision", "float32")),
        ("opponents={current = 1.0}", ("opponents", {"current": 1.0})),
        ("decisions=1_000", ("decisions", 1000)),
        ("width=" + "[" * 10**4, ("width", "[" * 10**4)),
        ("width=" + "9" * 5000, ("width", "9" * 5000)),
    ],
)
def test_overrides_are_written_as_in_toml(text, expected):
    assert parse_override(text) == expected


@pytest.mark.parametrize("text", ["width", "=3", ""])
def test_overrides_need_a_name_and_a_value(text):
    with pytest.raises(ValueError, match="write NAME=VALUE"):
        parse_override(text)


def test_the_first_faults_are_told_at_once(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text("".join(f"setting_{number} = 1\n" for number in range(8)))
    with pytest.raises(ValueError, match=r"no setting setting_0;.*setting_4;.*; and 3 more$"):
        read_config(path)
