"""What a table server refuses before any page sees it."""

import pytest

from shakespeare_agents.table.settings import Settings
from tests.table.tables import HOST, begin, served

TOKEN = "open sesame"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("games")) as found:
        yield found


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:7764", "", "[::1", "8.8.8.8"]
)
def test_other_host_names_are_refused(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:7764", "[::1]:7764"])
def test_this_machines_names_are_answered(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_other_sites_cannot_post(client, headers):
    assert client.post("/tables", data={"game": "figaro"}, headers=headers).status_code == 403


def test_other_sites_may_link_here_but_not_read(client):
    linked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=linked).status_code == 200
    assert client.get("/", headers={**linked, "Sec-Fetch-Mode": "no-cors"}).status_code == 403
    assert client.get("/", headers={"Origin": "http://evil.example"}).status_code == 403


def test_pages_may_not_run_or_load_what_is_not_theirs(client):
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_long_requests_are_refused_announced_or_not(client):
    long = "a" * 70_000
    assert client.post("/tables", data={"game": long}).status_code == 413

    def parts():
        for _ in range(70):
            yield b"a" * 1000

    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = client.post("/tables", content=parts(), headers=kind)
    assert answer.status_code == 413


def test_a_server_for_other_machines_needs_a_token(tmp_path):
    with pytest.raises(ValueError, match="give a token"):
        Settings(tmp_path / "games.sqlite", host="0.0.0.0")
    with served(tmp_path, host="0.0.0.0", token=TOKEN) as client:
        assert client.get("/").status_code == 403
        assert client.get("/", params={"token": "wrong"}).status_code == 403
        assert client.get("/static/table.css").status_code == 200
        let_in = client.get("/", params={"token": TOKEN})
        assert let_in.status_code == 200
        assert "token" not in str(let_in.url)
        page = begin(client)
        assert page.status_code == 200
        client.cookies.clear()
        assert client.get(page.url.path).status_code == 200
        assert client.get("/review/table/none").status_code == 404
        assert client.get("/review/film.css").status_code == 200
        for address in ("/", "/review", "/box", "/folders", "/review/record/none"):
            assert client.get(address).status_code == 403
        assert client.get("/", headers={"Host": "10.0.0.7:7764"}).status_code == 403
        assert client.get("/", headers={"Host": "rebound.example"}).status_code == 421


def test_nobody_sets_the_owner_of_a_table_but_the_server(client):
    client.cookies.clear()
    first = client.get("/")
    assert "httponly" in first.headers["set-cookie"].lower()
    client.cookies.set("shakespeare_owner", "guess me; path=/", domain="127.0.0.1")
    assert "guess me" not in client.get("/").headers["set-cookie"]
    assert HOST.endswith("7764")
