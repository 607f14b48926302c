"""Looking back on finished games: every position, what an agent thinks, and playing on."""

from __future__ import annotations

import gzip
import json
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from shakespeare_agents.table.live_table import first_position
from shakespeare_agents.table.plans import SeatPlan, TablePlan
from shakespeare_agents.table.store import Store
from shakespeare_env import Position, registry
from shakespeare_env.cli.recorded import Recorded, write_json_lines
from shakespeare_env.cli.recorded_folders import from_folder
from shakespeare_env.film import Film
from tests.contract.small_datasets import small_settings, write
from tests.table.tables import begin, served, watching

JUDGE = "search,rollouts=random,simulations=8"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded") / "dataset"
    write(folder, small_settings("figaro", deals=1))
    return folder


@pytest.fixture(scope="module")
def client(tmp_path_factory, folder):
    with served(tmp_path_factory.mktemp("served"), folders=(folder,), agents=(JUDGE,)) as client:
        yield client


@pytest.fixture(scope="module")
def recorded(folder):
    return from_folder(folder, 1)


@pytest.fixture(scope="module")
def lines(recorded, tmp_path_factory):
    path = tmp_path_factory.mktemp("lines") / "game.jsonl"
    few = Recorded(recorded.positions[:9], recorded.moves[:8], recorded.agents)
    write_json_lines(path, few)
    return path.read_bytes()


def bring(client, lines):
    return client.post("/review", data={"lines": lines.decode()})


def text_of(page):
    return unescape(re.sub(r"<[^>]*>", " ", page.text))


def events(client, address, **query):
    """(event, data) of a stream that ends by itself."""
    answer = client.get(f"{address}/analysis", params=query)
    assert answer.status_code == 200, answer.text
    found = []
    for block in answer.text.replace("\r\n", "\n").split("\n\n"):
        entries = [line.partition(": ") for line in block.splitlines()]
        data = "\n".join(value for key, _, value in entries if key == "data")
        name = next((value for key, _, value in entries if key == "event"), "")
        if name:
            found.append((name, data))
    return found


def test_a_recorded_game_has_a_page_for_every_position(client, recorded):
    film = Film(recorded.positions, recorded.moves, recorded.agents)
    for at in (0, 5, len(recorded.moves)):
        page = client.get(f"/review/folder/0/1/{at}")
        assert page.status_code == 200
        assert f'data-at="{at}"' in page.text
        assert film.board(at) in page.text
        assert film.progress(at) in text_of(page)
    assert client.get("/review/folder/0/1").text.count('data-ply="') == len(recorded.moves)
    beyond = client.get(f"/review/folder/0/1/{len(recorded.moves) + 1}")
    assert beyond.status_code == 404
    assert f"numbered 0 to {len(recorded.moves)}" in text_of(beyond)


def test_the_script_gets_every_picture_once(client, recorded, lines):
    found = client.get(f"{bring(client, lines).url.path}/film")
    assert found.headers["content-encoding"] == "gzip"
    film = Film(recorded.positions[:9], recorded.moves[:8], recorded.agents)
    assert found.json() == json.loads(film.data())
    for name in ("film.js", "film.css"):
        assert client.get(f"/review/{name}").status_code == 200


def test_pages_have_no_script_or_style_of_their_own(client):
    page = client.get("/review/folder/0/1/3").text
    for tag in re.findall(r"<script[^>]*>", page):
        assert "src=" in tag
    assert "<style" not in page
    assert not re.search(r'\s(style|on\w+)="', page)


def test_a_game_is_brought_pasted_or_as_a_file(client, lines, recorded):
    windows = lines.replace(b"\n", b"\r\n")
    pasted = bring(client, windows)
    assert pasted.status_code == 200
    assert re.fullmatch(r"/review/record/[\w-]{16,}", pasted.url.path)
    assert 'data-last="8"' in pasted.text
    for given in (lines, gzip.compress(lines)):
        page = client.post("/review", files={"file": ("game.jsonl", given)}, data={"lines": ""})
        assert 'data-last="8"' in page.text
    listed = client.get("/review").text
    assert pasted.url.path in listed
    client.cookies.clear()  # somebody else's browser
    assert pasted.url.path not in client.get("/review").text


def test_what_is_no_game_is_refused_with_its_fault(client, lines):
    for given, said in (
        (b"", "Give a game as JSON lines"),
        (b"7", "line 1 is a number, not an object"),
        (lines + b'{"move":"hop","position":{}}', "line 10 is not a position"),
        (lines.replace(b'"move":"', b'"move":"no', 1), "is not legal in position 0"),
        (b"\x1f\x8bnothing", "cannot be read"),
    ):
        page = client.post("/review", files={"file": ("game.jsonl", given)})
        if not given:
            page = bring(client, given)
        assert page.status_code == 422
        assert said in text_of(page)


