from __future__ import annotations

import pytest

from shakespeare_env import registry
from training.config import CONFIGS, read_config


def test_every_configuration_that_comes_along_can_be_read():
    paths = sorted(CONFIGS.glob("*.toml"))
    assert "shakespeare.toml" in [path.name for path in paths]
    for path in paths:
        config = read_config(path)
        game = registry.game(config.game)
        assert game.min_seats <= config.players <= game.max_seats


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("width", "breadth", r"missing: \['width'\], unknown: \['breadth'\]"),
        ("players = 4", 'players = "four"', "players = 'four' must be of type int"),
        ("players = 4", "players = 4.0", "players = 4.0 must be of type int"),
        ("epochs = ", "epochs = true # ", "epochs = True must be of type int"),
    ],
)
def test_entries_are_checked(tmp_path, old, new, message):
    text = (CONFIGS / "shakespeare.toml").read_text()
    assert old in text
    path = tmp_path / "run.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=message):
        read_config(path)


def test_an_integer_is_a_fine_float(tmp_path):
    text = (CONFIGS / "shakespeare.toml").read_text()
    path = tmp_path / "run.toml"
    path.write_text(text.replace("minutes = 5.0", "minutes = 5"))
    assert type(read_config(path).minutes) is float
