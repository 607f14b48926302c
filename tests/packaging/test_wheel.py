"""The wheel holds all files of the packages, and games can be played from it alone."""

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
"""Arguments of pip to install a file without its dependencies and without a download."""

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
files = [package.__file__ for package in packages]
remedy = install_hint("arena")
print(json.dumps({"winners": winners, "files": files, "remedy": remedy}))
"""


def run(*command, cwd, env=None):
    """Return what a command prints. It must succeed, and finds only installed packages."""
    env = env or {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, made from the source distribution without a download."""
    folder = tmp_path_factory.mktemp("dist")
    command = sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT
    run(*command, cwd=folder, env=os.environ)
    (file,) = folder.glob("*.whl")
    return file


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel):
    """A top-level `agents` or `training` could hide packages of the same name."""
    folders = [ROOT / folder for folder in FOLDERS]
    files = {
        path.relative_to(folder.parent).as_posix()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == files
    assert {name.split("/")[0] for name in packed} == {folder.name for folder in folders}
    assert {f"{folder.name}/py.typed" for folder in folders} <= packed


@pytest.fixture
def programs(wheel, tmp_path):
    """The programs of a new environment that has the wheel and the libraries of this process."""
    folder = tmp_path / "venv"
    venv.create(folder, with_pip=False)
    base = {"base": str(folder), "platbase": str(folder)}
    site_packages = sysconfig.get_path("purelib", "venv", base)
    # A folder named in a .pth file comes after the environment's own. The .pth files in that folder
    # have no effect, among them the one of the editable checkout.
    libraries = Path(site_packages) / "libraries.pth"
    libraries.write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", *INSTALL_OFFLINE, wheel, cwd=folder)
    return python.parent


def test_games_are_played_from_the_wheel_beside_modules_named_agents_and_training(
    programs, tmp_path
):
    """Python imports modules of the folder in which it is run before others of the same name."""
    for name in ("agents", "training"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('imported in place of ours')")
    printed = json.loads(run(programs / "python", "-c", PLAY, cwd=tmp_path))
    assert set(printed["winners"]) == set(registry.names())
    assert all(printed["winners"].values())
    for file in printed["files"]:
        assert Path(file).is_relative_to(programs.parent), file
    assert printed["remedy"].endswith(": pip install 'shakespeare-env[arena]'")
    command = programs / "shakespeare", "evaluate", "random", "heuristic", "--games", "8"
    assert "8 games" in run(*command, cwd=tmp_path)
