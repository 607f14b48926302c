"""`shakespeare arena`: a field plays, results last, and are reported, merged and replayed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from shakespeare_arena.results import opened
from shakespeare_env.datasets.reading import read_results
from tests.contract.command_line import SCREEN, printed, refused

FIELD = 'players = [2]\nagents = ["random", "greedy"]\ngames = 12\n'


@pytest.fixture(autouse=True)
def field(tmp_path, monkeypatch):
    """A small field in a folder to run in."""
    monkeypatch.chdir(tmp_path)
    path = Path("a[1]/field.toml")
    path.parent.mkdir()
    path.write_text(FIELD, encoding="utf-8-sig")  # as some editors write
    return path


def test_from_a_field_to_a_report_and_to_another_folder():
    out = printed("arena", "a[1]/field.toml", env=SCREEN)
    assert "greedy" in out
    assert "Stopped because" in out
    assert "shakespeare arena --report --results 'a[1]/field'" in " ".join(out.split())
    assert 12 <= len(read_results("a[1]/field")) < 40
    assert Path("a[1]/field/field.toml").read_text() == FIELD
    report = printed("arena", "--report", "--results", "a[1]/field", env=SCREEN)
    assert "Won, %" in report
    assert all(len(line) <= 80 for line in (out + report).splitlines())
    assert "greedy" in printed("replay", "a[1]/field", "--list")
    merge = ["arena", "--merge", "a[1]/field", "--results", "all"]
    assert "all: 0 new games" not in printed(*merge)
    assert "all: 0 new games" in printed(*merge)


def test_code_that_a_field_names_is_not_run_unasked(field):
    source = "open('was_run', 'w').close()\ndef act(o, m, r): return m.argmax(1)\n"
    (field.parent / "my.py").write_text(source)
    program = json.dumps([sys.executable, "-c", "open('was_run', 'w')"])
    for agent in (f"{{program = {program}}}", '"my.py:act"'):
        field.write_text(f'players = [2]\nagents = ["random", {agent}]\ngames = 4\n')
        assert "add --trust if you trust it" in refused("arena", "a[1]/field.toml")
        assert not list(Path.cwd().rglob("was_run"))
    printed("arena", "a[1]/field.toml", "--trust")
    assert (field.parent / "was_run").exists(), "paths start from the field's folder"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_not_utf8_are_used_as_they_are_written(field):
    """Old file systems and foreign archives have them."""
    folder = Path(os.fsdecode(b"caf\xe9"))
    field.parent.rename(folder)
    (folder / "my.py").write_text("def act(o, m, r): return m.argmax(1)\n")
    (folder / "field.toml").write_text(
        'players = [2]\nagents = ["random", "my.py:act"]\ngames = 4\n'
    )
    for _ in range(2):  # the second resumes it
        assert "Stopped because" in printed("arena", f"{folder}/field.toml", "--trust")
    assert "my.py:act" in printed("arena", "--report", "--results", f"{folder}/field")
    assert "my.py:act" in printed("replay", f"{folder}/field", "--list")
    printed("arena", "--merge", f"{folder}/field", "--results", f"{folder}/all")
    assert_frame_equal(read_results(folder / "all"), read_results(folder / "field"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.toml"], "missing.toml"),
        (["bad.toml"], "agent"),
        (["a[1]/field.toml", "--results", "bad.toml"], "bad.toml"),
        (["--report", "--results", "."], "."),
        (["--merge", ".", "--results", "x"], "."),
        (["--report"], "give a field"),
        (["--results", "empty"], "give one to be played"),
    ],
)
def test_what_is_wrong_is_said(words, said):
    Path("bad.toml").write_text('agent = ["random"]')
    with opened(Path("empty"), "figaro"):
        pass
    assert said in refused("arena", *words)
