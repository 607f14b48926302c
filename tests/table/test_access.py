"""Which requests a server answers: host names, origins, tokens, lengths and kinds of forms."""

from functools import partial

import pytest
from starlette.testclient import TestClient

from shakespeare_table.browser.settings import Settings
from tests.table.tables import HOST, begin, invitations, served, site_of

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:7764", "", "[::1"])
def test_a_foreign_host_name_is_refused(client, host):
    """Otherwise pages of a host name that points to this machine could read this server's pages."""
    assert client.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:7764", "[::1]:7764"])
def test_addresses_and_localhost_are_answered(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_pages_of_other_sites_are_refused(client, origin):
    headers = {"Origin": origin}
    assert client.post("/tables", data={"game": "figaro"}, headers=headers).status_code == 403
    assert client.get("/", headers=headers).status_code == 403


def test_links_from_other_sites_are_followed(client):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("made_up", [b'"guess me; path=/"', "\xe9".encode("latin-1") * 16])
def test_an_owners_cookie_that_no_server_has_made_is_replaced(client, made_up):
    answer = client.get("/", headers={b"Cookie": b"shakespeare_owner=" + made_up})
    cookie = answer.headers["set-cookie"]
    assert "guess me" not in cookie
    assert "\xe9" not in cookie
    assert "httponly" in cookie.lower()


def test_browsers_must_not_keep_pages_or_run_foreign_scripts(client):
    headers = client.get("/").headers
    assert headers["cache-control"] == "no-store"  # the Back button must not show an old page
    policy = headers["content-security-policy"]
    assert {"default-src 'self'", "frame-ancestors 'none'"} <= set(policy.split("; "))
    assert "unsafe" not in policy
    assert headers["cross-origin-resource-policy"] == "same-origin"


def status_of_post(client, path, content=b"&", kind=FORM, **headers):
    return client.post(path, content=content, headers={"Content-Type": kind, **headers}).status_code


def test_requests_that_are_too_long_are_refused(client):
    assert status_of_post(client, "/tables", b"a" * (2**17 + 1)) == 413
    assert status_of_post(client, "/review/", b"a" * 2**18) == 413
    assert status_of_post(client, "/tables", **{"Content-Length": "9" * 5000}) == 413


def test_requests_without_a_length_are_refused(client):
    assert status_of_post(client, "/tables", iter([b"a"])) == 411


@pytest.mark.parametrize("charset", ["punycode", "undefined", "unicode_escape"])
def test_forms_in_other_charsets_are_refused(client, charset):
    kind = f"multipart/form-data; boundary=b; charset={charset}"
    assert status_of_post(client, "/tables", kind=kind) == 415


def test_an_upload_that_is_not_a_file_is_refused(client):
    assert status_of_post(client, "/review") == 415


def test_a_form_to_a_link_that_does_not_exist_is_not_read(client):
    assert status_of_post(client, "/seat/none/play", b"a&" * 99) == 404


@pytest.mark.parametrize("address", [f"/review/record/none/{'9' * 5000}", "/learn/levels"])
def test_an_address_that_cannot_be_read_is_not_found(client, address):
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("position", ['["\\ud800"]', "9" * 5000])
def test_a_position_that_cannot_be_read_is_the_senders_fault(client, position):
    assert client.get("/", params={"position": position}).status_code == 422


def test_an_unexpected_error_is_answered_with_the_security_headers(client, monkeypatch):
    monkeypatch.setattr(site_of(client).store, "link", lambda _: 1 / 0)
    answer = TestClient(client.app, HOST, raise_server_exceptions=False).get("/seat/none")
    assert answer.status_code == 500
    assert "default-src" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("base", "cookie_start", "is_secure"),
    [
        ("https://play.example.org", "__Host-shakespeare_token_443=", True),
        (HOST, "shakespeare_token_7764=", False),
    ],
)
def test_a_proxys_host_name_is_accepted_and_https_has_cookies_of_its_own(
    tmp_path, base, cookie_start, is_secure
):
    """The proxy may keep the host name or replace it. All ports of a host share its cookies."""
    name = "play.example.org"
    with served(tmp_path, token="open", host_names=[name]) as client:
        ask = partial(client.get, f"{base}/?token=open", follow_redirects=False)
        cookie = ask(headers={"Origin": f"https://{name}"}).headers["set-cookie"]
        assert cookie.startswith(cookie_start)
        assert ("Secure" in cookie) == is_secure
        assert ask(headers={"Origin": f"http://{name}:81"}).status_code == 403


@pytest.mark.parametrize(
    "reachable_by", [{"host": "0.0.0.0"}, {"host_names": ["play.example.org"]}]
)
def test_a_server_for_other_machines_needs_a_token(tmp_path, reachable_by):
    with pytest.raises(ValueError, match="token"):
        Settings(tmp_path / "games.sqlite", **reachable_by)


def test_a_token_is_asked_for_once_and_does_not_stay_in_the_address(tmp_path):
    with served(tmp_path, host="0.0.0.0", token="open sesame") as client:
        assert client.get("/").status_code == 403
        assert client.get("/", params={"token": "wrong"}).status_code == 403
        page = client.get("/", params={"token": "open sesame"})
        assert page.status_code == 200
        assert "token" not in str(page.url)
        assert client.get("/").status_code == 200


def test_a_request_with_a_token_is_not_redirected_to_another_server(tmp_path):
    with served(tmp_path, host="0.0.0.0", token="open sesame") as client:
        redirected = client.get(f"{HOST}//evil.example", params={"token": "open sesame"})
        assert redirected.history[0].headers["location"] == "/evil.example"


def test_links_to_seats_and_assets_of_pages_need_no_token(tmp_path):
    with served(tmp_path, host="0.0.0.0", token="open sesame") as client:
        client.get("/", params={"token": "open sesame"})
        page = begin(client)
        (invitation,) = invitations(page)
        client.cookies.clear()
        for address in (invitation, "/static/table.css", "/film/theme.css"):
            assert client.get(address).status_code == 200
        assert client.get("/review/table/none").status_code == 404
        for address in ("/", "/review", "/review/record/none"):
            assert client.get(address).status_code == 403
