"""The wheel and the source distribution hold what they should, and run outside the checkout."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from shakespeare_env.core import registry

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow

FOLDERS = (
    "shakespeare_env",
    "agents/shakespeare_agents",
    "agents/shakespeare_arena",
    "agents/shakespeare_research",
    "agents/shakespeare_table",
    "training/shakespeare_training",
)
"""The folders of the packages in the checkout."""
INSTALL_OFFLINE = [
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "--no-index",
    "--ignore-installed",
]
"""Arguments of pip that install a file beside what is there; nothing is fetched."""

PLAY = """
import json, random
import shakespeare_agents, shakespeare_arena, shakespeare_env, shakespeare_training
from shakespeare_env import Position, registry
from shakespeare_env.extras import install_hint
chance, winners = random.Random(0), {}
for game in registry.names():
    position = Position.new(game, players=registry.seats(game)[-1], seed=0)
    while position.to_move is not None:
        position.push(chance.choice(position.moves()))
    winners[game] = position.winners
    for player in ("network", "network,version=1"):
        shakespeare_agents.make(player, registry.game(game))
packages = shakespeare_agents, shakespeare_arena, shakespeare_env, shakespeare_training
made_of = [package.__file__ for package in packages]
remedy = install_hint("arena")
print(json.dumps({"winners": winners, "made_of": made_of, "remedy": remedy}))
"""


def run(*command, cwd, env=None):
    """Return what a command prints; it finds installed packages alone, and must succeed."""
    env = env or {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, made from the source distribution; nothing is fetched."""
    folder = tmp_path_factory.mktemp("dist")
    command = sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT
    run(*command, cwd=folder, env=os.environ)
    (file,) = folder.glob("*.whl")
    return file


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel):
    """No top-level `agents` or `training`: those names are imported from other distributions."""
    folders = [ROOT / folder for folder in FOLDERS]
    files = {
        path.relative_to(folder.parent).as_posix()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found == files
    assert {name.split("/")[0] for name in found} == {folder.name for folder in folders}
    assert {f"{folder.name}/py.typed" for folder in folders} <= found


@pytest.fixture
def programs(wheel, tmp_path):
    """The folder of programs of a new environment with the wheel and this test's libraries."""
    folder = tmp_path / "venv"
    venv.create(folder, with_pip=False)
    own = sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})
    # A plain line in a .pth file puts a folder after the environment's own; .pth files *in* that
    # folder, such as that of the editable checkout, are not followed.
    libraries = Path(own) / "libraries.pth"
    libraries.write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", *INSTALL_OFFLINE, wheel, cwd=folder)
    return python.parent


def test_games_are_played_from_the_wheel_whatever_else_is_called_agents(programs, tmp_path):
    """Modules of the user's own come first when Python is run in their folder."""
    for name in ("agents", "training"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('imported in place of ours')")
    said = json.loads(run(programs / "python", "-c", PLAY, cwd=tmp_path))
    assert set(said["winners"]) == set(registry.names())
    assert all(said["winners"].values())
    for file in said["made_of"]:
        assert Path(file).is_relative_to(programs.parent), file
    assert said["remedy"].endswith(": pip install 'shakespeare-env[arena]'")
    command = programs / "shakespeare", "evaluate", "random", "heuristic", "--games", "8"
    assert "8 games" in run(*command, cwd=tmp_path)
