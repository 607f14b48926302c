"""The debug build, `SHAKESPEARE_BOUNDS=1`, checks every index of compiled rules."""

import json

import pytest

from tests.contract.compile.small_kernels import needs_compiler
from tests.contract.processes import run_script

pytestmark = needs_compiler

KERNELS = """
import numpy as np

from shakespeare_env.compile.cache import code_folder
from shakespeare_env.compile.decorators import kernel, rule

GAMES = np.zeros(4, [("cards", np.int8, (3, 5)), ("to_move", np.int8)])


@rule
def inside_a_rule(values, index):
    values[index] += 1


@kernel("probe")
def write(games, index):
    inside_a_rule(games[0]["cards"][1], index)


def outcome(index):
    try:
        write(GAMES, index)
    except IndexError:
        return "refused"
    return "played"
"""
REPORT = """
import json
from kernels import *

print(json.dumps({
    "folder": code_folder("probe", write).name,
    "outcomes": [outcome(4), outcome(5), outcome(-1)],
    "loaded": sum(write.stats.cache_hits.values()),
}))
"""
NOT_CHECKED = ["played", "played", "played"]
CHECKED = ["played", "refused", "refused"]


@pytest.fixture
def report(tmp_path):
    """A function that returns a build's report on three indices, the last two out of bounds."""
    (tmp_path / "kernels.py").write_text(KERNELS)

    def run(bounds):
        environment = {"SHAKESPEARE_CACHE": str(tmp_path / "cache"), "SHAKESPEARE_BOUNDS": bounds}
        return json.loads(run_script(REPORT, folder=tmp_path, **environment))

    return run


def test_an_index_out_of_bounds_is_an_error_in_the_debug_build_which_is_kept_apart(report):
    fast = report("")
    assert (fast["outcomes"], fast["loaded"]) == (NOT_CHECKED, 0)
    debug = report("1")
    assert (debug["outcomes"], debug["loaded"]) == (CHECKED, 0)
    assert debug["folder"] != fast["folder"]
    assert report("0") == {**fast, "loaded": 1}
