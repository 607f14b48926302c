"""The wheel and the source distribution hold what they should, and run outside the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from shakespeare_env import registry

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow
games = pytest.mark.parametrize("game", registry.names())

NEEDED = {
    "shakespeare_env/py.typed",
    "shakespeare_env/fonts/DejaVuSans.ttf",
    "shakespeare_env/fonts/LICENSE.txt",
    "shakespeare_env/fonts/widths.json",
    *(
        file
        for game in registry.names()
        for file in (
            f"shakespeare_env/{game}/box.toml",
            f"shakespeare_env/{game}/RULES.md",
            f"shakespeare_agents/checkpoints/{game}/card.json",
            f"shakespeare_training/configs/{game}.toml",
        )
    ),
}

PLAY = """
import json, random, sys
import shakespeare_agents, shakespeare_env, shakespeare_training
from shakespeare_agents.registry import shipped_checkpoint
from shakespeare_env import Position, registry
game = sys.argv[1]
chance = random.Random(0)
position = Position.new(game, players=registry.seats(game)[-1], seed=0)
while position.to_move is not None:
    position.push(chance.choice(position.moves()))
shakespeare_agents.make("network", registry.game(game))
made_of = [module.__file__ for module in (shakespeare_agents, shakespeare_env, shakespeare_training)]
print(json.dumps({"winners": position.winners, "made_of": made_of}))
"""


ALONE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
"""The environment variables of a program that is to find what is installed and nothing else."""


def run(*command, cwd, env=ALONE):
    """What a command prints; the test fails with all it said if the command does."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the checkout without what was made in it, so that nothing is built into it."""
    copy = tmp_path_factory.mktemp("checkout") / "copy"
    made = shutil.ignore_patterns(
        *(".venv", ".git", ".hypothesis", ".coverage*", ".*_cache", "__pycache__"),
        *("runs", "build", "dist", "htmlcov"),
    )
    shutil.copytree(ROOT, copy, ignore=made)
    return copy


@pytest.fixture(scope="module")
def built(checkout, tmp_path_factory):
    """The folder with the source distribution and the wheel made from it; nothing is fetched."""
    folder = tmp_path_factory.mktemp("dist")
    run(
        *(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, checkout),
        cwd=folder,
        env=os.environ,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (file,) = built.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory):
    """The programs of an environment with the wheel, beside the libraries that run this test."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, with_pip=False)
    own = sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})
    ours = Path(sysconfig.get_path("purelib"))
    bin_ = folder / ("Scripts" if os.name == "nt" else "bin")
    # A plain line in a .pth file puts a folder after the environment's own; .pth files *in* that
    # folder, such as that of the editable checkout, are not followed.
    (Path(own) / "libraries.pth").write_text(f"{ours}\n", encoding="utf-8")
    run(
        *(bin_ / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
        *("--ignore-installed", "--disable-pip-version-check", wheel),
        cwd=folder,
    )
    return bin_


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_the_data(wheel):
    assert not NEEDED - names_in(wheel)


def test_the_wheel_holds_every_file_of_the_packages(wheel, checkout):
    files = {
        str(path.relative_to(checkout).as_posix())
        for package in ("shakespeare_env", "agents", "training")
        for path in (checkout / package).rglob("*")
        if path.is_file()
    }
    assert not files - names_in(wheel)


def test_the_wheel_holds_nothing_else(wheel):
    tops = {name.split("/")[0] for name in names_in(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "shakespeare_env",
        "agents",
        "training",
    }


def test_the_source_distribution_holds_tests_and_pages(built):
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "Makefile", "mkdocs.yml"} <= names
    assert {"docs/tutorial.md", "tests/packaging/test_wheel.py", *NEEDED} <= names


@games
def test_a_game_is_played_from_the_wheel(programs, tmp_path, game):
    said = json.loads(run(programs / "python", "-c", PLAY, game, cwd=tmp_path))
    assert said["winners"]
    for file in said["made_of"]:
        assert Path(file).is_relative_to(programs.parent), file


def test_the_command_is_installed(programs, tmp_path):
    said = run(programs / "shakespeare", "--help", cwd=tmp_path)
    assert "evaluate" in said


def test_a_run_trains_from_the_wheel(programs, tmp_path):
    small = {
        "decisions": 512,
        "games": 16,
        "steps": 16,
        "batch_size": 128,
        "width": 32,
        "epochs": 1,
        "evaluation_games": 4,
        "final_games": 4,
        "precision": '"float32"',
        "opponents": "{current=1.0}",
        "yardsticks": '["random"]',
    }
    settings = [word for name, value in small.items() for word in ("--set", f"{name}={value}")]
    run(
        *(programs / "shakespeare", "train", "--out", "run", "--device", "cpu", *settings),
        cwd=tmp_path,
    )
    assert (tmp_path / "run" / "card.json").is_file()
    assert (tmp_path / "run" / "learning_curve.png").is_file()
