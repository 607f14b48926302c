"""How a table server is set up."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from starlette.exceptions import HTTPException

LOCAL = "127.0.0.1"
PORT = 7764


@dataclass(frozen=True)
class Settings:
    """How a table server is set up.

    Attributes:
        database: The SQLite file that keeps games.
        host: The address it listens on.
        port: The port it listens on; 0 takes a free one.
        token: Needed to see any page; none is needed if it is empty.
        agents: Names of more agents that may be seated, checkpoints and Python among them.
        folders: Datasets and arenas to look at.
        box_file: Where the box desk writes an owner's values; None lets them be downloaded only.
        names: Host names by which browsers may call it, besides its address.
    """

    database: Path
    host: str = LOCAL
    port: int = PORT
    token: str = ""
    agents: Sequence[str] = ()
    folders: Sequence[Path] = ()
    box_file: Path | None = None
    names: Sequence[str] = field(default=())

    def __post_init__(self) -> None:
        if not is_local(self.host) and not self.token:
            raise ValueError(f"host={self.host!r} is open to other machines: give a token")

    def watched(self, number: int) -> Path:
        """The watched folder of a number; HTTPException if there is none."""
        if number >= len(self.folders):
            raise HTTPException(404, "This server watches no such folder.")
        return self.folders[number]


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address to listen on."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
