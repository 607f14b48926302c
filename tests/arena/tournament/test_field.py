"""A field says who plays; what is wrong with one is said with its place and the remedy."""

from pathlib import Path

import pytest

from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.tournament import Ending, run_arena
from shakespeare_env.core import registration, registry
from shakespeare_env.datasets.results_reading import read_results
from shakespeare_env.errors import ArenaError

LEDUC = Path(__file__).parents[3] / "docs" / "games" / "leduc.py"


def read(folder, text):
    path = folder / "field.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Field.read(path)


def test_all_settings_and_their_defaults(tmp_path):
    text = """
        game = "figaro"
        players = [3, 5]
        seed = 7
        rotations = 2
        games = 100
        minutes = 1.5
        agents = [
            "random",
            {agent = "network,version=1", name = "first"},
            {program = ["node", "my.js"], seconds_a_move = 2, seconds_to_start = 30},
        ]
    """
    field = read(tmp_path, text)
    assert (field.game, field.players, field.seed, field.rotations) == ("figaro", (3, 5), 7, 2)
    assert (field.games, field.minutes) == (100, 1.5)
    assert field.labels == ["random", "first", "node my.js"]
    assert field.agents[2].limits == {"seconds_a_move": 2, "seconds_to_start": 30}
    assert field.folder == tmp_path
    assert field.runs() == ["node my.js"]
    bare = read(tmp_path, 'agents = ["random", "heuristic"]')
    assert (bare.game, bare.seed, bare.runs()) == (registry.DEFAULT, 0, [])
    assert bare.players == (registry.seats(bare.game)[-1],)


def test_paths_start_from_the_files_folder_and_names_do_not_change(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "random").mkdir()
    (tmp_path / "my.py").write_text("")
    agents = ["mine,greedy=false", "search,network=mine", "my.py:A,x=1", "random", "other"]
    field = read(tmp_path, f"agents = {agents}")
    here = f"{tmp_path}/"
    paths = [f"{here}mine,greedy=false", f"search,network={here}mine", f"{here}my.py:A,x=1"]
    assert [one.agent for one in field.agents] == [*paths, "random", "other"]
    assert field.labels[:2] == agents[:2]
    assert field.runs() == paths[2:]


def test_a_game_in_a_file_is_run_when_it_is_loaded_and_not_before(tmp_path, monkeypatch):
    monkeypatch.setenv(registry.GAMES_VARIABLE, "")
    monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))
    monkeypatch.setattr(registry, "_files", {})
    monkeypatch.setattr(registration, "register", lambda *_given: None)
    (tmp_path / "my.py").symlink_to(LEDUC)
    (tmp_path / "first.py").write_text("def act(o, masks, r): return masks.argmax(axis=1)")
    agents = 'agents = ["random", "first.py:act"]\nequal_within = 1e-6\ngames = 20\n'
    field = read(tmp_path, f'game = "my.py:GAME"\n{agents}')
    runs = [f"{tmp_path}/my.py:GAME", f"{tmp_path}/first.py:act"]
    assert (field.runs(), field.players) == (runs, ())
    assert "leduc" not in registry.names()
    assert run_arena(field, tmp_path / "results") is Ending.games
    assert set(read_results(tmp_path / "results")["game"]) == {"leduc"}
    loaded = field.loaded()
    assert (loaded.game, loaded.players, loaded.games) == ("leduc", (2,), 20)
    assert loaded.runs() == runs[1:]
    for game, more, said in (
        ("my.py:CARDS", "", "has no game CARDS"),
        ("other.py:GAME", "", "other.py: there is no such file"),
        ("my.py:GAME", "players = [3]", "leduc is played by 2 to 2 seats"),
    ):
        unfit = read(tmp_path, f'game = "{game}"\n{agents}{more}')
        with pytest.raises(ArenaError, match=said):
            unfit.loaded()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "agents is missing"),
        ("agents = 1", "agents = 1: must be a list"),
        ('agents = ["random"]', "must be at least 2 long"),
        ('agents = ["random", "random"]', "'random' stands twice: give each a name of its own"),
        ('agents = ["random", ""]', "'' cannot be printed: give it a name"),
        ('agents = ["a", {name = "b"}]', "agents[1]: give either agent or program"),
        ('agents = ["a", {agent = "b", nam = "c"}]', "no setting agents[1].nam (did you mean"),
        ('agents = ["a", {agent = "b", megabytes = 1}]', "megabytes: only programs have limits"),
        ('agents = ["a", {program = []}]', "agents[1].program = []: must be at least 1 long"),
        ('agents = ["a", {program = ["b"], megabytes = 0}]', "megabytes = 0: must be above 0"),
        ('agents = ["a", "b"]\nminutes = nan', "minutes = nan: must be a finite number"),
        ('agents = ["a", "b"]\nplayers = [9]', "players=9: shakespeare is played by 1 to 4 seats"),
        ('agents = ["a", "b"]\nrotations = 5', "rotations = 5: a deal of 4 seats has no more"),
        ('agents = ["a", "b"]\nvariants = ["x"]', "shakespeare has no option 'x'"),
        ('agents = ["a", "b"]\ngame = "figarro"', "'figarro' (did you mean 'figaro'?)"),
        ('agents = ["a", "b"]\nfolder = "/"', "there is no setting folder"),
        ("agents = [", "cannot be read as a field"),
        (b"\xff", "cannot be read as a field"),
        (b"#" * (2**20 + 1), "at most"),
    ],
    ids=lambda text: str(text[:30]),
)
def test_what_is_wrong_is_said(tmp_path, text, said):
    with pytest.raises(ArenaError) as refused:
        read(tmp_path, text)
    assert said in str(refused.value)
    assert str(tmp_path / "field.toml") in str(refused.value)
    with pytest.raises(ArenaError, match=r"there is no file .*missing.toml"):
        Field.read(tmp_path / "missing.toml")
