"""Compiled code is kept for the box it was compiled with, in whatever way that came into force."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from shakespeare_env import registry
from tests.contract import knowledge

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)
ROOT = Path(__file__).parents[2]
GAMES = registry.names()
games = pytest.mark.parametrize("name", GAMES)

PROBE = '''
import numpy as np

from shakespeare_env import registry
from shakespeare_env.compiled import kernel
from tests.contract import knowledge


def first_position(name, box=None):
    """The fact that boxes change, set up by compiled code, and how often that was loaded."""
    game = registry.game(name, box)
    set_up = game.rules.set_up

    @kernel("probe")
    def probe(games, players):
        set_up(games[0], players, 0)

    games = np.zeros(1, game.state)
    probe(games, game.max_seats)
    fact = knowledge.of(name, "box_changes").fact(game.to_dict(games[0]))
    return fact, sum(probe.stats.cache_hits.values())
'''
SCRIPT = """
import os, sys
from importlib import import_module
from probe import first_position, registry

name, other, box = sys.argv[1:]
"""
PLAY = "print(*first_position(name))\n"
PLAY_MINE = "print(*first_position(name, box))\n"
BEGIN_ANOTHER = "first_position(other)\n"
LOAD = 'import_module(f"shakespeare_env.{name}.contract")\n'


@pytest.fixture
def run(name, tmp_path):
    """Run a script that knows a box of one's own; the fact, and how often code was loaded."""
    changes = knowledge.of(name, "box_changes")
    bundled = (ROOT / "shakespeare_env" / name / "box.toml").read_text(encoding="utf-8")
    box = tmp_path / "mine.toml"
    box.write_text(bundled.replace(changes.OLD, changes.NEW[0][0]), encoding="utf-8")
    (tmp_path / "probe.py").write_text(PROBE)
    other = GAMES[GAMES.index(name) - 1]

    def run(script):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT + script, name, other, str(box)],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
                "SHAKESPEARE_CACHE": str(tmp_path / "cache"),
            },
        )
        assert done.returncode == 0, done.stderr
        return [int(word) for word in done.stdout.split()]

    return run


@pytest.fixture
def mine(name):
    """The fact of one's own box."""
    return knowledge.of(name, "box_changes").NEW[0][1]


@games
def test_a_box_named_after_another_game_has_begun_is_played_and_kept_apart(run, mine):
    own, hits = run(PLAY)
    assert (own != mine, hits) == (True, 0)
    assert run(BEGIN_ANOTHER + PLAY_MINE) == [mine, 0]
    assert run(PLAY_MINE) == [mine, 1]
    assert run(BEGIN_ANOTHER + PLAY) == [own, 1]


@games
def test_a_box_that_comes_too_late_leaves_no_code_under_its_name(run, mine):
    """The game goes on with its own box, and its code is kept as that box's."""
    refused = """
try:
    registry.game(name, box)
except ValueError:
"""
    own, hits = run(LOAD + refused + "    " + PLAY)
    assert (own != mine, hits) == (True, 0)
    assert run(PLAY_MINE) == [mine, 0]
    assert run(PLAY) == [own, 1]


@games
def test_code_is_kept_for_the_box_that_was_loaded_whatever_is_said_later(run, mine):
    in_force = 'os.environ[f"{name.upper()}_BOX"] = '
    later = f"{in_force}'another.toml'\nopen(box, 'a').write('# edited')\n"
    assert run(f"{in_force}box\n{LOAD}{later}{PLAY}") == [mine, 0]
    assert run(PLAY_MINE) == [mine, 1]
    own, hits = run(PLAY)
    assert (own != mine, hits) == (True, 0)
