"""What the commands refuse: an exit code of 1 or 2 and a short message that names the fault."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

from shakespeare_env import Position
from shakespeare_env.cli.protocol import MOST_BYTES
from shakespeare_env.core import registry
from tests.contract.command_line import refused

GAME = registry.names()[-1]
MOST = registry.seats(GAME)[-1]
GAMES = ", ".join(registry.names())


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
    (["--players", "99"], f"3 to {MOST} seats"),
    (["--seed", "-1"], "--seed"),
    (["--seed", str(2**64)], "--seed"),
    (["--option", "fast"], "its options: none"),
    (["--game", "chess"], GAMES),
    (["heuristc"], "'heuristc' (did you mean 'heuristic'?)"),
    ([""], "an agent needs a name"),
    (["x" * 5000], "there is no agent or folder"),
    (["random,x=1"], "no option 'x'"),
    (["greedy,samples=many"], "samples='many'"),
    (["random"] * 99, f"players for {MOST} seats"),
]
"""Refused by every command that seats agents."""


@pytest.mark.parametrize("command", ["watch", "play", "evaluate", "dataset"])
def test_tables_that_cannot_be(command):
    for arguments, said in SEATED:
        more = [] if command != "dataset" else ["--out", "dataset"]
        message = refused(command, "--game", GAME, *more, *arguments)
        assert said in message, (arguments, message)
    assert not Path("dataset").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evalute"], "there is no command 'evalute' (did you mean 'evaluate'?); give one of"),
        (["xyzzy"], "there is no command 'xyzzy'; give one of watch, play"),
        (["\0"], "there is no command"),
        (["watch", "--game", "shakespear"], "'shakespear' (did you mean 'shakespeare'?)"),
        (["watch", "--option", "strategic_rests"], "(did you mean 'strategic_rest'?)"),
        (["watch", "--playrs", "3"], "--players"),
        (["watch", "--moves", "few"], "'all'"),
        (["watch", "--delay", "x"], "number"),
        (
            ["watch", "--game", GAME, "--draw-at", "weather"],
            registry.game(GAME).presentation.chapter,
        ),
        (["play", "--game", GAME, "--seat", "9"], f"no seat 9; the seats are 0 to {MOST - 1}"),
        (["train", "--set", "learning_rat=1"], "there is no setting learning_rat"),
        (["train", "--set", "game=figarro"], "no such game (did you mean 'figaro'?)"),
        (["evaluate", "--games", "x"], "whole number"),
        (["evaluate", "--games", "100000001"], "--games"),
        (["evaluate", "--threads", "0"], "--threads"),
        (["evaluate", "random", "."], "is it a checkpoint?"),
        (["evaluate", "random", "--out", "no/such.json"], "there is no folder"),
        (["evaluate", "random", "--out", "."], "it is a folder; give the name of a file"),
        (["evaluate", "random", "--out", "/dev/null"], "a device or a pipe"),
        (["--game", GAME, "play"], f"options stand after it: shakespeare play --game {GAME}"),
        (["--seed=1"], "options stand after it: shakespeare COMMAND --seed=1"),
        (["actions", "--game", "chess"], GAMES),
        (["show", "nowhere.json"], "nowhere.json"),
        (["show", "."], "cannot read"),
        (["show", "/dev/zero"], "/dev/zero"),
        (["show", "wrong.json"], "to_move"),
        (["replay", "nowhere.jsonl"], "there is no file or folder 'nowhere.jsonl'"),
        (["replay", "text.py"], "is not JSON: expecting value at character 1; give a game that"),
        (["replay", "\udcff"], "there is no file"),
    ],
)
def test_what_is_wrong_is_named_in_plain_words(arguments, said):
    message = refused(*arguments)
    assert said in message
    assert len(message) < 3000
    assert "Errno" not in message
    assert "Input should" not in message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "is empty"),
        (b"\xff", "line 1 is not UTF-8"),
        (b'{"position": ' + b"[" * 100_000, "line 1 is not JSON"),
        (b'{"position": {"players": ' + b"9" * 10**6 + b"}}", "more than 1000 digits"),
        (b'{"position": {"players": 1e400}}', "is not finite"),
        (b'{"position": {}, "position": {}}', "stands twice"),
        (b" " * (MOST_BYTES + 1), "line 1 is longer than"),
        (b'{"position": {"game": "\\ud800"}}', "there is no game"),
    ],
)
def test_a_game_in_lines_that_are_none(line, said):
    Path("bad.jsonl").write_bytes(line)
    Path("bad.jsonl.gz").write_bytes(gzip.compress(line))
    for name in ("bad.jsonl", "bad.jsonl.gz"):
        assert said in refused("replay", name)


def test_a_packed_file_is_not_unpacked_beyond_a_game(monkeypatch):
    start = Path("game.jsonl").read_bytes()
    with gzip.open("long.jsonl.gz", "wb", compresslevel=1) as file:
        file.write(start + b"\n")
        for _ in range(80):
            file.write(b" " * (MOST_BYTES - len(start) - 99) + start[:-1] + b', "move": "x"}\n')
    assert "write one game to a file" in refused("replay", "long.jsonl.gz")
    Path("cut.jsonl.gz").write_bytes(Path("long.jsonl.gz").read_bytes()[:-99])
    Path("none.jsonl.gz").write_bytes(b"no gzip")
    for name in ("cut.jsonl.gz", "none.jsonl.gz"):
        refused("replay", name)
    monkeypatch.setattr("shakespeare_env.cli.recorded.MOST_MOVES", 3)
    Path("long.jsonl").write_bytes(b"\n".join([start, *[start[:-1] + b', "move": "x"}'] * 4]))
    assert "of 3 moves" in refused("replay", "long.jsonl")


def test_ray_that_is_not_installed_is_named_with_the_remedy(monkeypatch):
    for name in [*sys.modules]:
        if name.startswith("shakespeare_agents.workers.on_ray"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    message = refused("evaluate", "random", "--game", GAME, "--games", "4", "--ray", "auto")
    assert "many machines need ray" in message
    assert "pip install -e '.[ray]'" in message
