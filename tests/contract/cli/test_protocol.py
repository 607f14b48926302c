"""The engine protocol: one answer a line, errors change nothing, docs/protocol.md is right."""

import json
import os
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner

from shakespeare_env import Position
from shakespeare_env.cli import app
from shakespeare_env.cli.protocol import MOST_BYTES, Engine, lines_of
from shakespeare_env.core import registry

PAGE = Path(__file__).parents[3] / "docs" / "protocol.md"
PLAYERS = registry.seats(registry.DEFAULT)[-1]
"""Seats of the game that is played where none is named."""


def ask(engine, command=None, /, **fields):
    """The answer to one line."""
    request = fields if command is None else {"command": command, **fields}
    return json.loads(engine.answer(json.dumps(request).encode()))


def result(engine, command, **fields):
    answer = ask(engine, command, **fields)
    assert list(answer) == ["result"], answer
    return answer["result"]


def error(engine, command=None, /, **fields):
    answer = ask(engine, command, **fields)
    assert list(answer) == ["error"], answer
    assert answer["error"]["message"]
    return answer["error"]


@pytest.fixture(params=registry.names())
def game(request):
    return registry.game(request.param)


@pytest.fixture
def engine(game):
    """An engine with a game begun."""
    engine = Engine()
    result(engine, "new", game=game.name, players=game.max_seats, seed=3)
    return engine


class TestCommands:
    def test_new_takes_variants_and_has_a_default_game_and_seed(self, game):
        engine = Engine()
        result(engine, "new", players=PLAYERS)
        expected = Position.new(registry.DEFAULT, players=PLAYERS, seed=0)
        assert result(engine, "state")["position"] == expected.to_dict()
        for option in game.options:
            on: dict[str, Any] = {option: True}
            result(engine, "new", game=game.name, players=game.max_seats, options=on)
            expected = Position.new(game.name, players=game.max_seats, seed=0, **on)
            assert result(engine, "state")["position"] == expected.to_dict()

    def test_a_whole_game_is_the_game_of_position(self, engine, game):
        position = Position.new(game.name, players=game.max_seats, seed=3)
        digest = registry.box_digest(game.name)
        for number in range(10_000):
            state = {"position": position.to_dict(), "box_digest": digest}
            assert result(engine, "state") == state
            legal = result(engine, "moves")
            assert legal == {"to_move": position.to_move, "moves": position.moves()}
            if position.to_move is None:
                break
            seat = number % game.max_seats
            seen = {"seat": seat, "observation": position.observation(seat).tolist()}
            assert result(engine, "observe", seat=seat) == seen
            move = legal["moves"][number % len(legal["moves"])]
            position.push(move)
            if number % 2:
                summary = result(engine, "play", move=move)
            else:
                summary = result(engine, "play", moves=[move])
            scores = {"winners": position.winners, "scores": position.scores()}
            assert summary == {"to_move": position.to_move, **scores}
        assert summary["winners"]
        assert error(engine, "play", move=move)["type"] == "IllegalMove"


