"""The refusal of requests that a table server must not answer.

Pages of other sites cannot make a browser play here: requests for other host names (as after a DNS
rebinding), from other origins, or too long are refused before any page sees them.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shakespeare_agents.table.settings import Settings, is_local

LONGEST_FORM = 2**16
"""The most bytes of a request, but for the paths in `LONGER`."""
LONGER: Mapping[str, int] = {"/review": 2**23, "/box": 2**20}
"""The most bytes of requests under some paths."""
OPEN = (
    "/seat/",
    "/watch/",
    "/review/table/",
    "/review/film.",
    "/review/judged.",
    "/review/theme.",
    "/static/",
    "/demo",
)
"""Paths that need no server token: a table's links to seats, watching
and review are secret, and a demo is for everybody."""
COOKIE = "shakespeare_token"
_A_MONTH = 30 * 86_400
"""Seconds for which a browser keeps the token."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """Lets through what may be answered, and adds what browsers have to enforce.

    Args:
        app: Answers the rest.
        settings: The settings of the server.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self._refusal(request)
        if refusal is None and self._settings.token and not scope["path"].startswith(OPEN):
            if self._is_token(request.query_params.get("token", "")):
                # The same page, without the token in its address, which browsers would keep.
                response = RedirectResponse(scope["path"], 303)
                response.set_cookie(
                    COOKIE, self._settings.token, httponly=True, samesite="lax", max_age=_A_MONTH
                )
                await response(scope, receive, send)
                return
            if not self._is_token(request.cookies.get(COOKIE, "")):
                refusal = 403, "This page needs the server's token: open the address it printed.\n"
        if refusal is not None:
            await PlainTextResponse(refusal[1], refusal[0])(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, _Bounded(receive, _longest(scope["path"])), send_with_headers)

    def _refusal(self, request: Request) -> tuple[int, str] | None:
        scope, headers = request.scope, request.headers
        host = headers.get("host", "")
        if not self._is_ours(host):
            return 421, f"This server is not {host[:100]!r}; call it by the address it printed.\n"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        reading = scope["method"] in ("GET", "HEAD")
        foreign = origin is not None and origin != f"{scope['scheme']}://{host}"
        crossing = site in ("cross-site", "same-site")
        if reading and headers.get("sec-fetch-mode", "navigate") == "navigate" and not origin:
            crossing = False  # somebody follows a link
        if foreign or crossing:
            return 403, "This request comes from a page of another site.\n"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 12):
            return 400, "The length of this request is no number.\n"
        if int(length) > _longest(scope["path"]):
            return 413, f"A request here has {_longest(scope['path']):,} bytes at most.\n"
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        settings = self._settings
        if name in ("localhost", settings.host.strip("[]"), *settings.names):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        # A rebound name is a name: an address can only be that of this machine.
        return address.is_loopback or not is_local(settings.host)

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._settings.token.encode())


class _Bounded:
    """A request's body up to a length; after that the client counts as disconnected."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        return message if self._left >= 0 else {"type": "http.disconnect"}


def _longest(path: str) -> int:
    return next((most for start, most in LONGER.items() if path.startswith(start)), LONGEST_FORM)
