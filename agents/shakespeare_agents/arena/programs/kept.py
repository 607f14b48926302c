"""A program under its keeper: how it is started, what it takes, how it ended, and its end."""

from __future__ import annotations

import errno
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from shakespeare_agents.arena.programs.program import Program
from shakespeare_env.extras import needing

with needing("arena", "external programs need"):
    import psutil

_KEEPER = Path(__file__).with_name("keeper.py")
_LONGEST_END = 10.0
"""Seconds that a keeper has to end everything; one that is stopped itself never does."""


class Kept:
    """A program that runs until `end`, or until this process ends, in whatever way.

    Attributes:
        pipes: Its standard input, output and error.

    Raises:
        OSError: it cannot be started; or this machine has no processes, memory or file descriptors
            left.
    """

    def __init__(self, program: Program, environment: Mapping[str, str]) -> None:
        self._socket, keepers = socket.socketpair()
        try:
            with keepers:
                # The keeper is ours and may need our environment's library paths.
                self._keeper = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_KEEPER), str(keepers.fileno())],
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=[keepers.fileno()],
                    start_new_session=True,
                )
        except BaseException:
            self._socket.close()
            raise
        self._owner, self._program = os.getpid(), None
        try:
            self.pipes = [pipe for pipe in _pipes(self._keeper) if pipe is not None]
            given = list(program.argv), os.fspath(program.folder), dict(environment)
            with suppress(BrokenPipeError):
                self._socket.sendall(marshal.dumps(given))
            what, number = self._said()
            if what != "pid":
                raise OSError(number, os.strerror(number))
            with suppress(psutil.NoSuchProcess):
                self._program = psutil.Process(number)
        except BaseException:
            self.end()
            raise

    def resident_bytes(self) -> int:
        """Resident memory of the program and of all that it has started."""
        total = 0
        with suppress(psutil.NoSuchProcess):
            for process in psutil.Process(self._keeper.pid).children(recursive=True):
                with suppress(psutil.Error):
                    total += process.memory_info().rss
        return total

    def exit_code(self, seconds: float) -> int | None:
        """The exit code once all processes have ended; None if they do not in `seconds`."""
        ready = select.poll()
        ready.register(self._socket, select.POLLIN)
        if not ready.poll(1000 * seconds):
            return None
        what, code = self._said()
        return code if what == "code" else -signal.SIGKILL  # of its keeper

    def end(self) -> None:
        """Kill the program and all that it has started."""
        if os.getpid() != self._owner:  # a fork of the arena at its own end
            return
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # forks may hold it open
        self._socket.close()
        self._keeper.send_signal(signal.SIGCONT)
        try:
            self._keeper.wait(_LONGEST_END)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        if self._program is not None:  # a keeper that was killed has not ended it
            with suppress(psutil.Error):
                for process in (self._program, *self._program.children(recursive=True)):
                    process.kill()
        for pipe in filter(None, _pipes(self._keeper)):
            pipe.close()

    def _said(self) -> tuple[str, int]:
        """The keeper's next line; an error if it has ended without one."""
        said = bytearray()
        while not said.endswith(b"\n"):
            # It is read byte by byte, as what follows belongs to the next line.
            more = self._socket.recv(1)
            if not more:
                return "errno", errno.ECHILD
            said += more
        what, number = said.decode().split()
        return what, int(number)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes] | None, ...]:
    return process.stdin, process.stdout, process.stderr
