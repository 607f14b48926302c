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
    """Run a script that knows one of two boxes; the fact, and how often code was loaded."""
    changes = knowledge.of(name, "box_changes")
    bundled = (ROOT / "shakespeare_env" / name / "box.toml").read_text(encoding="utf-8")
    boxes = [tmp_path / f"{number}.toml" for number in range(2)]
    for box, (text, _) in zip(boxes, changes.NEW, strict=True):
        box.write_text(bundled.replace(changes.OLD, text), encoding="utf-8")
    (tmp_path / "probe.py").write_text(PROBE)
    other = GAMES[GAMES.index(name) - 1]

    def run(number, script):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT + script, name, other, str(boxes[number])],
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


@games
def test_code_is_kept_for_the_box_it_was_compiled_with(run, name):
    (_, first), (_, second) = knowledge.of(name, "box_changes").NEW
    # A box that comes too late: the game goes on with its own, and the code is kept as that box's.
    refused = "try:\n    registry.game(name, box)\nexcept ValueError:\n    "
    own, hits = run(0, LOAD + refused + PLAY)
    assert (own not in (first, second), hits) == (True, 0)
    # A box named after another game has begun.
    assert run(0, BEGIN_ANOTHER + PLAY_MINE) == [first, 0]
    assert run(0, PLAY_MINE) == [first, 1]
    assert run(0, BEGIN_ANOTHER + PLAY) == [own, 1]
    # A box that was loaded before another was named and the file was edited.
    in_force = 'os.environ[f"{name.upper()}_BOX"] = '
    later = f"{in_force}'another.toml'\nopen(box, 'a').write('# edited')\n"
    assert run(1, f"{in_force}box\n{LOAD}{later}{PLAY}") == [second, 0]
    assert run(1, PLAY_MINE) == [second, 1]
