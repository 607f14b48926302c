"""Machine code is compiled once on a machine, however many processes need it at once."""

import os
import subprocess
import sys
import time

import numba
import pytest

from shakespeare_env.compiled_turns import Turns

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT) or sys.platform == "win32",
    reason="nothing is compiled, or nothing locked",
)

SOURCE = """
from shakespeare_env.compiled import kernel

@kernel("turns")
def total(n):
    found = 0
    for i in range(n):
        found += i * i
    return found
"""
WORKER = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[1])
from summing import total
pathlib.Path(sys.argv[2]).touch()
while not pathlib.Path(sys.argv[1], "go").exists():
    time.sleep(0.001)
assert total(4) == 14
print(sum(total.stats.cache_misses.values()), sum(total.stats.cache_hits.values()))
"""


def test_of_several_processes_one_compiles(tmp_path):
    (tmp_path / "summing.py").write_text(SOURCE)
    environment = {**os.environ, "SHAKESPEARE_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    ready = [tmp_path / f"ready-{number}" for number in range(3)]
    started = [
        subprocess.Popen([*command, str(file)], env=environment, stdout=subprocess.PIPE, text=True)
        for file in ready
    ]
    while not all(file.exists() for file in ready):
        assert all(process.poll() is None for process in started)
        time.sleep(0.01)
    (tmp_path / "go").touch()
    told = sorted(process.communicate()[0].split() for process in started)
    assert told == [["0", "1"], ["0", "1"], ["1", "0"]]
    assert not list((tmp_path / "cache").rglob("*.turn"))


def test_a_turn_ends_with_its_process_and_is_nobodys_twice(tmp_path):
    made, turns = tmp_path / "a.code", Turns()
    hold = (
        "import sys, pathlib; from shakespeare_env.compiled_turns import Turns\n"
        "turns = Turns(); turns.wait(pathlib.Path(sys.argv[1])); print('mine', flush=True)\n"
        "sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", hold, str(made)], **pipes) as other:  # type: ignore[call-overload]
        assert other.stdout.readline() == b"mine\n"
        other.kill()
    turns.wait(made)
    assert turns._held
    turns.end()
    assert not turns._held
    assert not list(tmp_path.iterdir())
