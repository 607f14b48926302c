"""SHAKESPEARE_BOUNDS=1 compiles a debug build in which an index out of bounds is an IndexError."""

import json

import numba
import pytest

from tests.contract.processes import said_by

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)

KERNELS = """
import numpy as np

from shakespeare_env.compile.decorators import code_folder, kernel, rule

GAMES = np.zeros(4, [("cards", np.int8, (3, 5)), ("to_move", np.int8)])


@rule
def inside_a_rule(values, index):
    values[index] += 1


@kernel("probe")
def write(games, index):
    inside_a_rule(games[0]["cards"][1], index)


def said(index):
    try:
        write(GAMES, index)
    except IndexError:
        return "refused"
    return "played"
"""
ABOUT = """[
    code_folder("probe", write).name, said(4), said(5), sum(write.stats.cache_hits.values())
]"""


def test_an_index_out_of_bounds_is_an_error_in_code_that_is_kept_apart(tmp_path):
    """What NUMBA_BOUNDSCHECK makes is kept as neither."""
    (tmp_path / "kernels.py").write_text(KERNELS)

    def run(script, **environment):
        script = f"import json\nfrom kernels import *\nprint(json.dumps({script}))"
        kept = {"SHAKESPEARE_CACHE": str(tmp_path / "cache"), "SHAKESPEARE_BOUNDS": ""}
        return json.loads(said_by(script, folder=tmp_path, **{**kept, **environment}))

    fast, played, outside, _ = run(ABOUT)
    assert (played, outside) == ("played", "played")
    for hits in (0, 1):
        checked, *rest = run(ABOUT, SHAKESPEARE_BOUNDS="1")
        assert checked != fast
        assert rest == ["played", "refused", hits]
    assert run(ABOUT, NUMBA_BOUNDSCHECK="1")[3] == 0
    assert run(ABOUT, SHAKESPEARE_BOUNDS="0") == [fast, "played", "played", 1]
