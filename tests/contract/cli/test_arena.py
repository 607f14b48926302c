"""`shakespeare arena`: agents play, results last, and are reported, merged and replayed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from shakespeare_arena.games.results import open_results
from shakespeare_env.datasets.reading import read_results
from tests.contract.command_line import SCREEN, output_of, refusal_of

CONFIG = 'players = [2]\nagents = ["random", "greedy"]\ngames = 12\n'


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    """A small arena's file in a folder to run in."""
    monkeypatch.chdir(tmp_path)
    path = Path("a[1]/arena.toml")
    path.parent.mkdir()
    path.write_text(CONFIG, encoding="utf-8-sig")  # as some editors write
    return path


def test_from_a_file_to_a_report_and_to_another_folder():
    out = output_of("arena", "a[1]/arena.toml", env=SCREEN)
    assert "greedy" in out
    assert "Stopped because" in out
    assert "shakespeare arena --report --results 'a[1]/arena'" in " ".join(out.split())
    assert 12 <= len(read_results("a[1]/arena")) < 40
    assert Path("a[1]/arena/arena.toml").read_text() == CONFIG
    report = output_of("arena", "--report", "--results", "a[1]/arena", env=SCREEN)
    assert "Won, %" in report
    assert all(len(line) <= 80 for line in (out + report).splitlines())
    assert "greedy" in output_of("replay", "a[1]/arena", "--list")
    merge = ["arena", "--merge", "a[1]/arena", "--results", "all"]
    assert "all: 0 new games" not in output_of(*merge)
    assert "all: 0 new games" in output_of(*merge)


def test_code_that_the_file_names_is_not_run_unasked(config):
    source = "open('was_run', 'w').close()\ndef act(o, m, r): return m.argmax(1)\n"
    (config.parent / "my.py").write_text(source)
    program = json.dumps([sys.executable, "-c", "open('was_run', 'w')"])
    for agent in (f"{{program = {program}}}", '"my.py:act"'):
        config.write_text(f'players = [2]\nagents = ["random", {agent}]\ngames = 4\n')
        assert "add --trust if you trust it" in refusal_of("arena", "a[1]/arena.toml")
        assert not list(Path.cwd().rglob("was_run"))
    output_of("arena", "a[1]/arena.toml", "--trust")
    assert (config.parent / "was_run").exists(), "paths start from the file's folder"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_not_utf8_are_used_as_they_are_written(config):
    """Old file systems and foreign archives have them."""
    folder = Path(os.fsdecode(b"caf\xe9"))
    config.parent.rename(folder)
    (folder / "my.py").write_text("def act(o, m, r): return m.argmax(1)\n")
    (folder / "arena.toml").write_text(
        'players = [2]\nagents = ["random", "my.py:act"]\ngames = 4\n'
    )
    for _ in range(2):  # the second resumes it
        assert "Stopped because" in output_of("arena", f"{folder}/arena.toml", "--trust")
    assert "my.py:act" in output_of("arena", "--report", "--results", f"{folder}/arena")
    assert "my.py:act" in output_of("replay", f"{folder}/arena", "--list")
    output_of("arena", "--merge", f"{folder}/arena", "--results", f"{folder}/all")
    assert_frame_equal(read_results(folder / "all"), read_results(folder / "arena"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.toml"], "missing.toml"),
        (["bad.toml"], "agent"),
        (["a[1]/arena.toml", "--results", "bad.toml"], "bad.toml"),
        (["--report", "--results", "."], "."),
        (["--merge", ".", "--results", "x"], "."),
        (["--report"], "give the file of an arena"),
        (["--results", "empty"], "give the file of the arena to play"),
    ],
)
def test_what_is_wrong_is_said(words, said):
    Path("bad.toml").write_text('agent = ["random"]')
    with open_results(Path("empty"), "figaro"):
        pass
    assert said in refusal_of("arena", *words)