def test_a_game_being_played_is_open_to_nobody_and_a_finished_one_to_all(client):
    page = begin(client, "figaro", ("person", "random", "random"), seed=3)
    table = watching(page).removeprefix("/watch/")
    address = f"/review/table/{table}"
    for suffix in ("", "/0", "/film", "/page", "/analysis", "/0/on"):
        refused = client.get(address + suffix)
        assert refused.status_code == 403
        assert "still being played" in text_of(refused)
    assert table not in client.get("/review").text


def test_a_finished_table_is_reviewed(tmp_path):
    with served(tmp_path) as client:
        client.get("/")
        owner = client.cookies["shakespeare_owner"]
        plan = TablePlan("figaro", 3, (), 5, tuple(SeatPlan(name) for name in "ABC"))
        position, played = first_position(plan), []
        while position.to_move is not None:
            played.append(position.moves()[0])
            position.push(played[-1])
        store = Store(tmp_path / "games.sqlite")
        table, _ = store.new_table(owner, plan, registry.box_digest("figaro"), [[0]], played[:-1])
        address, last = f"/review/table/{table}", len(played)
        assert client.get(address).status_code == 403
        assert address not in client.get("/review").text
        store.add_move(table, last - 1, played[-1], 0, over=True)
        store.close()
    with served(tmp_path) as client:
        client.cookies["shakespeare_owner"] = owner
        assert address in client.get("/review").text
        page = client.get(f"{address}/{last}")
        assert f'data-last="{last}"' in page.text
        assert Film([*positions_of(plan, played)], played, list("ABC")).board(last) in page.text


def positions_of(plan, played):
    position = first_position(plan)
    yield position.copy()
    for move in played:
        position.push(move)
        yield position.copy()


def test_verdicts_come_in_while_one_listens(client, recorded):
    lines = [{"position": recorded.positions[-9].to_dict(), "agents": list(recorded.agents)}]
    for move, position in zip(recorded.moves[-8:], recorded.positions[-8:], strict=True):
        lines.append({"move": move, "position": position.to_dict()})
    page = bring(client, "".join(json.dumps(line) + "\n" for line in lines).encode())
    address = page.url.path
    found = events(client, address, agent=JUDGE)
    assert found[0][0] == "found"
    assert "Chance to win, as" in found[0][1]
    assert found[-1] == ("done", "")
    known = [int(n) for n in re.findall(r"has judged (\d+) of 8", json.dumps(found))]
    assert known == sorted(set(known))
    assert "all 8 decisions" in json.dumps(found)
    # Somebody else gets the same, already judged.
    last = [data for name, data in found if name == "found"][-1]
    assert [data for name, data in events(client, address, agent=JUDGE) if name == "found"][
        -1
    ] == last
    shared = client.get(f"{address}/page", params={"agent": JUDGE})
    assert "attachment" in shared.headers["content-disposition"]
    assert "Chance to win, as" in shared.text
    for ply in re.findall(r'<a href="[^"]*/(\d+)" data-ply', last):
        assert f'href="#{ply}"' in shared.text


def test_agents_that_may_not_be_asked_are_refused(client):
    for name in ("nobody", "my.py:NAME"):
        refused = client.get("/review/folder/0/1", params={"agent": name})
        assert refused.status_code == 400


def test_playing_on_begins_a_table_there(client, recorded):
    answer = client.get("/review/folder/0/1/7/on", follow_redirects=False)
    assert answer.status_code == 303
    said = {
        key: value for key, (value,) in parse_qs(urlsplit(answer.headers["location"]).query).items()
    }
    assert Position.from_dict(json.loads(said["position"])) == recorded.positions[7]
    lobby = client.get(answer.headers["location"])
    assert lobby.status_code == 200
    assert "begins in the middle of a game" in text_of(lobby)
    seats = {f"seat{seat}": "person" for seat in range(recorded.last.players)}
    names = {f"name{seat}": f"P{seat}" for seat in range(recorded.last.players)}
    table = client.post("/tables", data={**said, **seats, **names, "seed": "1", "one_screen": "1"})
    assert table.status_code == 200
    assert "/seat/" in table.url.path
    over = client.get(f"/review/folder/0/1/{len(recorded.moves)}/on")
    assert over.status_code == 409


def test_what_there_is_not(client):
    for address in ("/review/table/nothing", "/review/record/nothing", "/review/folder/7/0",
                    "/review/folder/0/99", "/review/other/1"):  # fmt: skip
        assert client.get(address).status_code == 404
