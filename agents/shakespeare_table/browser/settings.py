"""How a table server is set up: who may play there, and which requests it does not answer.

Pages of other sites cannot make a browser play here: requests for other host names (as after a DNS
rebinding), from other origins, or too long are refused before any page sees them.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from python_multipart.multipart import parse_options_header
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shakespeare_agents import naming
from shakespeare_agents.heuristics import has_heuristics
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.errors import ShakespeareEnvError

MOST_BYTES = 2**23
"""The most bytes of a game that is brought to the review."""
_LONG = {"/review": MOST_BYTES}
_SHORT = 2**17  # the most bytes of any other request: a position has some thousands
_SAME_FOR_ALL = ("/film/", "/static/")  # paths of what pages are made of, which browsers may keep
_OPEN = ("/seat/", "/watch/", "/events", "/review/table/", *_SAME_FOR_ALL)
"""Paths that need no server token: a table's links to seats, watching and review are secret."""
_COOKIE = "shakespeare_token"
_SEARCHES = ("search,simulations=256", "search,seconds=2", "search,seconds=10")
strongest = cache(naming.default)
"""The default agent, remembered: to find it, the cards of all bundled networks are read."""
_NAME = re.compile(r"[A-Za-z0-9_.-]+(:[0-9]+)?")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class TableError(ShakespeareEnvError, ValueError):
    """What a table cannot do: why, and what can be done instead."""


@dataclass(frozen=True)
class Settings:
    """How a table server is set up.

    Attributes:
        token: Needed to see any page but those of seats; none is needed if it is empty.
        agents: Names of more agents that may be seated, checkpoints and Python among them.
        limit: The most seconds that an agent may think about a move.
        names: Host names that it answers to besides addresses and `localhost`: its own in the
            network, or a proxy's; one with a port other than the usual one is NAME:PORT.
    """

    database: Path
    host: str = "127.0.0.1"
    port: int = 7764
    token: str = ""
    agents: Sequence[str] = ()
    limit: float = 60.0
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in self.names:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no host name; give one such as play.example.org")
        if (self.names or not is_local(self.host)) and not self.token:
            raise ValueError(f"host={self.host!r}, names={self.names!r}: others come; give a token")

    @property
    def offered(self) -> dict[str, str]:
        """Names of `agents` by what pages call them: without the folders they are in."""
        offered: dict[str, str] = {}
        for name in self.agents:
            short = naming.public_name(name)
            offered[f"{short} ({len(offered) + 1})" if short in offered else short] = name
        return offered

    def called(self, agent: str) -> str:
        """What pages call an agent of this name, whether or not it is offered."""
        offered = {name: called for called, name in self.offered.items()}
        return offered.get(agent, naming.public_name(agent))

    def agents_for(self, game: str) -> list[str]:
        """The agents that may be seated, as pages call them, the levels first."""
        rules = registry.game(game)
        names = [level["agent"] for level in levels_of(game)]
        if strongest(rules) == "network":
            names += ["network", *_SEARCHES]
        if has_heuristics(rules):
            names += ["heuristic", "greedy"]
        names += [name for name in naming.names() if name not in naming.BUILT_IN]
        return list(dict.fromkeys([*names, "random", *self.offered]))

    def allowed(self, called: str, game: str) -> str:
        """An agent that is offered, as `make` takes it; TableError for any other one."""
        if called not in self.agents_for(game):
            raise self._not_offered(called, game)
        return self.offered.get(called, called)

    def check_offered(self, agent: str, game: str) -> None:
        """TableError unless an agent, as `make` takes it, is offered."""
        if agent not in (self.offered.get(called, called) for called in self.agents_for(game)):
            raise self._not_offered(self.called(agent), game)

    def _not_offered(self, called: str, game: str) -> TableError:
        return TableError(
            f"{short_repr(called)} is not offered here; there are: "
            f"{', '.join(self.agents_for(game))}; "
            "others are once they are named on the command line, with --agent"
        )


