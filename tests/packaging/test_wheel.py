"""The wheel and the source distribution hold what they should, and run outside the checkout."""

import json
import os
import shutil
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
    *(f"agents/shakespeare_{part}" for part in ("agents", "arena", "research", "table")),
    "training/shakespeare_training",
)
"""Where the packages lie in the checkout."""

PLAY = """
import json, random
import shakespeare_agents, shakespeare_arena, shakespeare_env, shakespeare_training
from shakespeare_env import Position, registry
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
print(json.dumps({"winners": winners, "made_of": made_of}))
"""


ALONE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
"""The environment variables of a program that is to find what is installed and nothing else."""


def run(*command, cwd, env=ALONE):
    """What a command prints; the test fails with all it said if the command does."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the checkout without what was made in it, so that nothing is built into it."""
    copy = tmp_path_factory.mktemp("checkout") / "copy"
    anywhere = shutil.ignore_patterns(".*_cache", "__pycache__")
    at_the_root = {".venv", ".git", ".hypothesis", "runs", "build", "dist", "htmlcov"}

    def made(folder, names):
        ignored = anywhere(folder, names)
        return ignored | at_the_root.intersection(names) if Path(folder) == ROOT else ignored

    shutil.copytree(ROOT, copy, ignore=made)
    return copy


@pytest.fixture(scope="module")
def built(checkout, tmp_path_factory):
    """The folder with the source distribution and the wheel made from it; nothing is fetched."""
    folder = tmp_path_factory.mktemp("dist")
    command = sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, checkout
    run(*command, cwd=folder, env=os.environ)
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (file,) = built.glob("*.whl")
    return file


def environment(folder, *installed):
    """The programs of a new environment with these, beside the libraries that run this test."""
    venv.create(folder, with_pip=False)
    own = sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})
    ours = Path(sysconfig.get_path("purelib"))
    bin_ = folder / ("Scripts" if os.name == "nt" else "bin")
    # A plain line in a .pth file puts a folder after the environment's own; .pth files *in* that
    # folder, such as that of the editable checkout, are not followed.
    (Path(own) / "libraries.pth").write_text(f"{ours}\n", encoding="utf-8")
    # With what is here alone; nothing is fetched.
    words = "install --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation"
    command = bin_ / "python", "-m", "pip", *words.split(), "--ignore-installed", *installed
    run(*command, cwd=folder)
    return bin_


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel, checkout):
    """No top-level `agents` or `training`: those names are imported from other distributions."""
    folders = [checkout / folder for folder in FOLDERS]
    files = {
        path.relative_to(folder.parent).as_posix()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found == files
    assert {name.split("/")[0] for name in found} == {folder.name for folder in folders}
    assert {f"{folder.name}/py.typed" for folder in folders} <= found


def test_games_are_played_from_the_wheel(shared, tmp_path):
    said = json.loads(run(shared / "python", "-c", PLAY, cwd=tmp_path))
    assert set(said["winners"]) == set(registry.names())
    assert all(said["winners"].values())
    for file in said["made_of"]:
        assert Path(file).is_relative_to(shared.parent), file
    remedy = "from shakespeare_env.extras import how_to_get; print(how_to_get('arena'))"
    said = run(shared / "python", "-c", remedy, cwd=tmp_path)
    assert said.endswith(": pip install 'shakespeare-env[arena]'\n")


# ------------------------------------------------------------------ beside packages of other people

FOREIGN = "openai_agents_like"
OWN_MODULE = "raise RuntimeError('the module of the user was imported in place of a package')\n"
MAKE = """
import gymnasium, shakespeare_env
env = gymnasium.make("Shakespeare-v0")
_, info = env.reset(seed=1)
while True:
    *_, ended, _, info = env.step(int(info["action_mask"].argmax()))
    if ended:
        break
print(env.unwrapped.games._lineup.agents)
"""


@pytest.fixture(scope="module")
def shared(wheel, tmp_path_factory):
    """An environment with a distribution that owns the package `agents`, and ours."""
    foreign = tmp_path_factory.mktemp("foreign") / f"{FOREIGN}-1.0-py3-none-any.whl"
    info = f"{FOREIGN}-1.0.dist-info"
    files = {
        "agents/__init__.py": "OWNER = 'somebody else'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {FOREIGN}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(foreign, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return environment(tmp_path_factory.mktemp("shared") / "venv", foreign, wheel)


def test_games_are_played_beside_other_peoples_agents_and_training(shared, tmp_path):
    """Modules of the user's own come first when Python is run in their folder."""
    for name in ("agents", "training"):
        (tmp_path / f"{name}.py").write_text(OWN_MODULE)
    said = run(shared / "python", "-c", MAKE, cwd=tmp_path)
    assert "shakespeare_agents.networks.inference.NetworkAgent" in said
    command = shared / "shakespeare", "evaluate", "random", "heuristic", "--games", "8"
    assert "8 games" in run(*command, cwd=tmp_path)
