"""How a table server is set up."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from starlette.exceptions import HTTPException

from shakespeare_agents import naming

LOCAL = "127.0.0.1"
PORT = 7764
LIMIT = 60.0


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
        limit: The most seconds that an agent may think about a move.
        names: Host names by which browsers may call it, besides its address.
        pace: Seconds a move of the demo, in which agents play for an audience; None has no demo.
    """

    database: Path
    host: str = LOCAL
    port: int = PORT
    token: str = ""
    agents: Sequence[str] = ()
    folders: Sequence[Path] = ()
    box_file: Path | None = None
    limit: float = LIMIT
    names: Sequence[str] = field(default=())
    pace: float | None = None

    def __post_init__(self) -> None:
        if not is_local(self.host) and not self.token:
            raise ValueError(f"host={self.host!r} is open to other machines: give a token")

    @property
    def offered(self) -> dict[str, str]:
        """Names of `agents` by what pages call them: without the folders they are in."""
        found: dict[str, str] = {}
        for name in self.agents:
            short, number = without_folder(name), 1
            while (called := short if number == 1 else f"{short} ({number})") in found:
                number += 1
            found[called] = name
        return found

    def called(self, agent: str) -> str:
        """What pages call an agent of this name."""
        known = {name: called for called, name in self.offered.items()}
        return known.get(agent) or without_folder(agent)

    def watched(self, number: int) -> Path:
        """The watched folder of a number; HTTPException if there is none."""
        if number >= len(self.folders):
            raise HTTPException(404, "This server watches no such folder.")
        return self.folders[number]


def without_folder(agent: str) -> str:
    """An agent's name without the folder of its file or checkpoint."""
    bare, comma, options = agent.partition(",")
    return agent if bare in naming.names() else Path(bare).name + comma + options


def is_local(host: str) -> bool:
    """Whether only this machine can reach an address to listen on."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
