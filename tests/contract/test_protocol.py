"""The engine protocol: one answer a line, errors change nothing, docs/protocol.md is right."""

import json
import os
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from shakespeare_env import Position, registry
from shakespeare_env.cli import app
from shakespeare_env.cli.lines import MOST_BYTES, lines_of
from shakespeare_env.cli.protocol import Engine

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
GAMES = registry.names()
PLAYERS = registry.seats(registry.DEFAULT)[-1]
"""Seats of the game that is meant where none is named."""
ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


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


@pytest.fixture(params=GAMES)
def game(request):
    return registry.game(request.param)


@pytest.fixture
def engine(game):
    """An engine with a game begun."""
    engine = Engine()
    result(engine, "new", game=game.name, players=game.max_seats, seed=3)
    return engine


class TestCommands:
    def test_new_is_a_game_from_a_seed(self, game):
        engine = Engine()
        summary = result(engine, "new", game=game.name, players=game.max_seats, seed=3)
        expected = Position.new(game.name, players=game.max_seats, seed=3)
        digest = registry.box_digest(expected.game.name)
        assert result(engine, "state") == {"position": expected.to_dict(), "box_digest": digest}
        assert summary == {
            "to_move": expected.to_move,
            "winners": None,
            "scores": expected.scores(),
        }

    def test_new_has_a_default_game_and_seed(self):
        engine = Engine()
        result(engine, "new", players=PLAYERS)
        expected = Position.new(registry.DEFAULT, players=PLAYERS, seed=0)
        assert result(engine, "state")["position"] == expected.to_dict()

    def test_new_takes_variants(self, game):
        for option in game.options:
            for value in (True, False):
                engine = Engine()
                seats = game.max_seats
                result(engine, "new", game=game.name, players=seats, options={option: value})
                options: dict[str, Any] = {option: value}
                expected = Position.new(game.name, players=seats, seed=0, **options)
                assert result(engine, "state")["position"] == expected.to_dict()

    def test_a_whole_game_is_the_game_of_position(self, engine, game):
        position = Position.new(game.name, players=game.max_seats, seed=3)
        for number in range(10_000):
            legal = result(engine, "moves")
            assert legal == {"to_move": position.to_move, "moves": position.moves()}
            if position.to_move is None:
                break
            move = legal["moves"][number % len(legal["moves"])]
            position.push(move)
            summary = result(engine, "play", move=move)
            assert summary["scores"] == position.scores()
        assert summary == {
            "to_move": None,
            "winners": position.winners,
            "scores": position.scores(),
        }
        assert summary["winners"]
        assert error(engine, "play", move=move)["type"] == "IllegalMove"

    def test_position_sets_what_state_gave(self, engine, game):
        state = result(engine, "state")["position"]
        other = Engine()
        summary = result(other, "position", position=state, seed=5)
        assert result(other, "state")["position"] == state
        assert summary["to_move"] == state["to_move"]

    def test_position_draws_from_its_seed(self, engine):
        state = result(engine, "state")["position"]
        ends: list[dict[str, Any]] = []
        for _ in range(2):
            other = Engine()
            result(other, "position", position=state, seed=5)
            while moves := result(other, "moves")["moves"]:
                result(other, "play", move=moves[-1])
            ends.append(result(other, "state"))
        assert ends[0] == ends[1]

    def test_several_moves_are_played_in_order(self, engine, game):
        position = Position.new(game.name, players=game.max_seats, seed=3)
        moves = []
        for _ in range(4):
            moves.append(position.moves()[0])
            position.push(moves[-1])
        result(engine, "play", moves=moves)
        assert result(engine, "state")["position"] == position.to_dict()

    def test_no_moves_are_a_play_too(self, engine):
        before = result(engine, "state")
        result(engine, "play", moves=[])
        assert result(engine, "state") == before

    def test_observe_gives_what_a_seat_sees(self, engine, game):
        position = Position.new(game.name, players=game.max_seats, seed=3)
        for seat in range(game.max_seats):
            seen = result(engine, "observe", seat=seat)
            assert seen == {"seat": seat, "observation": position.observation(seat).tolist()}

    @pytest.mark.parametrize("identifier", [0, -7, "seven", "\ud800", None, 10**400])
    def test_an_id_comes_back_with_results_and_errors(self, engine, identifier):
        for command in ("moves", "nonsense"):
            assert ask(engine, command, id=identifier)["id"] == identifier


