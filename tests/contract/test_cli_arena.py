"""`shakespeare arena`: a field plays, results last, and are reported, merged and replayed."""

from __future__ import annotations

import json
import sys

import pytest

from shakespeare_agents.arena import tournament
from shakespeare_agents.arena.store import opened
from shakespeare_env import registry
from shakespeare_env.datasets.results_reading import read_results
from tests.contract.command_line import SCREEN, printed, refused, run


@pytest.fixture
def field(tmp_path, monkeypatch):
    """A small field in a folder to run in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "field.toml"
    path.write_text('players = [2]\nagents = ["random", "greedy"]\ngames = 40\n')
    return path


def test_from_a_field_to_a_page(field, tmp_path):
    out = printed("arena", "field.toml")
    assert "greedy" in out
    assert "Stopped because" in out
    assert "shakespeare arena report field" in " ".join(out.split())
    assert len(read_results("field")) >= 40
    assert (tmp_path / "field" / "field.toml").read_text() == field.read_text()
    told = printed("arena", "report", "field")
    assert "Written: field/report.html" in told
    page = (tmp_path / "field" / "report.html").read_text()
    assert "players = [2]" in page
    assert "shakespeare arena" in page
    assert "greedy" in printed("replay", "field", "--list")


def test_options_stand_in_for_the_fields(field):
    printed("arena", "field.toml", "--games", "12", "--results", "other")
    assert 12 <= len(read_results("other")) < 100
    printed("arena", "field.toml", "--minutes", "0.001", "--results", "short")


def test_tables_fit_a_screen(field):
    for words in (["arena", "field.toml"], ["arena", "report", "field"]):
        assert all(len(line) <= 80 for line in printed(*words, env=SCREEN).splitlines())


def test_it_resumes_after_ctrl_c(field, monkeypatch):
    def interrupted(*_given, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(tournament, "run_arena", interrupted)
        done = run("arena", "field.toml")
    assert done.exit_code == 130
    assert "To resume: shakespeare" in done.stderr
    printed("arena", "field.toml")


def test_code_that_a_field_names_is_not_run_unasked(field, tmp_path):
    source = "open('was_run', 'w').close()\ndef act(o, m, r): return m.argmax(1)\n"
    (tmp_path / "my.py").write_text(source)
    program = json.dumps([sys.executable, "-c", "open('was_run', 'w')"])
    for agent in ('"my.py:act"', f"{{program = {program}}}"):
        field.write_text(f'players = [2]\nagents = ["random", {agent}]\ngames = 4\n')
        said = refused("arena", "field.toml")
        assert "add --trust if you trust it" in said
        assert not (tmp_path / "was_run").exists()
    field.write_text('players = [2]\nagents = ["random", "my.py:act"]\ngames = 4\n')
    printed("arena", "field.toml", "--trust")
    assert (tmp_path / "was_run").exists()


def test_games_of_several_folders_are_merged(field):
    printed("arena", "field.toml")
    field.write_text(field.read_text() + "seed = 1\n")
    printed("arena", "field.toml", "--results", "there")
    games = len(read_results("field")) + len(read_results("there"))
    assert f"all: {games} new games." in printed(
        "arena", "merge", "field", "there", "--into", "all"
    )
    assert "0 new games" in printed("arena", "merge", "field", "--into", "all")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["arena", "missing.toml"], "there is no file missing.toml"),
        (["arena", "bad.toml"], "there is no setting agent"),
        (["arena", "field.toml", "--results", "bad.toml"], "is no folder"),
        (["arena", "field.toml", "--results", "."], "holds other things"),
        (["arena", "report", "."], "holds no results of an arena"),
        (["arena", "report", "empty"], "holds no finished game yet"),
        (["arena", "merge", ".", "--into", "x"], "holds no results of an arena"),
        (["arena", "merge", "empty", "--into", "bad.toml"], "is no folder"),
    ],
)
def test_what_is_wrong_is_said(field, tmp_path, words, said):
    (tmp_path / "bad.toml").write_text('agent = ["random"]')
    with opened(tmp_path / "empty", registry.DEFAULT):
        pass
    assert said in refused(*words)
