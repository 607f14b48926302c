"""A field says who plays; what is wrong with one is said with its place and the remedy."""

import pytest

from shakespeare_arena.field import Field
from shakespeare_env.core import registry
from shakespeare_env.errors import ArenaError


def read(folder, text):
    path = folder / "field.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Field.read(path)


def test_all_settings_and_their_defaults(tmp_path):
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
    field = read(tmp_path, text)
    assert (field.game, field.players, field.seed) == ("figaro", (3, 5), 7)
    assert (field.games, field.minutes) == (100, 1.5)
    assert [each.label for each in field.agents] == ["random", "first", "node my.js"]
    assert field.agents[2].limits == {"seconds_a_move": 2, "seconds_to_start": 30}
    assert field.folder == tmp_path
    assert field.runs() == ["node my.js"]
    bare = read(tmp_path, 'agents = ["random", "heuristic"]')
    assert (bare.game, bare.seed, bare.runs()) == (registry.DEFAULT, 0, [])
    assert bare.players == (registry.seats(bare.game)[-1],)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('agents = ["random"]', "agents"),
        ('agents = ["random", "random"]', "'random' stands twice"),
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
def test_what_is_wrong_is_said(tmp_path, text, said):
    with pytest.raises(ArenaError) as refused:
        Field.read(tmp_path / "field.toml") if text is None else read(tmp_path, text)
    assert said in str(refused.value)
    assert str(tmp_path / "field.toml") in str(refused.value)
