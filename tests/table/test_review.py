"""Looking back on finished games: every position, what an agent thinks, and playing on."""

import gzip
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from shakespeare_agents.analysis import Verdict
from shakespeare_agents.table.live_table import first_snapshot
from shakespeare_agents.table.reviewed import Judging
from shakespeare_agents.table.store import SeatPlan, Store, TablePlan
from shakespeare_env import Position
from shakespeare_env.cli.recorded import from_folder, write_json_lines
from shakespeare_env.core import registry
from shakespeare_env.core.presentation import Marks
from shakespeare_env.film import Film
from shakespeare_env.play.named import numbered
from tests.contract.small_datasets import small_settings, write
from tests.table.tables import begin, moves, served, text_of, watching

JUDGE = "search,rollouts=random,simulations=8"
GAME = "/review/folder/0/1"


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
    """The first moves of the game, as a file."""
    path = tmp_path_factory.mktemp("lines") / "game.jsonl"
    write_json_lines(path, recorded.up_to(8))
    return path.read_bytes()


def bring(client, lines):
    return client.post("/review", data={"lines": lines.decode()})


def test_a_recorded_game_has_a_page_for_every_position(client, recorded, lines):
    film = Film(recorded.positions, recorded.moves, recorded.names)
    for at in (0, 5, len(recorded.moves)):
        page = client.get(f"{GAME}/{at}")
        assert page.status_code == 200
        assert f'data-at="{at}"' in page.text
        assert film.board(at) in page.text
        assert film.progress(at) in text_of(page)
        # Scripts and styles are files.
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page.text))
        assert not re.search(r'<style|\s(style|on\w+)="', page.text)
    assert client.get(GAME).text.count('data-ply="') == len(recorded.moves)
    beyond = client.get(f"{GAME}/{len(recorded.moves) + 1}")
    assert beyond.status_code == 404
    assert f"numbered 0 to {len(recorded.moves)}" in text_of(beyond)
    # The script gets every picture once.
    found = client.get(f"{bring(client, lines).url.path}/film")
    assert found.headers["content-encoding"] == "gzip"
    few = Film(recorded.positions[:9], recorded.moves[:8], recorded.names)
    assert found.json() == json.loads(few.data())
    for address in ("table/nothing", "record/nothing", "folder/7/0", "folder/0/99", "other/1"):
        assert client.get(f"/review/{address}").status_code == 404


def test_a_game_is_brought_pasted_or_as_a_file(client, lines):
    pasted = bring(client, lines.replace(b"\n", b"\r\n"))
    assert re.fullmatch(r"/review/record/[\w-]{16,}", pasted.url.path)
    assert 'data-last="8"' in pasted.text
    for given in (lines, gzip.compress(lines)):
        page = client.post("/review", files={"file": ("game.jsonl", given)}, data={"lines": ""})
        assert 'data-last="8"' in page.text
    assert pasted.url.path in client.get("/review").text
    client.cookies.clear()  # somebody else's browser
    assert pasted.url.path not in client.get("/review").text
    for given, said in (
        (b"7", "line 1 is a number, not an object"),
        (lines + b'{"move":"hop","position":{}}', "line 10 is not a position"),
        (lines.replace(b'"move":"', b'"move":"no', 1), "is not legal in position 0"),
        (b"\x1f\x8bnothing", "cannot be read"),
    ):
        page = client.post("/review", files={"file": ("game.jsonl", given)})
        assert page.status_code == 422
        assert said in text_of(page)
    assert "Give a game as JSON lines" in text_of(bring(client, b""))


def test_a_game_being_played_is_open_to_nobody(client):
    page = begin(client, "figaro", ("person", "random", "random"), seed=3)
    table = watching(page).removeprefix("/watch/")
    for suffix in ("", "/0", "/film", "/page", "/analysis", "/practice", "/0/on", "/0/line",
                   "/0/explain", "/0/picture.svg", "/0/picture.png"):  # fmt: skip
        refused = client.get(f"/review/table/{table}{suffix}")
        assert refused.status_code == 403
        assert "still being played" in text_of(refused)
    assert table not in client.get("/review").text


def test_a_finished_table_is_reviewed(tmp_path):
    plan = TablePlan("figaro", 3, (), 5, tuple(SeatPlan(name) for name in "ABC"))
    game = first_snapshot(plan)
    while not game.is_over:
        game = game.pushed(game.position.moves()[0])
    played, last = game.moves, len(game.moves)
    with served(tmp_path) as client:
        client.get("/")
        owner = client.cookies["shakespeare_owner"]
        store = Store(tmp_path / "games.sqlite")
        table, _ = store.new_table(owner, plan, registry.box_digest("figaro"), [[0]], played[:-1])
        address = f"/review/table/{table}"
        assert client.get(address).status_code == 403
        store.add_move(table, last - 1, played[-1], 0, over=True)
        store.close()
    with served(tmp_path) as client:
        client.cookies["shakespeare_owner"] = owner
        assert address in client.get("/review").text
        page = client.get(f"{address}/{last}")
        assert f'data-last="{last}"' in page.text
        assert Film(game.positions, played, game.names or ()).board(last) in page.text


