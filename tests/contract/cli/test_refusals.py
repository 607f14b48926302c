"""Refusals of commands: an exit code of 1 or 2 and a short message that names the fault."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from shakespeare_env import Position
from shakespeare_env.cli import COMMANDS, app
from shakespeare_env.core import registry
from tests.contract.command_line import output_of, refusal_of

GAME = registry.names()[-1]
MOST = registry.seats(GAME)[-1]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Something to read in a folder of its own, and nobody who plays."""
    monkeypatch.chdir(tmp_path)
    position = Position.new(GAME, players=registry.seats(GAME)[0]).to_dict()
    Path("game.jsonl").write_text(json.dumps({"position": position}))
    Path("wrong.json").write_text(json.dumps(position | {"to_move": 99}))
    Path("text.py").write_text("import this\n")


SEATED = [
    (["--players", "0"], "--players"),
    (["--players", "99"], "99"),
    (["--seed", "-1"], "--seed"),
    (["--option", "fast"], "fast"),
    (["--game", "chess"], "chess"),
    (["heuristc"], "heuristc"),
    (["random,x=1"], "'x'"),
    (["greedy,samples=many"], "samples"),
    (["random"] * 99, str(MOST)),
]
"""Refused by every command that seats agents."""


@pytest.mark.parametrize("command", ["watch", "play", "evaluate", "dataset"])
def test_tables_that_cannot_be(command):
    for arguments, named in SEATED:
        more = [] if command != "dataset" else ["--out", "dataset"]
        message = refusal_of(command, "--game", GAME, *more, *arguments)
        assert named in message, (arguments, message)
    assert not Path("dataset").exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["evalute"], "there is no command 'evalute' (did you mean 'evaluate'?)"),
        (["play", "--game", GAME, "--seat", "9"], "9"),
        (["evaluate", "--workers", "0"], "--workers"),
        (["evaluate", "random", "."], "checkpoint"),
        (["evaluate", "random", "--out", "no/such.json"], "no"),
        (["evaluate", "random", "--out", "."], "folder"),
        (["evaluate", "random", "--out", "circle.json"], "the link leads to itself"),
        (["check", "wrong.json"], "wrong.json"),
        (["replay", "."], "holds no results"),
        (["replay", "wrong.json"], "to_move"),
        (["replay", "nowhere.jsonl"], "nowhere.jsonl"),
        (["replay", "text.py"], "JSON"),
        (["replay", 999 * "long"], "longlong' cannot be read: File name too long"),
        (
            ["table", "--host", "192.0.2.1", "--games", "no/x.sqlite"],
            "no/x.sqlite cannot be written",
        ),
        (["arena", "--merge", "one", "two"], "--merge, given before each folder, copies its games"),
    ],
)
def test_what_is_wrong_is_named(arguments, named):
    Path("circle.json").symlink_to("circle.json")
    message = refusal_of(*arguments)
    assert named in message
    assert len(message) < 3000
    assert not Path("no").exists()


@pytest.mark.parametrize(
    "line",
    [
        b"\xff",
        b'{"position": ' + b"[" * 100_000,
        b'{"position": {"players": ' + b"9" * 10**6 + b"}}",
        b'{"position": {"players": 1e400}}',
        b'{"position": {}, "position": {}}',
        b'{"position": {"game": "\\ud800"}}',
        b" " * 2**27,
    ],
    ids=lambda line: repr(line[:20]),
)
def test_a_game_in_lines_that_are_none(line):
    """Nor is a small packed file unpacked beyond a game."""
    Path("bad.jsonl").write_bytes(line)
    Path("bad.jsonl.gz").write_bytes(gzip.compress(line))
    Path("cut.jsonl.gz").write_bytes(gzip.compress(line)[:-9])
    for name in ("bad.jsonl", "bad.jsonl.gz", "cut.jsonl.gz"):
        assert name in refusal_of("replay", name)