class TestErrors:
    @pytest.fixture(autouse=True)
    def nothing_changes(self, engine):
        before = result(engine, "state"), result(engine, "moves")
        yield
        assert not engine.over
        assert (result(engine, "state"), result(engine, "moves")) == before

    def test_what_is_no_request(self, engine):
        lines = [b"", b'{"command":"moves"} {}', b"\xff\xfe", b'{"command":"moves","id":NaN}']
        lines += [b"[" * 200_000, b" " * MOST_BYTES + b"{}"]
        for line in lines:
            assert json.loads(engine.answer(line))["error"]["type"] == "BadJSON", line[:40]
        assert json.loads(engine.answer(b"[]"))["error"]["type"] == "BadRequest"
        state = result(engine, "state")["position"]
        for broken in ({}, {"game": "chess"}, state | {"to_move": 99}):
            assert error(engine, "position", position=broken)["type"] == "PositionError"
        fault = error(engine, "undo")
        assert fault["type"] == "UnknownCommand"
        assert "play" in fault["commands"]

    @pytest.mark.parametrize(
        ("request_", "field"),
        [
            ({}, "command"),
            ({"command": "moves", "seat": 0}, "seat"),
            ({"command": "moves", "id": True}, "id"),
            ({"command": "new", "players": 10**400}, "players"),
            ({"command": "new", "players": 3, "seed": 2**64}, "seed"),
            ({"command": "new", "players": 3, "options": {"fast": True}}, "options"),
            ({"command": "play", "moves": ["pass", 3]}, "moves"),
            ({"command": "play", "moves": [], "move": "pass"}, "moves"),
            ({"command": "observe", "seat": 99}, "seat"),
        ],
    )
    def test_a_field_that_is_wrong_is_named(self, engine, request_, field):
        fault = error(engine, **request_)
        assert (fault["type"], fault["field"]) == ("BadRequest", field)

    def test_moves_are_played_all_or_none(self, engine):
        legal = result(engine, "moves")
        fault = error(engine, "play", moves=[legal["moves"][0], "castle"])
        assert (fault["type"], fault["index"], fault["move"]) == ("IllegalMove", 1, "castle")
        assert (fault["phase"], fault["seat"]) != (None, None)

    def test_a_fault_of_the_engine_is_an_answer(self, engine, monkeypatch, capsys):
        with monkeypatch.context() as patch:
            patch.setattr(type(engine.position), "moves", lambda self: 1 // 0)
            fault = error(engine, "moves")
        assert fault["type"] == "InternalError"
        assert "ZeroDivisionError" in fault["message"]
        assert "Traceback" in capsys.readouterr().err


def test_without_a_game_and_an_id_comes_back_with_results_and_errors():
    for command, fields in (("moves", {}), ("state", {}), ("play", {"move": "pass"})):
        assert error(Engine(), command, **fields)["type"] == "NoGame"
    for identifier in (-7, "seven", None):
        assert ask(Engine(), "moves", id=identifier)["id"] == identifier


class TestProgram:
    def test_a_line_too_long_is_one_error_and_the_next_is_answered(self):
        longest = b'{"command":"new","players":%d}' % PLAYERS
        longest += b" " * (MOST_BYTES - len(longest))
        lines = [longest, longest + b" ", b"x" * (3 * MOST_BYTES), b'{"command":"moves"}\r']
        run = CliRunner().invoke(app, ["mcp", "--json-lines"], input=b"\n".join(lines))
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        assert [*map(next, map(iter, answers))] == ["result", "error", "error", "result"]

    def test_an_endless_line_takes_no_memory(self):
        chunks = iter([1] * 256)
        endless: Any = Mock(readline=lambda size: b"x" * size if next(chunks, 0) else b"")
        tracemalloc.start()
        assert [len(line) for line in lines_of(endless)] == [MOST_BYTES + 1]
        assert tracemalloc.get_traced_memory()[1] < 8 * MOST_BYTES
        tracemalloc.stop()

    @pytest.mark.skipif(os.name == "nt", reason="there is no /dev/full here")
    def test_a_reader_that_leaves_and_a_full_disk_end_it_without_a_traceback(self):
        command = [sys.executable, "-m", "shakespeare_env", "mcp", "--json-lines"]
        ends, full = os.pipe(), os.open("/dev/full", os.O_WRONLY)
        os.close(ends[0])
        for out, said in ((ends[1], b""), (full, b"No space left")):
            done = subprocess.run(command, input=b"{}\n" * 9, stdout=out, stderr=subprocess.PIPE)
            assert done.returncode == 1
            assert said in done.stderr
            assert done.stderr.count(b"\n") <= 1
            os.close(out)


class TestPage:
    def test_names_every_command_and_type_of_error(self):
        page = PAGE.read_text(encoding="utf-8")
        for name in error(Engine(), "help")["commands"]:
            assert f"| `{name}` |" in page
        source = Path(registry.__file__).parents[1] / "cli" / "protocol.py"
        types = re.compile(r'"([A-Z]\w+(?:Error|Move|Game|JSON|Request|Command))"')
        raised = set(types.findall(source.read_text()))
        assert raised == set(re.findall(r"^\| `([A-Z]\w+)` \|", page, re.MULTILINE))

    def test_the_example_is_what_happens(self):
        page = PAGE.read_text(encoding="utf-8")
        example = page.split("```console\n$ shakespeare mcp --json-lines\n")[1].split("```")[0]
        lines = example.splitlines()
        engine = Engine()
        for question, answer in zip(lines[::2], lines[1::2], strict=True):
            for part in answer.split("..."):
                assert part in engine.answer(question.encode())
