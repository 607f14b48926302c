"""An edit of a rule is played by the next process, compiled code or not."""

import os
import shutil
import subprocess
import sys

import numba
import pytest

from shakespeare_env.compile.decorators import PACKAGE, code_folder
from shakespeare_env.core import kernels, registry

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
    ),
]

SEEN = """
import numpy as np
from shakespeare_env import registry
from shakespeare_env.core.kernels import kernels_of
game = registry.game("shakespeare")
games, seen = np.zeros(1, game.state), np.zeros((1, game.layout.size), np.int8)
games["players"], games["prestige"] = 1, 4
kernels_of(game).observe(games, np.zeros(1, np.int64), np.zeros(1, np.int8), seen)
print(*seen[0, game.layout["seat0.prestige"].slice])
"""
"""The prestige that a seat sees: of the game's kernels the one that compiles in a few seconds."""


@pytest.fixture
def checkout(tmp_path):
    """A copy of the package, with the code that is compiled already."""
    game = registry.game("shakespeare")
    kernels.compile_all(game)
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    kept = code_folder(game.name, kernels._build, *kernels._functions(game))
    if kept is not None:
        shutil.copytree(kept, tmp_path / "cache" / "shakespeare-env" / kept.name)
    return tmp_path


def run(checkout, script):
    """Run a script in a process of its own; (what it prints, what it says on stderr)."""
    file = checkout / "script.py"
    file.write_text(script)
    done = subprocess.run(
        [sys.executable, file.name],
        capture_output=True,
        text=True,
        check=False,
        cwd=checkout,
        env={
            **os.environ,
            "PYTHONPATH": str(checkout),
            # Python itself knows a source by its date and size, and would run the old bytecode.
            "PYTHONDONTWRITEBYTECODE": "1",
            "SHAKESPEARE_CACHE": str(checkout / "cache"),
        },
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def edit(file, old, new):
    """Replace a text by one of the same length; size and date of the file stay what they were."""
    status, content = file.stat(), file.read_text(encoding="utf-8")
    assert content.count(old) == 1
    assert len(old) == len(new)
    file.write_text(content.replace(old, new), encoding="utf-8")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_size == status.st_size
    assert file.stat().st_mtime_ns == status.st_mtime_ns


def files_below(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_rule_changed_in_a_callee_is_the_rule_of_the_next_process(checkout):
    """After an edit that changes neither size nor date of the file."""
    kept = files_below(checkout / "cache")
    assert run(checkout, SEEN) == ("4", "")
    assert files_below(checkout / "cache") == kept
    observe = checkout / PACKAGE.name / "shakespeare" / "record" / "observe.py"
    edit(observe, 'clipped(game["prestige"][seat])', "clipped(7                     )")
    prestige, said = run(checkout, SEEN)
    assert prestige == "7"
    assert "compiling Shakespeare's rules (what a seat sees)" in said
    edit(observe, "clipped(7                     )", 'clipped(game["prestige"][seat])')
    assert run(checkout, SEEN) == ("4", "")