MODES: dict[str, dict[str, str]] = {
    "play": {},
    "watch": {},
    "table": {},
    "evaluate": {},
    "measure": {},
    "exploit": {},
    "adopt": {},
    "dataset": {},
    "export": {},
    "mcp": {},
    "arena": {
        "--merge one --results all": "--report --game",
        "--report --results all": "--merge --game",
        "--report arena.toml": "--merge --results --game ARENA.toml",
    },
    "train": {
        "--resume run": "--decisions --minutes --device --processes --workers --ray --callback "
        "--trust",
        "--print-config": "--config --game --decisions --minutes --seed --set --start --resume",
    },
    "replay": {
        "game.jsonl": "--game-id --seat --at --list --page --instead",
        "game.jsonl --list": "--game-id --seat --page --instead",
        "game.jsonl --page game.html": "--game-id --seat",
        "game.jsonl --at 0 --instead x": "--game-id --page --continuations --seed AGENT",
    },
    "findings": {
        "--report answers": "--out --sample",
        "--sample 1 --out boxes": "--groups --seed --game",
    },
    "check": {
        "--actions": "--game",
        "--observation": "--game --actions",
        "my.py:GAME": "[BOX.toml|FILE.py:GAME ...] --actions --observation",
    },
}
"""The modes of every command: the arguments that choose one, and others that it reads, or that
choose another mode.  A command without modes reads all of its arguments."""


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_mode_does_not_read_is_refused(command):
    """An argument that is dropped without a word was meant to change something."""
    commands: Any = typer.main.get_command(app)
    for mode, read in MODES[command].items():
        for parameter in commands.get_command(None, command).params:
            is_option = parameter.param_type_name == "option"
            name = parameter.opts[0] if is_option else parameter.metavar
            given = ["1"] if not is_option else [name] if parameter.is_flag else [name, "1"]
            chooses = name in mode or (not is_option and parameter.required)
            if not chooses and name not in read and name != "--help":
                message = refusal_of(command, *mode.split(), *given)
                assert f"{name}: " in message, given
                assert f"so {name} would have no effect; leave it out" in message
    assert not list(Path().glob("*/"))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("train --trust my.py:agent", "--trust"),
        ("findings --out answers --groups costs", "--groups"),
        ("arena arena.toml --results all --report", "ARENA.toml"),
    ],
)
def test_what_only_another_mode_reads_is_refused(words, name):
    assert f"{name}: " in refusal_of(*words.split())


def test_ray_that_is_not_installed_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    message = refusal_of("evaluate", "random", "--game", GAME, "--games", "4", "--ray", "auto")
    assert "pip install -e '.[ray]'" in message


ESTIMATOR = """
class Estimator:
    def act(self, observations, masks, rng):
        return masks.argmax(axis=1)

    def values(self, observations):
        raise ConnectionRefusedError(111, "Connection refused")
"""


def test_an_agents_own_os_error_is_not_told_as_a_full_disk():
    Path("mine.py").write_text(ESTIMATOR)
    seated = ["mine.py:Estimator", "random", "--game", GAME, "--players", str(MOST)]
    said = refusal_of("dataset", *seated, "--games", "3", "--out", "games")
    assert "Error: The agent mine.py:Estimator failed to estimate" in said
    assert 'mine.py", line 7, in values' in said
    assert "cannot be written" not in said


FAULTY = """
def pipe(observations, masks, rng):
    raise BrokenPipeError(32, "Broken pipe")

def stop(observations, masks, rng):
    raise StopIteration("no more moves")
"""


@pytest.mark.parametrize(
    ("name", "fault"),
    [("pipe", "BrokenPipeError: [Errno 32]"), ("stop", "StopIteration: no more moves")],
)
def test_whatever_an_agent_raises_is_told_as_its_fault(name, fault):
    """Click would end without a word at a broken pipe, and Python replaces StopIteration."""
    Path("mine.py").write_text(FAULTY)
    agents = [f"mine.py:{name}", "random", "--game", GAME, "--players", str(MOST)]
    said = refusal_of("evaluate", *agents, "--games", "3")
    assert f"Error: The agent mine.py:{name} failed to decide in" in said
    assert fault in said
    assert f"in {name}" in said
    assert "generator" not in said
    told = output_of("dataset", *agents, "--games", "3", "--out", "games")
    assert f"mine.py:{name} has forfeited 6 of these games, for example: " in told
    assert fault in told