class TestErrors:
    @pytest.fixture(autouse=True)
    def nothing_changes(self, engine):
        before = result(engine, "state"), result(engine, "moves")
        yield
        assert not engine.over
        assert (result(engine, "state"), result(engine, "moves")) == before

    @pytest.mark.parametrize(
        "line",
        [
            b"", b"\n", b"moves", b"{", b'{"command":"moves"} {}', b"\xff\xfe", b'"\xc3\x28"',
            b'{"command":"moves","id":NaN}', b'{"command":"moves","id":-Infinity}',
            b'{"command":"moves","id":1e999}', b'{"id":' + b"9" * 10_000 + b"}",
            b"[" * 200_000, b'{"a":' * 200_000, b"\x00", b"{'command': 'moves'}",
            b'\xef\xbb\xbf{"command":"moves"}', b'{"command":"moves"}\x00', b'{"id":-1e400}',
            b'{"command":"moves","command":"quit"}', b'{"id":' + b"9" * 1001 + b"}",
            b" " * MOST_BYTES + b'{"command":"moves"}',
        ],
    )  # fmt: skip
    def test_not_json(self, engine, line):
        answer = json.loads(engine.answer(line))
        assert answer["error"]["type"] == "BadJSON"

    @pytest.mark.parametrize("line", ["[]", '"moves"', "3", "1.5", "true", "null"])
    def test_not_an_object(self, engine, line):
        assert json.loads(engine.answer(line.encode()))["error"]["type"] == "BadRequest"

    def test_unknown_command(self, engine):
        fault = error(engine, "undo")
        assert fault["type"] == "UnknownCommand"
        assert "play" in fault["commands"]

    @pytest.mark.parametrize(
        ("request_", "field"),
        [
            ({}, "command"),
            ({"command": 3}, "command"),
            ({"command": None}, "command"),
            ({"command": [[[]]]}, "command"),
            ({"command": "moves", "seat": 0}, "seat"),
            ({"command": "moves", "id": [1]}, "id"),
            ({"command": "moves", "id": True}, "id"),
            ({"command": "moves", "id": 1.5}, "id"),
            ({"command": "new"}, "players"),
            ({"command": "new", "players": 0}, "players"),
            ({"command": "new", "players": 99}, "players"),
            ({"command": "new", "players": 10**400}, "players"),
            ({"command": "new", "players": "2"}, "players"),
            ({"command": "new", "players": 3.0}, "players"),
            ({"command": "new", "players": True}, "players"),
            ({"command": "new", "players": None}, "players"),
            ({"command": "new", "players": 3, "seed": -1}, "seed"),
            ({"command": "new", "players": 3, "seed": 2**64}, "seed"),
            ({"command": "new", "players": 3, "seed": "a"}, "seed"),
            ({"command": "new", "players": 3, "game": "chess"}, "game"),
            ({"command": "new", "players": 3, "game": 1}, "game"),
            ({"command": "new", "players": 3, "options": []}, "options"),
            ({"command": "new", "players": 3, "options": {"fast": True}}, "options"),
            ({"command": "new", "players": 3, "option": {}}, "option"),
            ({"command": "position"}, "position"),
            ({"command": "position", "position": []}, "position"),
            ({"command": "position", "position": "new"}, "position"),
            ({"command": "play"}, "move"),
            ({"command": "play", "move": 3}, "move"),
            ({"command": "play", "move": None}, "move"),
            ({"command": "play", "moves": "pass"}, "moves"),
            ({"command": "play", "moves": ["pass", 3]}, "moves"),
            ({"command": "play", "moves": [], "move": "pass"}, "moves"),
            ({"command": "observe"}, "seat"),
            ({"command": "observe", "seat": -1}, "seat"),
            ({"command": "observe", "seat": 99}, "seat"),
            ({"command": "observe", "seat": 10**400}, "seat"),
            ({"command": "observe", "seat": False}, "seat"),
            ({"command": "observe", "seat": 0.0}, "seat"),
            ({"command": "quit", "now": True}, "now"),
        ],
    )
    def test_a_field_that_is_wrong_is_named(self, engine, request_, field):
        fault = error(engine, **request_)
        assert (fault["type"], fault["field"]) == ("BadRequest", field)
        assert len(fault["message"]) < 300

    def test_a_variant_is_on_or_off(self, engine, game):
        for option in game.options:
            for value in (1, "yes", None):
                fault = error(
                    engine, "new", game=game.name, players=game.max_seats, options={option: value}
                )
                assert (fault["type"], fault["field"]) == ("BadRequest", "options")

    def test_what_nests_too_deep(self, engine, capsys):
        for depth in (1, 63, 64, 500, 900, 950, 1000, 5000):
            deep = b"[" * depth + b"]" * depth
            for field, kind in ((b"new", b"players"), (b"position", b"position")):
                answer = json.loads(
                    engine.answer(b'{"command":"%b","%b":%b}' % (field, kind, deep))
                )
                assert answer["error"]["type"] == ("BadRequest" if depth < 64 else "BadJSON")
        assert "Traceback" not in capsys.readouterr().err

    @pytest.mark.parametrize("move", ["", "nonsense", "wager:9", "pass ", "\ud800", "x" * 10_000])
    def test_illegal_move(self, engine, move):
        fault = error(engine, "play", move=move)
        assert fault["type"] == "IllegalMove"
        assert fault["move"] == move
        assert fault["index"] == 0
        assert fault["legal"] == result(engine, "moves")["moves"]
        assert fault["seat"] == result(engine, "moves")["to_move"]
        assert fault["phase"]

    def test_moves_are_played_all_or_none(self, engine):
        first = result(engine, "moves")["moves"][0]
        fault = error(engine, "play", moves=[first, "nonsense"])
        assert (fault["type"], fault["index"], fault["move"]) == ("IllegalMove", 1, "nonsense")

    def test_wrong_position(self, engine):
        state = result(engine, "state")["position"]
        no_seat, no_number = state | {"to_move": 99}, state | {"players": 10**400}
        for broken in ({}, {"game": "chess"}, no_seat, no_number):
            assert error(engine, "position", position=broken)["type"] == "PositionError"
        junk: list[Any] = [None, 10**30, -1, "x", [], {}, [[]], 1.5, True]
        for key in state:
            for value in junk:
                answer = ask(engine, "position", position=state | {key: value})
                if "result" in answer:  # some are positions: no queue, no initiative, ...
                    result(engine, "position", position=state)
                else:
                    assert answer["error"]["type"] == "PositionError", (key, value, answer)

    def test_a_fault_of_the_engine_is_an_answer(self, engine, monkeypatch, capsys):
        with monkeypatch.context() as patch:
            patch.setattr(type(engine.position), "moves", lambda self: 1 // 0)
            fault = error(engine, "moves")
        assert fault["type"] == "InternalError"
        assert "ZeroDivisionError" in fault["message"]
        assert "Traceback" in capsys.readouterr().err


class TestAnything:
    @settings(max_examples=30)
    @given(ANY_JSON)
    def test_whatever_json_comes_is_answered(self, value: Any) -> None:
        engine = Engine()
        for command in ("new", "position", "moves", "play", "observe", "state", value):
            fields = value if isinstance(value, dict) else {"id": value}
            answer = json.loads(engine.answer(json.dumps({"command": command} | fields).encode()))
            assert answer["error"]["type"] != "InternalError"

    @given(st.binary())
    def test_whatever_bytes_come_are_answered(self, line):
        assert json.loads(Engine().answer(line))["error"]["type"] in ("BadJSON", "BadRequest")


@pytest.mark.parametrize(
    ("command", "fields"),
    [("moves", {}), ("state", {}), ("play", {"move": "pass"}), ("observe", {"seat": 0})],
)
def test_without_a_game(command, fields):
    assert error(Engine(), command, **fields)["type"] == "NoGame"


class TestProgram:
    def test_one_line_for_each_until_the_end_of_the_input(self):
        lines = b'{"command":"new","players":%d}\n\xff\n\n[]\n' % PLAYERS
        lines += b'{"command":"moves","id":"last"}'
        run = CliRunner().invoke(app, ["protocol"], input=lines)
        assert run.exit_code == 0
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        assert [next(iter(a)) for a in answers] == ["result", "error", "error", "error", "id"]

    def test_a_line_too_long_is_one_error_and_the_next_is_answered(self):
        longest = b'{"command":"new","players":%d}' % PLAYERS
        longest += b" " * (MOST_BYTES - len(longest))
        for end in (b"\n", b""):
            lines = [longest, longest + b" ", b"x" * (3 * MOST_BYTES), b'{"command":"moves"}\r']
            run = CliRunner().invoke(app, ["protocol"], input=b"\n".join(lines) + end)
            answers = [json.loads(line) for line in run.stdout.splitlines()]
            assert [next(iter(answer)) for answer in answers] == [
                "result",
                "error",
                "error",
                "result",
            ]
            assert "longer than 1,048,576 bytes" in answers[1]["error"]["message"]

    def test_an_endless_line_takes_no_memory(self):
        class Endless:
            given = 0

            def readline(self, size: int, /) -> bytes:
                self.given += size
                return b"x" * size if self.given < 2**28 else b""

        tracemalloc.start()
        assert [len(line) for line in lines_of(Endless())] == [MOST_BYTES + 1]
        assert tracemalloc.get_traced_memory()[1] < 8 * MOST_BYTES
        tracemalloc.stop()

    @pytest.mark.skipif(os.name == "nt", reason="there is no /dev/full here")
    def test_a_reader_that_leaves_and_a_full_disk_end_it_without_a_traceback(self):
        command = [sys.executable, "-m", "shakespeare_env.cli", "protocol"]
        ends, full = os.pipe(), os.open("/dev/full", os.O_WRONLY)
        os.close(ends[0])
        for out, said in ((ends[1], b""), (full, b"No space left")):
            done = subprocess.run(command, input=b"{}\n" * 9, stdout=out, stderr=subprocess.PIPE)
            assert done.returncode == 1
            assert said in done.stderr
            assert done.stderr.count(b"\n") <= 1
            os.close(out)

    def test_quit_ends_it(self):
        run = CliRunner().invoke(app, ["protocol"], input='{"command":"quit","id":1}\n{}\n')
        assert run.exit_code == 0
        assert run.stdout == '{"id":1,"result":{}}\n'

    def test_empty_input_is_fine(self):
        run = CliRunner().invoke(app, ["protocol"], input="")
        assert (run.exit_code, run.stdout) == (0, "")


class TestPage:
    def test_names_every_command_and_type_of_error(self):
        page = PAGE.read_text(encoding="utf-8")
        for name in error(Engine(), "help")["commands"]:
            assert f"| `{name}` |" in page
        sources = "".join(
            Path(registry.__file__).with_name("cli").joinpath(name).read_text(encoding="utf-8")
            for name in ("protocol.py", "requests.py")
        )
        raised = set(re.findall(r'"([A-Z]\w+(?:Error|Move|Game|JSON|Request|Command))"', sources))
        assert raised == set(re.findall(r"^\| `([A-Z]\w+)` \|", page, re.MULTILINE))

    def test_the_example_is_what_happens(self):
        page = PAGE.read_text(encoding="utf-8")
        example = page.split("```console\n$ shakespeare protocol\n")[1].split("```")[0]
        lines = example.splitlines()
        engine = Engine()
        for question, answer in zip(lines[::2], lines[1::2], strict=True):
            for part in answer.split("..."):
                assert part in engine.answer(question.encode())
