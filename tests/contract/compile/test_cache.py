"""Machine code is kept on disk and loaded from there as it was compiled."""

import os
import subprocess
import sys
from typing import Any

import pytest

from shakespeare_env.compile.decorators import compile_seconds
from tests.contract.compile.small_kernels import first_call, needs_compiler, thrice

pytestmark = needs_compiler


def test_code_is_loaded_the_next_time_and_its_files_stay_as_they_are(cache_folder):
    assert first_call() == (6, 0)
    kept = {file: file.read_bytes() for file in cache_folder.rglob("*.nb?")}
    assert kept
    assert first_call() == (6, 1)
    assert {file: file.read_bytes() for file in cache_folder.rglob("*.nb?")} == kept


def test_code_is_kept_by_owner_and_by_function(cache_folder):
    assert first_call() == (6, 0)
    assert first_call("other") == (6, 0)
    assert first_call(function=thrice) == (9, 0)
    assert first_call() == (6, 1)


def test_compiling_is_announced_and_timed_and_loading_is_not(cache_folder, capsys):
    before = compile_seconds()
    first_call()
    printed = capsys.readouterr()
    assert "compiling probe" in printed.err
    assert printed.out == ""
    spent = compile_seconds()
    assert spent > before

    first_call()
    assert capsys.readouterr() == ("", "")
    assert compile_seconds() == spent


def test_damaged_code_is_compiled_anew(cache_folder):
    first_call()
    for file in cache_folder.rglob("*.nb?"):
        file.write_bytes(b"damaged")
    with pytest.warns(RuntimeWarning, match=str(cache_folder)):
        assert first_call() == (6, 0)
    assert first_call() == (6, 1)


def test_a_folder_that_cannot_be_written_to_costs_a_warning(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="SHAKESPEARE_CACHE"):
        assert first_call() == (6, 0)


DOUBLED = """
from shakespeare_env.compile.decorators import kernel

@kernel("turns")
def doubled(n):
    return 2 * n

if __name__ == "__main__":
    print("ready", flush=True)
    input()
    assert doubled(4) == 8
    print(sum(doubled.stats.cache_misses.values()), sum(doubled.stats.cache_hits.values()))
"""


def test_of_two_processes_one_compiles(tmp_path):
    script = tmp_path / "turns.py"
    script.write_text(DOUBLED)
    environment = {**os.environ, "SHAKESPEARE_CACHE": str(tmp_path / "cache")}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, str(script)]
    started: list[Any] = [subprocess.Popen(command, env=environment, **pipes) for _ in range(2)]
    assert [process.stdout.readline() for process in started] == ["ready\n"] * 2
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    misses_and_hits = sorted(process.communicate()[0].split() for process in started)
    assert misses_and_hits == [["0", "1"], ["1", "0"]]


CLOSURES = """
import sys

import numpy as np

from shakespeare_env.compile.decorators import kernel, rule

def adding(number):
    @rule
    def add(values, at):  # too long to be put into its callers
        for i in range(len(values)):
            for j in range(at, len(values)):
                if values[j] % 7 == i % 3:
                    values[i] += number
                elif values[i] > 10**6:
                    values[i] //= number + j
                elif values[i] % number == at:
                    values[j] = values[i] * 3 + at
                else:
                    values[j] -= values[i] // (j + number)
        return values.sum()

    @kernel(f"adding-{number}")
    def add_often(values):
        total = 0
        for i in range(3):
            total += add(values, i) + add(values[1:], i + 1)
            if total % 2:
                total -= add(values[2:], 1) * add(values[3:], 2)
        return total

    return add_often

print(*(adding(int(number))(np.arange(9)) for number in sys.argv[1:]))
"""


def test_closures_of_one_name_from_several_processes_are_told_apart(tmp_path):
    script = tmp_path / "closures.py"
    script.write_text(CLOSURES)

    def printed(*numbers, **environment):
        kept = {"SHAKESPEARE_CACHE": str(tmp_path / "cache")}
        command = [sys.executable, "-W", "ignore", str(script), *numbers]
        env = {**os.environ, **kept, **environment}
        return subprocess.check_output(command, env=env, text=True).split()

    expected = printed("2", "7", NUMBA_DISABLE_JIT="1")
    assert printed("2") + printed("7") == expected
    assert printed("7", "2") == expected[::-1]
