"""A table server as users start it, in a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

_COMMAND = (sys.executable, "-m", "shakespeare_env", "table", "--no-browser")


class TableServer:
    """`shakespeare table` on this machine, with games in a folder; stopped and started at will."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self._arguments = [*arguments, "--games", str(folder / "games.sqlite")]
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> "TableServer":
        """Start it; at the same address as before, if it has run before."""
        with (self.folder / f"stderr-{id(self)}.txt").open("a") as errors:
            self._process = subprocess.Popen(
                [*_COMMAND, "--port", str(self._port), *self._arguments],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert "stands at http" in said, said + self.errors()
        self.address = said.split()[-1]
        self._port = int(self.address.rstrip("/").rpartition(":")[2])
        return self

    def kill(self) -> None:
        """End it as a failing machine would: it has no time for a last word."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as Ctrl-C would."""
        if self._process is not None:
            self._end(signal.SIGTERM)

    def end(self, signal_name: str) -> str:
        """End it by a signal; the rest of what it has said."""
        assert self._process is not None
        self._process.send_signal(signal.Signals[signal_name])
        said, _ = self._process.communicate(timeout=30)
        self._process = None
        return said

    def errors(self) -> str:
        """All that it has written to its terminal as errors."""
        return (self.folder / f"stderr-{id(self)}.txt").read_text()

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.send_signal(how)
        self._process.wait(30)
        self._process.stdout.close()
        self._process = None
