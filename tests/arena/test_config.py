"""An arena's file: its settings, their defaults, and errors that name the file and the fault."""

import pytest

from shakespeare_arena.config import ArenaConfig
from shakespeare_env.core import registry
from shakespeare_env.errors import ArenaError


def read(folder, text):
    path = folder / "arena.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return ArenaConfig.read(path)


def test_all_settings_are_read(tmp_path):
    text = """
        game = "figaro"
        players = [3, 5]
        seed = 7
        games = 100
        minutes = 1.5
        agents = [
            "random",
            {agent = "network,version=1", name = "first"},
            {program = ["node", "my.js"], seconds_a_move = 2, seconds_to_start = 30},
        ]
    """
    config = read(tmp_path, text)
    assert (config.game, config.players, config.seed) == ("figaro", (3, 5), 7)
    assert (config.games, config.minutes) == (100, 1.5)
    assert [each.label for each in config.agents] == ["random", "first", "node my.js"]
    assert config.agents[2].limits == {"seconds_a_move": 2, "seconds_to_start": 30}
    assert config.folder == tmp_path
    assert config.untrusted_code() == ["node my.js"]


def test_settings_that_are_left_out_have_defaults(tmp_path):
    config = read(tmp_path, 'agents = ["random", "heuristic"]')
    assert config.game == registry.DEFAULT
    assert config.seed == 0
    assert config.untrusted_code() == []
    assert config.players == (registry.seats(config.game)[-1],)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('agents = ["random"]', "agents"),
        ('agents = ["random", "random"]', "two agents are called 'random'"),
        ('agents = ["a", {name = "b"}]', "agents.1"),
        ('agents = ["a", {agent = "b", megabytes = 1}]', "only programs have limits"),
        ('agents = ["a", "b"]\nplayers = [9]', "players=9"),
        ('agents = ["a", "b"]\nvariants = ["x"]', "'x'"),
        ('agents = ["a", "b"]\ngame = "figarro"', "'figarro' (did you mean 'figaro'?)"),
        (b"\xff", "cannot be read"),
        (None, "cannot be read"),
    ],
    ids=str,
)
def test_an_error_names_the_file_and_the_fault(tmp_path, text, said):
    with pytest.raises(ArenaError) as refused:
        ArenaConfig.read(tmp_path / "arena.toml") if text is None else read(tmp_path, text)
    assert said in str(refused.value)
    assert str(tmp_path / "arena.toml") in str(refused.value)
