"""SHAKESPEARE_BOUNDS=1 compiles a debug build in which an index out of bounds is an IndexError."""

import json

import numba
import pytest

from tests.contract.processes import said_by

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)

KERNELS = """
import json
import traceback

import numpy as np

from shakespeare_env.compile.decorators import code_folder, kernel, rule
from shakespeare_env.core.thread_pool import ThreadPool

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


def run_kernels(folder, script, **environment):
    """What a script about the kernels says."""
    (folder / "kernels.py").write_text(KERNELS)
    script = f"from kernels import *\nprint(json.dumps({script}))"
    kept = {"SHAKESPEARE_CACHE": str(folder / "cache"), "SHAKESPEARE_BOUNDS": ""}
    return json.loads(said_by(script, folder=folder, **{**kept, **environment}))


def test_an_index_out_of_bounds_is_an_error_in_code_that_is_kept_apart(tmp_path):
    """Wherever it is used, and with its line; what NUMBA_BOUNDSCHECK makes is kept as neither."""
    about = '[code_folder("probe", write).name, said(lambda: write(GAMES, -1)) == "played"]'
    script = f"[*{about}, sum(write.stats.cache_hits.values())]"
    fast, played, _ = run_kernels(tmp_path, script)
    assert played
    lines = """[
        said(lambda: in_a_rule(GAMES, 4)),
        said(lambda: in_a_rule(GAMES, 5)),
        said(lambda: in_a_rule(GAMES, -1)),
        said(lambda: ThreadPool(2).share(2, share)),
    ]"""
    inside, outside = "values[index] += 1", 'games[0]["cards"][1][index] = 1'
    for hits in (0, 1):
        checked, *rest = run_kernels(tmp_path, f"{script} + {lines}", SHAKESPEARE_BOUNDS="1")
        assert checked != fast
        assert rest == [False, hits, "played", inside, inside, outside]
    assert run_kernels(tmp_path, script, NUMBA_BOUNDSCHECK="1")[2] == 0
    assert run_kernels(tmp_path, script, SHAKESPEARE_BOUNDS="0") == [fast, True, 1]
