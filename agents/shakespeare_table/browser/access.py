"""Access control: which requests a table server answers, and the cookies that it sets.

Pages of other sites cannot make a browser play here. A request is refused before any page handles
it if it asks for another host name (as after DNS rebinding), comes from another origin or is too
long.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shakespeare_table.browser.settings import Settings

MAX_UPLOAD_BYTES = 2**23
"""The size limit of a game that is uploaded for a review."""
_MAX_FORM_BYTES = 2**17  # a position takes some thousands
_UPLOADS = {"/review": MAX_UPLOAD_BYTES}
_ASSETS = ("/film/", "/static/")  # these are equal for everybody, so browsers may keep them
_NEEDS_NO_TOKEN = ("/seat/", "/watch/", "/events", "/review/table/", *_ASSETS)
"""Paths for which no token is needed. Links to seats, tables and reviews are secrets themselves."""
_FOR_GUESTS = {
    "GET": re.compile(r"/|/review|/learn(/.*)?|/rules/.*"),
    "POST": re.compile(r"/learn/[^/]+/first-game"),
}
"""Paths that a guest, who holds a seat but has no token, may open, by the method."""
_TOKEN_COOKIE = "shakespeare_token"
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class _Refusal(NamedTuple):
    status: int
    text: str


class AccessControl:
    """Middleware that refuses forbidden requests, and sets the security headers of all answers.

    Args:
        app: The application that answers the other requests.
        settings: The server's settings.
        holds_a_seat: A function that returns whether the browser of a request holds a seat.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, holds_a_seat: Callable[[Request], bool]
    ) -> None:
        self._app = app
        self._settings = settings
        self._holds_a_seat = holds_a_seat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, refuse it, or redirect a browser that has just shown its token."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(SECURITY_HEADERS)
                if not scope["path"].startswith(_ASSETS):
                    # Otherwise the Back button would show an old page, perhaps to somebody else.
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        request = Request(scope)
        refusal = self._refusal(request)
        answer: ASGIApp
        if refusal is not None:
            answer = PlainTextResponse(f"{refusal.text}\n", refusal.status)
        else:
            answer = await self._token_response(request) or self._app
        await answer(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> _Refusal | None:
        host = request.headers.get("host", "")
        if not self._is_own_host(host):
            return _Refusal(
                421,
                f"This server is not called {host[:100]!r}. Open the address that it printed, or "
                "start it with --name and this name.",
            )
        origin = request.headers.get("origin")
        if origin is not None and origin not in self._own_origins(request.url.scheme, host):
            return _Refusal(
                403,
                f"This request comes from a page of another site, {origin[:100]!r}. If that is a "
                "proxy of this server, start the server with --name and the proxy's name.",
            )
        return _body_refusal(request) if request.method == "POST" else None

    async def _token_response(self, request: Request) -> Response | None:
        """Return the answer to a request that needs the token; None if it may go on."""
        request.state.is_guest = False
        token = self._settings.token
        path = request.scope["path"]
        if not token or path.startswith(_NEEDS_NO_TOKEN):
            return None
        # A browser sends a host's cookies to all its ports, so the name tells servers apart.
        cookie_name = f"{_TOKEN_COOKIE}_{request.scope['server'][1]}"
        if self._is_token(request.query_params.get("token", "")):
            # Redirect to the same page without the token, since browsers keep addresses in their
            # history. A path that begins with two slashes would lead to another server.
            response = RedirectResponse(f"/{path.lstrip('/')}", 303)
            set_cookie(request, response, cookie_name, token)
            return response
        if self._is_token(cookie(request, cookie_name)):
            return None
        for_guests = _FOR_GUESTS.get(request.method)
        is_for_guests = for_guests is not None and for_guests.fullmatch(path) is not None
        if is_for_guests and await run_in_threadpool(self._holds_a_seat, request):
            request.state.is_guest = True
            return None
        text = (
            "This page needs the server's token. Open the address that the server printed. Guests "
            "need none once they have taken a seat by the link that the host has given them.\n"
        )
        return PlainTextResponse(text, 403)

    def _own_origins(self, scheme: str, host: str) -> set[str]:
        # Some proxies replace the host, and some do not say that they speak HTTPS.
        names = [name.lower() for name in self._settings.host_names]
        origins = {f"{scheme}://{name}" for name in (host, *names)}
        return origins | {f"https://{name}" for name in names}

    def _is_own_host(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            own_names = [urlsplit(f"//{own}").hostname for own in self._settings.host_names]
            if name in ("localhost", self._settings.host, *own_names):
                return True
            # DNS rebinding needs a name, so an address is always safe.
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._settings.token.encode())


def _body_refusal(request: Request) -> _Refusal | None:
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        return _Refusal(411, "A request must state its length.")
    max_bytes = _UPLOADS.get(request.scope["path"], _MAX_FORM_BYTES)
    if len(length) > len(str(max_bytes)) or int(length) > max_bytes:
        return _Refusal(413, f"A request may have {max_bytes:,} bytes at most here.")
    kind, options = parse_options_header(request.headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() != b"utf-8":
        return _Refusal(415, "A form must be written in UTF-8.")
    if request.scope["path"] in _UPLOADS and kind != b"multipart/form-data":
        return _Refusal(415, "A game must be sent as a file.")
    return None


def set_cookie(
    request: Request, response: Response, name: str, value: str, max_age: int | None = None
) -> None:
    """Set a cookie that scripts, other sites and, under HTTPS, eavesdroppers cannot read.

    Args:
        request: The request that is answered.
        response: The answer to it.
        name: The name by which `cookie` finds the value again.
        value: The value to set.
        max_age: The lifetime in seconds; None ends it with the browser.
    """
    secure = request.url.scheme == "https"
    full_name = _cookie_name(request, name)
    response.set_cookie(full_name, value, max_age, secure=secure, httponly=True, samesite="lax")


def cookie(request: Request, name: str) -> str:
    """Return the value of a cookie set by `set_cookie`, or empty text."""
    return request.cookies.get(_cookie_name(request, name), "")


def _cookie_name(request: Request, name: str) -> str:
    # Browsers neither send cookies with this prefix over HTTP, nor let a page replace them there.
    return f"__Host-{name}" if request.url.scheme == "https" else name
