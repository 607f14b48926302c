"""What a table server refuses before any page sees it."""

import pytest

from shakespeare_agents.table.settings import Settings
from tests.table.tables import begin, served

ELSEWHERE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}


def test_other_host_names_are_refused(client):
    """Else a name that somebody points here would be our origin."""
    for host in ("evil.example", "127.0.0.1.evil.example:7764", "", "[::1", "8.8.8.8"):
        assert client.get("/", headers={"Host": host}).status_code == 421, host
    for host in ("127.0.0.1:1", "localhost:7764", "[::1]:7764"):
        assert client.get("/", headers={"Host": host}).status_code == 200, host


def test_other_sites_may_link_here_but_not_read_or_post(client):
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        ELSEWHERE,
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    ):
        answer = client.post("/tables", data={"game": "figaro"}, headers=headers)
        assert answer.status_code == 403, headers
    assert client.get("/", headers=ELSEWHERE).status_code == 200
    assert client.get("/", headers={**ELSEWHERE, "Sec-Fetch-Mode": "no-cors"}).status_code == 403
    assert client.get("/", headers={"Origin": "http://evil.example"}).status_code == 403


def test_pages_may_not_run_or_load_what_is_not_theirs(client):
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_long_requests_are_refused_announced_or_not(client):
    assert client.post("/tables", data={"game": "a" * 70_000}).status_code == 413
    parts = (b"a" * 1000 for _ in range(70))
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/tables", content=parts, headers=kind).status_code == 413


def test_a_server_for_other_machines_needs_a_token(tmp_path):
    with pytest.raises(ValueError, match="give a token"):
        Settings(tmp_path / "games.sqlite", host="0.0.0.0")
    with served(tmp_path, host="0.0.0.0", token="open sesame") as client:
        assert client.get("/").status_code == 403
        assert client.get("/", params={"token": "wrong"}).status_code == 403
        let_in = client.get("/", params={"token": "open sesame"})
        assert let_in.status_code == 200
        assert "token" not in str(let_in.url)
        seat = begin(client).url.path
        client.cookies.clear()
        # Links to seats, shared games and what pages are made of need none.
        for address in (seat, "/static/table.css", "/review/theme.css", "/review/film.css"):
            assert client.get(address).status_code == 200
        assert client.get("/review/table/none").status_code == 404
        for address in ("/", "/review", "/box", "/folders", "/review/record/none"):
            assert client.get(address).status_code == 403
        assert client.get("/", headers={"Host": "10.0.0.7:7764"}).status_code == 403
        assert client.get("/", headers={"Host": "rebound.example"}).status_code == 421


def test_nobody_sets_the_owner_of_a_table_but_the_server(client):
    assert "httponly" in client.get("/").headers["set-cookie"].lower()
    client.cookies.set("shakespeare_owner", "guess me; path=/", domain="127.0.0.1")
    assert "guess me" not in client.get("/").headers["set-cookie"]
