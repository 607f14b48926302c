"""Lines to `shakespeare protocol`: each gets one answer in JSON, and a mistake changes nothing."""

from __future__ import annotations

import json
import random
from typing import Any

from typer.testing import CliRunner

from shakespeare_env.cli import app
from shakespeare_env.cli.protocol import Engine
from tests.fuzz.json_mutations import bytes_mutated, mutated, value
from tests.fuzz.play import start, starts
from tests.fuzz.targets.positions import changed

_PIPED = 0.005
"""The share of cases that go through the command."""
_COMMANDS = ("new", "position", "moves", "play", "observe", "state", "quit", "nothing")
_DEEP, _LONG = 100_000, 3_000_000


def prepare() -> None:
    starts()


def check(case: random.Random) -> str:
    lines = [_line(case) for _ in range(case.randint(1, 8))]
    if case.random() < _PIPED:
        _answered_through_the_command(lines)
        return "piped"
    engine, words = Engine(), []
    for line in lines:
        if engine.over:
            break
        before = engine.position and engine.position.copy()
        words.append(_word_of(engine.answer(line)))
        if words[-1] == "refused":
            assert engine.position == before, "changed by a mistake"
    return "answered" if "answered" in words else "refused"


def _word_of(text: str) -> str:
    assert text.isascii()
    assert "\n" not in text
    answer = json.loads(text, parse_constant=_no_constant)
    assert answer.keys() <= {"id", "result", "error"}
    assert ("result" in answer) != ("error" in answer)
    if "result" in answer:
        return "answered"
    assert answer["error"]["message"]
    assert answer["error"]["type"] != "InternalError", answer["error"]["message"]
    return "refused"


def _no_constant(name: str) -> Any:
    raise AssertionError(f"{name} is not JSON")


# ---- lines ----------------------------------------------------------------------------------


def _line(case: random.Random) -> bytes:
    drawn = case.random()
    if drawn < 0.05:
        return case.randbytes(case.randint(0, 60)).replace(b"\n", b"") + b"\n"
    if drawn < 0.06:
        return _huge(case) + b"\n"
    request: Any = _request(case)
    if drawn < 0.5:
        request = mutated(case, request)
    line = json.dumps(request, ensure_ascii=case.random() < 0.5).encode("utf-8", "surrogatepass")
    if drawn > 0.85:
        line = bytes_mutated(case, line).replace(b"\n", b" ")
    return line + b"\n"


def _huge(case: random.Random) -> bytes:
    """Deep, long, or with a number of many digits."""
    open_, close = case.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"[[", b"")))
    return case.choice(
        (
            open_ * _DEEP + b"0" + close * _DEEP,
            b'{"command":"new","players":' + b"9" * 5000 + b"}",
            b'{"command":"' + b"x" * _LONG + b'"}',
            b'{"command":"play","moves":[' + b'"a",' * 10_000 + b'"a"]}',
            b'{"command":"new","players":1e999}',
            b'{"command":"new","players":2,"seed":-0}',
        )
    )


def _request(case: random.Random) -> dict[str, Any]:
    command = case.choice(_COMMANDS)
    request: dict[str, Any] = {"command": command}
    if case.random() < 0.3:
        request["id"] = case.choice((1, "a", None, 1.5, [], 2**70, True))
    fields: dict[str, dict[str, Any]] = {
        "new": {
            "game": case.choice(("shakespeare", "figaro")),
            "players": case.randint(0, 7),
            "seed": case.choice((0, 2**64 - 1, 2**64, -1, 7)),
            "options": case.choice(({}, {"strategic_rest": True}, {"x": 1})),
        },
        "position": {"position": changed(case) if command == "position" else None},
        "play": {case.choice(("move", "moves")): _moves(case)},
        "observe": {"seat": case.randint(-1, 6)},
    }
    for name, given in fields.get(command, {}).items():
        if case.random() < 0.9:
            request[name] = given
    return request


def _moves(case: random.Random) -> Any:
    if case.random() < 0.2:
        return value(case)
    position = start(case)
    moves = position.moves() or [""]
    return case.choice((case.choice(moves), [case.choice(moves)], [], ["pass"] * 3))


# ---- the command ----------------------------------------------------------------------------


def _answered_through_the_command(lines: list[bytes]) -> None:
    """As many answers as lines, up to the one that quits."""
    answers = CliRunner().invoke(app, ["protocol"], input=b"".join(lines)).stdout.splitlines()
    for answer in answers:
        _word_of(answer)
    over = [number for number, answer in enumerate(answers) if '"result":{}' in answer]
    assert len(answers) == (over[0] + 1 if over else len(lines))
