"""A table server in a process, started as users start it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2

from shakespeare_env.core import registry

_COMMAND = (sys.executable, "-m", "shakespeare_env", "table", "--no-browser")


class TableServer:
    """A process of `shakespeare table` with its games in a folder, which can be started again."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._errors = folder / f"stderr-{id(self)}.txt"
        self._arguments = [*arguments, "--games", str(folder / "games.sqlite")]
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> "TableServer":
        """Start the server, at the address of an earlier start, and wait until games can begin."""
        with self._errors.open("a") as errors:
            self._process = subprocess.Popen(
                [*_COMMAND, "--port", str(self._port), *self._arguments],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "Play at http" in line, line + self.errors()
        self.address = line.split()[-1]
        self._port = int(self.address.rstrip("/").rpartition(":")[2])
        for name in registry.names():
            first_game = f"{self.address}learn/{name}/first-game"
            while httpx2.post(first_game, timeout=60).status_code != 303:
                time.sleep(0.2)
        return self

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the server by a signal."""
        assert self._process is not None
        self._process.send_signal(how)
        self._process.communicate(timeout=30)

    def errors(self) -> str:
        """Return the text that the server has written to standard error."""
        return self._errors.read_text()
