"""The settings of a table server, and the addresses at which it can be reached."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_HOST_NAME = re.compile(r"[A-Za-z0-9_.-]+(:[0-9]+)?")
_ALL_INTERFACES = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The addresses that stand for all network interfaces, each with one to open on this machine."""
_ANYWHERE = ("192.0.2.1", 9)  # an address that no machine has


@dataclass(frozen=True)
class Settings:
    """The settings of a table server.

    Attributes:
        database: The SQLite file that holds the games.
        host: The address to listen on.
        port: The port to listen on; 0 takes a free one.
        token: A secret that browsers need to open pages. Seats, games to watch and reviews of games
            need none, because their links are secrets themselves, and a guest who holds a seat may
            open the lobby and lessons. The token may be empty on a server that only this machine
            can reach.
        agents: The names of further agents to offer, such as checkpoints and Python files.
        limit: The time that an agent may take for a move, in seconds.
        host_names: The host names that the server answers to besides addresses and `localhost`:
            its own in the network, or a proxy's. A name with a port of its own is NAME:PORT.

    Raises:
        ValueError: A host name is malformed, or other machines can connect and there is no token.
    """

    database: Path
    host: str = "127.0.0.1"
    port: int = 7764
    token: str = ""
    agents: Sequence[str] = ()
    limit: float = 60.0
    host_names: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in self.host_names:
            if not _HOST_NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a host name; give one such as play.example.org")
        if (self.host_names or not is_local(self.host)) and not self.token:
            raise ValueError(
                f"host={self.host!r}, host_names={self.host_names!r}: other machines can connect; "
                "give a token"
            )

    def listen(self) -> socket.socket:
        """Return a socket that listens on the server's address.

        Raises:
            OSError: This machine does not have the address, or it is in use.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        return socket.create_server((self.host, self.port), family=family)

    def addresses(self, port: int) -> list[str]:
        """Return the addresses to open in a browser, this machine's own first.

        Args:
            port: The port that the server listens on.
        """
        hosts = [_ALL_INTERFACES.get(self.host, self.host), *self._other_hosts()]
        query = f"?token={self.token}" if self.token else ""
        return [f"http://{_bracketed(host)}:{port}/{query}" for host in dict.fromkeys(hosts)]

    def public_address(self, scheme: str, host: str, port: int) -> str | None:
        """Return the address at which other machines reach the server; None if none of them can.

        Args:
            scheme: The scheme of a request, as its browser or a trusted proxy says.
            host: The host of the request, with its port.
            port: The port that the server listens on.
        """
        if not is_local(urlsplit(f"//{host}").hostname or ""):
            return f"{scheme}://{host}"
        if self.host_names:
            name = self.host_names[0]
            # A server that listens only to this machine has a proxy in front, which speaks HTTPS.
            if scheme == "https" or is_local(self.host):
                return f"https://{name}"
            return f"http://{name}" if ":" in name else f"http://{name}:{port}"
        others = self._other_hosts()
        return f"http://{_bracketed(others[0])}:{port}" if others else None

    def _other_hosts(self) -> list[str]:
        """Return the addresses by which other machines may reach this one."""
        if self.host not in _ALL_INTERFACES:
            return [] if is_local(self.host) else [self.host]
        found: list[str] = []
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ANYWHERE)  # chooses an interface, and sends nothing
            found.append(probe.getsockname()[0])
        with suppress(OSError):  # this machine's name has no address
            _, _, named = socket.gethostbyname_ex(socket.gethostname())
            found += named
        return [host for host in dict.fromkeys(found) if not is_local(host)]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def is_local(host: str) -> bool:
    """Return whether only this machine can reach a server that listens on an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
