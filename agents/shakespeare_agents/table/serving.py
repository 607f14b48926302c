"""A table server, run until somebody ends it."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from dataclasses import replace

import uvicorn

from shakespeare_agents.table.app import make_app
from shakespeare_agents.table.settings import Settings, is_local
from shakespeare_env.values import shown

_BACKLOG = 128


def listening(settings: Settings) -> socket.socket:
    """A socket of the server's address; OSError if there is no such address, or it is taken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((settings.host, settings.port))
        found.listen(_BACKLOG)
    except OSError:
        found.close()
        raise
    except (TypeError, ValueError) as fault:  # no valid host name
        found.close()
        raise OSError(f"there is no host {shown(settings.host)}") from fault
    return found


def address(settings: Settings, port: int) -> str:
    """What to enter in a browser."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    token = f"?token={settings.token}" if settings.token else ""
    return f"http://{host}:{port}/{token}"


def other_addresses(settings: Settings, port: int) -> list[str]:
    """What to enter in browsers of other machines, as far as this machine knows its addresses."""
    if settings.host not in ("0.0.0.0", "::"):
        return []
    try:
        found = socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:
        return []
    hosts = [host for host in found if not is_local(host)]
    return [address(replace(settings, host=host), port) for host in hosts]


def serve(settings: Settings, announce: Callable[[list[str]], None], *, opened: bool) -> None:
    """Serve until an interrupt.

    Args:
        settings: How the server is set up.
        announce: Called with the addresses, this machine's first, once requests are answered.
        opened: Whether to show it in a browser.

    Raises:
        StoreError: games cannot be kept.
        OSError: the address is taken.
    """
    with listening(settings) as found:
        app = make_app(settings)
        where = address(settings, found.getsockname()[1])
        config = uvicorn.Config(
            app,
            log_level="warning",
            timeout_graceful_shutdown=1,
            lifespan="on",
            server_header=False,
        )
        announce([where, *other_addresses(settings, found.getsockname()[1])])
        if opened:
            webbrowser.open(where)
        uvicorn.Server(config).run([found])