def events(client, address):
    """(event, data) of a stream of verdicts, which ends by itself."""
    answer = client.get(f"{address}/analysis", params={"agent": JUDGE})
    assert answer.status_code == 200, answer.text
    found = []
    for block in answer.text.replace("\r\n", "\n").split("\n\n"):
        entries = [line.partition(": ") for line in block.splitlines()]
        data = "\n".join(value for key, _, value in entries if key == "data")
        found += [(value, data) for key, _, value in entries if key == "event"]
    return found


def test_verdicts_come_in_while_one_listens(client, recorded):
    lines = [{"position": recorded.positions[-9].to_dict(), "agents": list(recorded.names)}]
    for move, position in zip(recorded.moves[-8:], recorded.positions[-8:], strict=True):
        lines.append({"move": move, "position": position.to_dict()})
    page = bring(client, "".join(json.dumps(line) + "\n" for line in lines).encode())
    address = page.url.path
    found = events(client, address)
    assert [event for event, _ in found[:4]] == ["graph", "learn", "mistakes", "summary"]
    assert found[-1] == ("done", "")
    known = [int(n) for n in re.findall(r"has judged (\d+) of 8", json.dumps(found))]
    assert known == sorted(set(known))
    assert "all 8 decisions" in json.dumps(found)
    # Somebody else gets the same, already judged.
    last = found[-2][1]
    assert events(client, address)[-2][1] == last
    shared = client.get(f"{address}/page", params={"agent": JUDGE})
    assert "attachment" in shared.headers["content-disposition"]
    for part in ("film-chances", "film-mistakes", "film-summary"):
        assert f'class="{part}"' in json.dumps(found).replace("\\", "")
        assert f'class="{part}"' in shared.text
    for name in ("nobody", "my.py:NAME"):
        assert client.get(GAME, params={"agent": name}).status_code == 400


def test_the_best_line_is_a_film_that_leaves_the_game(client, recorded):
    line = client.get(f"{GAME}/7/line", params={"agent": JUDGE}).json()
    assert len(line["frames"]) == len(line["values"]) == len(line["told"]) + 1 > 1
    assert line["told"][0]["move"] in recorded.positions[7].moves()
    assert sum(line["values"][0]) == pytest.approx(100, abs=0.5)
    film = Film([recorded.positions[7]], [], recorded.names)
    first = [line["pieces"][piece] for panel in line["frames"][0]
             for piece in line["panels"][panel]["pieces"]]  # fmt: skip
    assert all(piece in film.board(0) for piece in first)
    assert client.get(f"{GAME}/{len(recorded.moves)}/line").status_code == 409


def test_a_mistake_is_decided_once_more_as_its_seat_saw_it(client, recorded, monkeypatch):
    number = next(n for n, one in enumerate(recorded.positions) if n > 5 and len(one.moves()) > 5)
    position, played = recorded.positions[number], recorded.moves[number]
    best = next(move for move in position.moves() if move != played)
    rest = (played, (1.0,), (1.0,))
    seat = position.to_move
    verdict = Verdict(number + 1, seat, best, 0.2, 0.01, *rest)
    others = (Verdict(1, seat, best, 0.5, 0.6, *rest), Verdict(2, seat + 1, best, 0.5, 0, *rest))
    monkeypatch.setattr(Judging, "judged", lambda self: [*others, verdict])
    address = f"{GAME}/practice?agent={JUDGE}&seat={seat}"
    page = client.get(address)
    assert "Mistake 1 of 1" in page.text
    assert moves(page) == position.moves()
    # What the seat did not know is not shown either.
    assert Film([position], [], recorded.names, seat=seat).board(0) in page.text
    assert "all 1 mistakes" in text_of(client.get(f"{address}&n=1")).replace("  ", " ")
    for worth, says in ((0.0, "as good as the best"), (0.2, "not yet. It loses 20 %")):
        tried = Verdict(number + 1, seat, best, worth, 0.01, "other", (1.0,), (1.0,))
        monkeypatch.setattr(Judging, "tried", lambda self, at, move, tried=tried: tried)
        other = next(move for move in position.moves() if move not in (played, best))
        assert says in text_of(client.post(address, data={"move": other}))
        assert "that is the best move" in text_of(client.post(address, data={"move": best}))
        assert "that is what was played" in text_of(client.post(address, data={"move": played}))
    assert client.post(address, data={"move": "hop"}).status_code == 400
    assert client.get(f"{GAME}/{number}/explain?name=jester").status_code == 200


def test_a_position_has_a_picture(client, recorded):
    drawn = client.get(f"{GAME}/7/picture.svg")
    assert drawn.headers["content-type"] == "image/svg+xml"
    marks = Marks(numbered(recorded.names))
    assert drawn.text == recorded.positions[7].svg(marks)
    assert client.get(f"{GAME}/7/picture.png").content.startswith(b"\x89PNG")
    assert client.get(f"{GAME}/7/picture.gif").status_code == 404


def test_playing_on_begins_a_table_there(client, recorded):
    answer = client.get(f"{GAME}/7/on", follow_redirects=False)
    assert answer.status_code == 303
    lobby = answer.headers["location"]
    said = {key: value for key, (value,) in parse_qs(urlsplit(lobby).query).items()}
    assert Position.from_dict(json.loads(said["position"])) == recorded.positions[7]
    assert "begins in the middle of a game" in text_of(client.get(lobby))
    assert client.get(f"{GAME}/{len(recorded.moves)}/on").status_code == 409
