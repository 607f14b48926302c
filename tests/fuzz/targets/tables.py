"""Requests to the table in the browser: answered or refused in words, whatever they say."""

from __future__ import annotations

import json
import random
import re
import tempfile
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from shakespeare_agents.table.app import make_app
from shakespeare_agents.table.settings import Settings
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.core.kernels import compile_all
from tests.fuzz.json_mutations import bytes_mutated, mutated, text

_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_TURN = re.compile(r'<script type="application/json" id="turn">(.*?)</script>', re.S)
_clients: list[TestClient] = []
_folder = tempfile.TemporaryDirectory(prefix="tables")


def prepare() -> None:
    for name in registry.names():
        compile_all(registry.game(name))
    app = make_app(Settings(Path(_folder.name) / "games.sqlite"))
    _clients[:] = [TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)]


def check(case: random.Random) -> str:
    kind = case.choice((_begins, _plays, _asks, _brings))
    status = kind(case)
    assert status < 500
    return "answered" if status < 400 else "refused"


def _begins(case: random.Random) -> int:
    said = mutated(case, _form(case)) if case.random() < 0.7 else _form(case)
    return _post(case, "/tables", said)


def _plays(case: random.Random) -> int:
    """A move at a table of one's own, or something like one."""
    answer = _clients[0].post("/tables", data=_strings(_form(case)))
    if answer.status_code != 303:
        return answer.status_code
    address = answer.headers["location"]
    page = _clients[0].get(address)
    found = _TURN.search(page.text)
    moves = [move for move, _, _ in json.loads(found[1])["moves"]] if found else []
    move = case.choice(moves) if moves and case.random() < 0.7 else text(case)
    said: Any = {"move": move, "number": "0", "since": "0.0.0", "as": case.choice(("", "0", "9"))}
    if case.random() < 0.4:
        said = mutated(case, said)
    if case.random() < 0.1:
        said = {**said, "undo": "1"} if isinstance(said, dict) else said
    way = case.choice(("/play", "/play", "/play", "/agent"))
    return _post(case, address + way, said, headers={"HX-Request": "true"})


def _asks(case: random.Random) -> int:
    start = case.choice(("/", "/seat/", "/watch/", "/review/table/", "/review/record/", "/static/"))
    path = start + "".join(case.choice("abc/.%0?=&-_~") for _ in range(case.randint(0, 12)))
    return _clients[0].get(path, params={text(case)[:20]: text(case)[:50]}).status_code


def _brings(case: random.Random) -> int:
    position = Position.new("figaro", players=3, seed=case.randint(0, 99))
    lines = json.dumps({"position": mutated(case, position.to_dict())}).encode()
    if case.random() < 0.5:
        lines = bytes_mutated(case, lines)
    return _clients[0].post("/review", files={"file": ("game.jsonl", lines)}).status_code


def _form(case: random.Random) -> dict[str, Any]:
    game = case.choice(registry.names())
    players = case.choice(registry.seats(game))
    seats = {f"seat{seat}": case.choice(("person", "random")) for seat in range(players)}
    names = {f"name{seat}": text(case)[:50] for seat in range(players)}
    return {
        "game": game,
        "players": str(players),
        "seed": str(case.randint(0, 9)),
        **seats,
        **names,
    }


def _strings(said: Any) -> dict[str, str]:
    """A form has text alone."""
    entries = said.items() if isinstance(said, dict) else [("said", said)]
    return {
        str(key).encode("utf-8", "replace").decode(): str(value).encode("utf-8", "replace").decode()
        for key, value in entries
    }


def _post(case: random.Random, path: str, said: Any, headers: Any = None) -> int:
    if case.random() < 0.1:
        content = bytes_mutated(case, "&".join(_strings(said)).encode())
        sent = _clients[0].post(path, content=content, headers={**_FORM, **(headers or {})})
    else:
        sent = _clients[0].post(path, data=_strings(said), headers=headers or {})
    return sent.status_code