def levels_of(game: str) -> list[dict[str, str]]:
    """Opponents of measured strength for the box in force, by `name` and `agent`, weakest first."""
    text = files(__package__).joinpath("learning/levels.toml").read_text(encoding="utf-8")
    levels: list[dict[str, str]] = tomllib.loads(text).get(game, [])
    if strongest(registry.game(game)) == "network":
        return levels
    return [level for level in levels if not level["agent"].startswith(("network", "search"))]


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address to listen on."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def set_cookie(
    request: Request, response: Response, name: str, value: str, max_age: int | None = None
) -> None:
    """Set a cookie that scripts and other sites do not get, nor anybody who listens to HTTPS."""
    secure = request.url.scheme == "https"
    name = _named(request, name)
    response.set_cookie(name, value, max_age, secure=secure, httponly=True, samesite="lax")


def cookie(request: Request, name: str) -> str:
    """What `set_cookie` has set, or empty."""
    return request.cookies.get(_named(request, name), "")


def _named(request: Request, name: str) -> str:
    # Cookies set by HTTPS have names of their own: by HTTP they are neither sent nor replaced.
    return f"__Host-{name}" if request.url.scheme == "https" else name


class Guard:
    """Lets through what may be answered, and adds what browsers have to enforce."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if not scope["path"].startswith(_SAME_FOR_ALL):
                    # Else the Back button shows what was to be seen then, maybe to somebody else.
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        request, token = Request(scope), self._settings.token
        answer: ASGIApp = self._app
        if (refusal := self._refusal(request)) is not None:
            answer = PlainTextResponse(f"{refusal[1]}\n", refusal[0])
        elif token and not scope["path"].startswith(_OPEN):
            name = f"{_COOKIE}_{scope['server'][1]}"  # a host's cookies are sent to all its ports
            if self._is_token(request.query_params.get("token", "")):
                # The same page, without the token in its address, which browsers would keep; with
                # two slashes a path would be another server's address.
                answer = there = RedirectResponse(f"/{scope['path'].lstrip('/')}", 303)
                set_cookie(request, there, name, token)
            elif not self._is_token(cookie(request, name)):
                text = "This page needs the server's token: open the address it printed.\n"
                answer = PlainTextResponse(text, 403)
        await answer(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> tuple[int, str] | None:
        headers, host = request.headers, request.headers.get("host", "")
        if not self._is_ours(host):
            return 421, (
                f"This server is not {host[:100]!r}; call it by the address it printed, or start "
                "it with --name and this name."
            )
        if headers.get("origin") not in (None, *self._origins(request.url.scheme, host)):
            return 403, (
                f"This request comes from a page of another site, {headers['origin'][:100]!r}; if "
                "that is a proxy of this server, start it with --name and the proxy's name."
            )
        if request.method == "POST":
            length = headers.get("content-length", "")
            if not length.isdecimal():
                return 411, "A request must say how long it is."
            most = _LONG.get(request.scope["path"], _SHORT)
            if len(length) > len(str(most)) or int(length) > most:
                return 413, f"A request has {most:,} bytes at most here."
            kind, options = parse_options_header(headers.get("content-type"))
            if options.get(b"charset", b"utf-8").lower() != b"utf-8":
                return 415, "A form is written in UTF-8."
            if most > _SHORT and kind != b"multipart/form-data":
                return 415, "A game comes as a file."
        return None

    def _origins(self, scheme: str, host: str) -> set[str]:
        # A proxy may replace the host, and not say that it speaks HTTPS.
        names = [name.lower() for name in self._settings.names]
        return {f"{scheme}://{name}" for name in (host, *names)} | {f"https://{it}" for it in names}

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            names = (urlsplit(f"//{name}").hostname for name in self._settings.names)
            if name in ("localhost", self._settings.host, *names):
                return True
            ipaddress.ip_address(name)  # a rebound name is a name
        except ValueError:
            return False
        return True

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._settings.token.encode())
