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
OTHER, NAME = registry.names()[-2:]
VARIABLE = f"{NAME.upper()}_BOX"

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
from probe import first_position, registry

box = sys.argv[1]
"""
PLAY = f"print(*first_position({NAME!r}))\n"
PLAY_MINE = f"print(*first_position({NAME!r}, box))\n"
LOAD = f"import shakespeare_env.{NAME}.contract\n"


def test_code_is_kept_for_the_box_it_was_compiled_with(tmp_path):
    changes = knowledge.of(NAME, "box_changes")
    bundled = (registry.folder(NAME) / "box.toml").read_text(encoding="utf-8")
    boxes = [tmp_path / f"{number}.toml" for number in range(2)]
    for box, (text, _) in zip(boxes, changes.NEW, strict=True):
        box.write_text(bundled.replace(changes.OLD, text), encoding="utf-8")
    (tmp_path / "probe.py").write_text(PROBE)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        "SHAKESPEARE_CACHE": str(tmp_path / "cache"),
    }

    def run(number, script):
        """With one of two boxes; the fact, and how often code was loaded."""
        command = [sys.executable, "-c", SCRIPT + script, str(boxes[number])]
        said = subprocess.check_output(command, text=True, cwd=tmp_path, env=environment)
        return [int(word) for word in said.split()]

    (_, first), (_, second) = changes.NEW
    # A box that comes too late: the game goes on with its own, and the code is kept as that box's.
    refused = f"try:\n    registry.game({NAME!r}, box)\nexcept ValueError:\n    "
    own, hits = run(0, LOAD + refused + PLAY)
    assert (own not in (first, second), hits) == (True, 0)
    # A box named after another game has begun.
    assert run(0, f"registry.game({OTHER!r})\n{PLAY_MINE}") == [first, 0]
    assert run(0, PLAY) == [own, 1]
    # A box that was loaded before another was named and the file was edited.
    named = f"os.environ[{VARIABLE!r}] = "
    edited = f"{named}'another.toml'\nopen(box, 'a').write('# edited')\n"
    assert run(1, f"{named}box\n{LOAD}{edited}{PLAY}") == [second, 0]
    assert run(1, PLAY_MINE) == [second, 1]
