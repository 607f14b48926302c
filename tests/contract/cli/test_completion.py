"""What the shell gets when a key asks it to complete a command."""

from __future__ import annotations

import json

import pytest

from shakespeare_env.cli import COMMANDS
from shakespeare_env.core import registry
from tests.contract.command_line import printed
from tests.contract.processes import said_by


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Checkpoints and Python files, which would say so if they were run."""
    for name in ("runs/first", "runs/second", "runs/.hidden"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "card.json").write_text("{}")
    code = "open('was_run', 'w')\nclass Mine: ...\ndef mine_too(): ...\ndef _ours(): ...\nx = 1\n"
    (tmp_path / "my_player.py").write_text(code)
    (tmp_path / "broken.py").write_text("= =\n")
    (tmp_path / "notes.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked_by_bash(*words):
    """Its variables; the last word is what has been typed of it."""
    told = {"COMP_WORDS": "\n".join(["shakespeare", *words]), "COMP_CWORD": str(len(words))}
    return {**told, "_SHAKESPEARE_COMPLETE": "complete_bash"}


def bash(*words):
    return printed(env=asked_by_bash(*words), prog_name="shakespeare").split()


def test_commands(folder):
    known = " ".join(COMMANDS).split()
    assert bash("")[: len(known)] == known
    assert bash("ev") == ["evaluate"]


def test_agents(folder):
    assert bash("play", "")[:4] == ["random", "greedy", "heuristic", "network"]
    for command in ("play", "watch", "evaluate", "dataset"):
        assert bash(command, "heu") == ["heuristic"]
    assert bash("replay", "game.jsonl", "heu") == ["heuristic"]
    assert bash("play", "r") == ["random", "runs/"]
    assert bash("play", "runs/") == ["runs/first", "runs/second"]
    assert bash("play", "random", f"{folder}/runs/f") == [f"{folder}/runs/first"]
    assert bash("play", "my") == ["my_player.py:Mine", "my_player.py:mine_too"]
    assert bash("play", "no/such/") == bash("play", "br") == bash("play", "notes") == []
    assert not (folder / "was_run").exists()


def test_words_that_bash_breaks(folder):
    """It gives `my.py:A` as three words, and replaces the last of them."""
    assert bash("play", "my_player.py", ":", "M") == ["Mine"]
    assert bash("play", "my_player.py", ":") == ["Mine", "mine_too"]
    assert bash("play", "my_player.py", ":", "Mine", "heu") == ["heuristic"]
    assert bash("play", "my_player.py:M") == ["my_player.py:Mine"]  # where it does not break words
    assert bash("play", "--game", "=", "fig") == ["figaro"]
    assert bash("play", "--game", "=") == [*registry.names()]
    assert bash("watch", "greedy,samples", "=", "4", "heu") == ["heuristic"]
    assert bash("train", "--set", "width", "=", "64", "--de") == ["--decisions", "--device"]


def test_games_settings_and_options(folder):
    (folder / "mine.toml").write_text("")
    assert bash("train", "--config", "") == ["expert_iteration", "ppo", "mine.toml", "runs/"]
    assert bash("train", "--game", "figaro", "--config", "p") == ["ppo"]
    assert bash("train", "--config", "no/such/") == []
    for command in ("play", "check", "train", "actions"):
        assert bash(command, "--game", "fig") == ["figaro"]
    for name in registry.names():
        options = list(registry.game(name).options)
        assert bash("watch", "--game", name, "--option", "") == options
    assert bash("watch", "--option", "str") == ["strategic_rest"]
    assert bash("watch", "--game", "chess", "--option", "") == []
    assert {"--players", "--seed", "--option", "--threads"} <= {*bash("evaluate", "--")}
    assert bash("train", "--set", "learning_rate_") == ["learning_rate_end="]


def test_a_variable_that_names_no_game_completes_nothing(monkeypatch):
    monkeypatch.setattr(registry, "_others_found", False)
    monkeypatch.setenv(registry.GAMES_VARIABLE, "nowhere.py:GAME")
    assert bash("play", "--game", "fig") == []


ASKING = """
import contextlib, io, json, os, sys
from shakespeare_env.cli import app
for asked, arguments in json.loads(sys.argv[1]):
    os.environ.update(asked)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            app(arguments, prog_name="shakespeare")
        except SystemExit as left:
            assert not left.code, (asked, arguments)
    for variable in asked:
        del os.environ[variable]
    assert out.getvalue(), (asked, arguments)
    slow = {"numba", "torch", "polars", "matplotlib"} & {*sys.modules}
    assert not slow, (asked, arguments, slow)
"""


def test_neither_completing_nor_help_imports_the_compiler_or_torch():
    calls: list[tuple[dict[str, str], list[str]]] = [({}, ["--help"]), ({}, ["--version"])]
    for command in COMMANDS:
        words = command.split()
        typed = ["--set", "learning"] if command == "train" else ["heu"]
        calls += [(asked_by_bash(*words, "--"), []), (asked_by_bash(*words, *typed), [])]
        calls.append(({}, [*words, "--help"]))
    said_by(ASKING, json.dumps(calls))
