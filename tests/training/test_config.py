"""Settings: what is wrong is named, and the file of defaults documents every entry."""

from __future__ import annotations

import tomllib

import pytest

from shakespeare_env.core import registry
from shakespeare_training.config import TrainingConfig, override, settings_of
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


def test_every_game_has_settings_for_each_algorithm_that_document_themselves():
    assert sorted(path.name for path in CONFIGS.iterdir()) == sorted(registry.names())
    for name in registry.names():
        assert bundled_names(name) == ["expert_iteration", "ppo"]
        assert chosen_config(None, {"game": name}) == chosen_config("ppo", {"game": name})
        chosen = {"algorithm": "expert_iteration"}
        searched = chosen_config(None, {"game": name, **chosen})
        assert searched == chosen_config("expert_iteration", {"game": name})
        assert searched == default_config(name, chosen)
    for path in CONFIGS.glob("*/*"):
        config, text = read_config(path), path.read_text()
        assert (config.game, f"{config.algorithm}.toml") == (path.parent.name, path.name)
        assert text == as_toml(config), f"write {path} anew: as_toml(read_config(path))"
        lines = text.splitlines()
        for name in settings_of(config.algorithm):
            place = next(i for i, line in enumerate(lines) if line.startswith(f"{name} = "))
            assert lines[place - 1].startswith("# ")
        assert tomllib.loads(text).keys() == {*settings_of(config.algorithm)}


def test_a_setting_of_the_other_algorithm_is_refused():
    said = "--set: clip_range = 0.3: algorithm = 'expert_iteration' has no such setting; leave it"
    with pytest.raises(ValueError, match=said):
        chosen_config("expert_iteration", {"clip_range": 0.3}, "--set")
    for name in ("horizon", "groups_ahead"):
        with pytest.raises(ValueError, match=f"{name} = 3: algorithm = 'ppo' has no such setting"):
            chosen_config(None, {name: 3})
    assert not {"gae_lambda", "clip_range"} & chosen_config("expert_iteration", {}).to_json().keys()


def test_settings_that_are_not_bundled_are_told_from_a_file():
    known = "one of the bundled settings of figaro: expert_iteration, ppo$"
    with pytest.raises(ValueError, match=rf"--config 'search': give a TOML file, or {known}"):
        chosen_config("search", {"game": "figaro"})
    with pytest.raises(ValueError, match=r"search\.toml: cannot be read"):
        chosen_config("search.toml", {})


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
    path.write_text("width = 32\n")
    assert read_config(path) == TrainingConfig(width=32)
    assert read_config(path, {"width": 64, "seed": 3}) == TrainingConfig(width=64, seed=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("breadth = 3", "there is no setting breadth; see shakespeare train --print-config"),
        ("widht = 3", r"there is no setting widht \(did you mean 'width'\?\)"),
        ("width = 2.0", "width = 2.0: must be a whole number$"),
        ("width = 0", "width = 0: must be at least 1$"),
        ("learning_rate = nan", "learning_rate = nan: must be a finite number$"),
        ("learning_rate = -1.0", r"learning_rate = -1\.0: must be above 0$"),
        ('learning_rate = "fast"', "learning_rate = 'fast': must be a number$"),
        ("players = []", r"players = \[\]: must be at least 1 long$"),
        ("players = 4", "players = 4: must be a list$"),
        ("players = [0]", r"players\[0\] = 0: must be above 0$"),
        ("players = [4, 5]", "players=5: shakespeare is played by 1 to 4 seats"),
        ("n_envs = 3", r"n_envs = 3 with players = \[1, 2, 3, 4\]: give at least"),
        ("decisions = 10_000_000_000_000_000", "must be at most 1000000000000000$"),
        ('game = "chess"', "game = 'chess': there is no such game; the games: .*figaro"),
        ("game = []", r"game = \[\]: must be text$"),
        ("opponents = { current = 0.0 }", "opponents: give at least one of them a weight above 0$"),
        ("opponents = 1", "opponents = 1: must be a table of names and values$"),
        ("opponents = { current = -1.0 }", r"opponents\.current = -1\.0: must be at least 0$"),
        ('precision = "half"', "precision = 'half': must be 'auto', 'float32' or 'bfloat16'$"),
        (f'game = "{"x" * 200}"', r"game = 'x{79}\.\.\.: there is no such game"),
        ("\n".join(f"setting_{n} = 1" for n in range(8)), r"g_0;.*setting_4;.*; and 3 more$"),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("learning_rate=1e-3", ("learning_rate", 1e-3)),
        ("players = [2, 3]", ("players", [2, 3])),
        ("precision=float32", ("precision", "float32")),
        ("opponents={current = 1.0}", ("opponents", {"current": 1.0})),
        ("width=" + "[" * 10**4, ("width", "[" * 10**4)),
    ],
)
def test_overrides_are_written_as_in_toml(text, expected):
    assert parse_override(text) == expected


@pytest.mark.parametrize("text", ["width", "=3"])
def test_overrides_need_a_name_and_a_value(text):
    with pytest.raises(ValueError, match="write NAME=VALUE"):
        parse_override(text)
