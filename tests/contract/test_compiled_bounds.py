"""SHAKESPEARE_BOUNDS=1 compiles a debug build in which an index out of bounds is an IndexError."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)

KERNELS = """
import json
import traceback

import numpy as np

from shakespeare_env.compiled import code_folder, kernel, rule
from shakespeare_env.thread_pool import ThreadPool

GAMES = np.zeros(4, [("cards", np.int8, (3, 5)), ("to_move", np.int8)])


@rule
def inside_a_rule(values, index):
    values[index] += 1


@kernel("probe")
def in_a_rule(games, index):
    inside_a_rule(games[0]["cards"][1], index)


@kernel("probe")
def write(games, index):
    games[0]["cards"][1][index] = 1


@kernel("probe")
def by_a_small_number(games, index):
    games[index]["to_move"] = games[0]["cards"][1, np.int8(index)]


SIZES = {in_a_rule: 5, write: 5, by_a_small_number: 4}


def said(call):
    try:
        call()
    except IndexError as fault:
        return traceback.extract_tb(fault.__traceback__)[-1].line
    return "played"


def share(first, last):
    if first > 0:
        write(GAMES, 5)


"""


def run(folder, script, **environment):
    """What a script about the kernels prints as JSON, in a process of its own."""
    file = folder / "kernels.py"
    file.write_text(f"{KERNELS}print(json.dumps({script}))\n")
    done = subprocess.run(
        [sys.executable, file.name],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "SHAKESPEARE_CACHE": str(folder),
            "SHAKESPEARE_BOUNDS": "",
            **environment,
        },
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_index_out_of_bounds_is_an_error_wherever_it_is_used(tmp_path):
    """Below 0 and in any thread, too, and with the line that it is in; compiled, then loaded."""
    script = """[
        [said(lambda: use(GAMES, size - 1)) for use, size in SIZES.items()],
        [said(lambda: use(GAMES, size)) for use, size in SIZES.items()],
        [said(lambda: use(GAMES, -1)) for use in SIZES],
        said(lambda: ThreadPool(2).share(2, share)),
    ]"""
    for _ in range(2):
        last, beyond, below, in_thread = run(tmp_path, script, SHAKESPEARE_BOUNDS="1")
        assert set(last) == {"played"}
        assert "played" not in beyond + below
        assert below[0] == "values[index] += 1"
        assert below[1] == in_thread == 'games[0]["cards"][1][index] = 1'


def test_checked_and_fast_code_are_kept_apart(tmp_path):
    """And what NUMBA_BOUNDSCHECK makes of either is kept as neither."""
    folder = 'code_folder("probe", write).name'
    loaded = "sum(write.stats.cache_hits.values())"
    script = f'[{folder}, said(lambda: write(GAMES, -1)) == "played", {loaded}]'
    fast, played, _ = run(tmp_path, script)
    assert played
    for hits in (0, 1):
        checked, played, loaded = run(tmp_path, script, SHAKESPEARE_BOUNDS="1")
        assert checked != fast
        assert (played, loaded) == (False, hits)
    assert run(tmp_path, script, NUMBA_BOUNDSCHECK="1")[2] == 0
    assert run(tmp_path, script, SHAKESPEARE_BOUNDS="0") == [fast, True, 1]
