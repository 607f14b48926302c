"""The connections of a server: how many there are, and how long a request may take to arrive.

Uvicorn itself counts whole requests alone, so that those that never become whole would take every
descriptor of the process.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

BACKLOG = 64
"""Connections that are taken at a time."""
_DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
MOST = min(512, max(_DESCRIPTORS // 2 - BACKLOG // 2, 8))
"""The most connections, some in any case; descriptors remain for files and processes."""
WHOLE_S = 30.0
"""Seconds for a request to arrive."""
_SAID_AGAIN_S = 60.0


class Connection(H11Protocol):
    """HTTP as Uvicorn speaks it; refuses more than `MOST` connections and requests that linger."""

    _arriving: asyncio.TimerHandle | None = None
    _said_at: ClassVar[float] = float("-inf")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or end at once."""
        super().connection_made(transport)
        if len(self.connections) > MOST:
            self._say(f"there are {MOST} connections already; more are refused")
            transport.abort()
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        """A part of a request, or all of it."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._expect_request()
        else:
            self._expect_nothing()

    def connection_lost(self, exc: Exception | None) -> None:
        """The end."""
        self._expect_nothing()
        super().connection_lost(exc)

    def _expect_request(self) -> None:
        if self._arriving is None:
            self._arriving = self.loop.call_later(WHOLE_S, self.transport.abort)

    def _expect_nothing(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _say(self, text: str) -> None:
        """One line a minute, however many are refused."""
        if time.monotonic() - Connection._said_at > _SAID_AGAIN_S:
            Connection._said_at = time.monotonic()
            logging.getLogger("uvicorn.error").warning(text)
