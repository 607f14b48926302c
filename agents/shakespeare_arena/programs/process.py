"""An external program: a command with its limits, and the process that answers questions."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from shakespeare_agents.programs import Fault

from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.extras import needing

with needing("arena", "external programs need"):
    import psutil
    from pydantic import AfterValidator, Field
    from pydantic.dataclasses import dataclass as checked_dataclass

Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Texts = Annotated[Sequence[str], AfterValidator(tuple)]
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""Environment variables that every program has, if they are set: no keys to other services."""
MOST_BYTES = 2**16
"""The most bytes in an answer."""
_CHUNK = 2**16
_MOST_CHUNKS = 16
"""Chunks of standard error, which may be endless, read at once."""
_TAIL = 1000
"""The bytes of standard error that are kept, from its end."""
_LOOK = 0.1
"""Seconds between looks at its memory."""
_ENDING = 1.0
"""Seconds that a program whose pipes are closed has to end and yield an exit code."""
_OURS = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
"""Errors in starting a program that are this machine's fault."""


@checked_dataclass(frozen=True)
class Limits:
    """What a program may take; exceeding it loses the game. ValueError unless all are above 0.

    Attributes:
        seconds_a_move: For one decision.
        seconds_a_game: For all its decisions of a game.
        megabytes: Resident memory of it and the processes it started, looked at while it thinks.
        seconds_to_start: By how much its first answer may take longer, uncounted.
    """

    seconds_a_move: Amount = 10.0
    seconds_a_game: Amount = 600.0
    megabytes: Amount = 1024.0
    seconds_to_start: Amount = 10.0


@checked_dataclass(frozen=True)
class Program:
    """A command that is started without a shell. ValueError if it is empty or mistyped.

    Attributes:
        argv: The program, looked up in PATH if it is a bare name, and its arguments.
        limits: What it may take.
        folder: Its working directory.
        environment: Its environment variables besides `INHERITED`: `NAME=VALUE`, or `NAME` for what
            the arena's own has, which is looked up when the program is started.
    """

    argv: Annotated[Texts, Field(min_length=1)]
    limits: Limits = Limits()
    folder: Path = Path()
    environment: Texts = ()

    def __str__(self) -> str:
        return " ".join(self.argv)


def environment_of(program: Program) -> dict[str, str]:
    """The environment variables that a program is started with.

    Raises:
        ValueError: one that it is to have from the arena's own is not set there.
    """
    found = {name: os.environ[name] for name in INHERITED if name in os.environ}
    for text in program.environment:
        name, given, value = text.partition("=")
        if not given and name not in os.environ:
            raise ValueError(
                f"{program} is to have the variable {name}, which is not set here: set it, or give "
                f"its value, as in {name}=1"
            )
        found[name] = value if given else os.environ[name]
    return found


def program_digest(program: Program) -> str:
    """SHA-256 of a program's command, limits and environment, and of files that its command names.

    Files that these read are not covered. OSError if a file cannot be read.
    """
    named = [program.folder / text for text in program.argv]
    files = [
        hashlib.sha256(path.read_bytes()).hexdigest() if _is_file(path) else "" for path in named
    ]
    made_of = json.dumps([program.argv, asdict(program.limits), program.environment, files])
    return hashlib.sha256(made_of.encode()).hexdigest()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no path, or too long for one
        return False


class ProgramError(ShakespeareEnvError, RuntimeError):
    """A program has failed.

    Attributes:
        fault: How.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.kind}: {fault.details}")
        self.fault = fault


class Process:
    """A program that runs until `kill`; the end of the arena closes its standard input.

    Raises:
        ProgramError: it cannot be started.
        OSError: this machine has no processes, memory or file descriptors left.
        ValueError: a variable that it is to be given is not set.
    """

    def __init__(self, program: Program) -> None:
        environment = environment_of(program)
        try:
            self._running = subprocess.Popen(
                program.argv,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=program.folder,
                env=environment,
                start_new_session=True,
            )
        except OSError as fault:
            if fault.errno in _OURS:
                raise
            what = f"{program} cannot be started in {program.folder}: {fault.strerror}"
            raise _failed("crash", what) from fault
        # The finalizer also runs when this object is collected and at the interpreter's end.
        self.kill = weakref.finalize(self, _end, self._running, os.getpid())
        self._most_bytes = program.limits.megabytes * 1e6
        self._next_look = 0.0
        self._tail = b""
        pipes = (self._running.stdin, self._running.stdout, self._running.stderr)
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in pipes if pipe)
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._selector = selectors.PollSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)

    def ask(self, question: bytes, until: float, limit: str) -> bytes:
        """Write a line and read one, without its newline; the program is ended if that fails.

        The answer has to be there `until`, on `time.monotonic`; `limit` says which limit that is.

        Raises:
            ProgramError: it ended, took more than it may, or wrote more than the line.
        """
        try:
            return self._exchange(question, until, limit)
        except ProgramError as error:
            self._read_stderr()
            self.kill()
            raise self._with_last_words(error) from error
        except BaseException:
            self.kill()
            raise

    def _exchange(self, question: bytes, until: float, limit: str) -> bytes:
        if (unasked := _read(self._stdout)) is not None:
            raise _too_much(unasked) if unasked else self._ended()
        unsent, answer = memoryview(question), b""
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        while b"\n" not in answer:
            wait = max(0.0, min(until - time.monotonic(), _LOOK))
            ready = {key.fd for key, _ in self._selector.select(wait)}
            if self._stderr in ready:
                self._read_stderr()
            if self._stdout in ready:
                data = _read(self._stdout)
                if data == b"":
                    raise self._ended()
                answer += data or b""
                if len(answer) > MOST_BYTES:
                    raise _too_much(answer)
            if self._stdin in ready:
                unsent = unsent[self._write(unsent) :]
                if not unsent:
                    self._selector.unregister(self._stdin)
            if b"\n" not in answer:
                self._check_limits(until, limit)
        line, _, rest = answer.partition(b"\n")
        if unsent or rest:
            raise _too_much(rest)
        return line

    def _check_limits(self, until: float, limit: str) -> None:
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + _LOOK
            taken = self._resident_bytes()
            if taken > self._most_bytes:
                most = f"{self._most_bytes / 1e6:,.0f} MB"
                raise _failed("memory", f"it took {taken / 1e6:,.0f} MB; it may take {most}")
        if now >= until:
            raise _failed("time", f"it thought for longer than {limit}")

    def _resident_bytes(self) -> int:
        """Resident memory of the program and of what it has started."""
        total = 0
        with suppress(psutil.NoSuchProcess):
            program = psutil.Process(self._running.pid)
            for process in (program, *program.children(recursive=True)):
                with suppress(psutil.Error):
                    total += process.memory_info().rss
        return total

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._stdin, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise self._ended() from None

    def _read_stderr(self) -> None:
        """Keep the last of what it wrote there."""
        for _ in range(_MOST_CHUNKS):
            data = _read(self._stderr)
            if not data:
                break
            self._tail = (self._tail + data)[-_TAIL:]
        if data == b"" and self._stderr in self._selector.get_map():
            self._selector.unregister(self._stderr)

    def _ended(self) -> ProgramError:
        try:
            code = self._running.wait(_ENDING)
        except subprocess.TimeoutExpired:
            return _failed("crash", "it closed its standard input or output")
        if code >= 0:
            return _failed("crash", f"it ended with exit code {code}")
        return _failed("crash", f"it ended by {signal.Signals(-code).name}")

    def _with_last_words(self, error: ProgramError) -> ProgramError:
        text = self._tail.decode(errors="replace").strip()
        if not text:
            return error
        # Terminal control characters would act on whoever reads a report.
        shown = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
        details = f"{error.fault.details}; standard error ended with:\n{shown}"
        return ProgramError(Fault(error.fault.kind, details))


def _end(running: subprocess.Popen[bytes], owner: int) -> None:
    """Kill a program, its group and its descendants, and close its pipes."""
    if os.getpid() != owner:  # a fork of the arena at its own end
        return
    with suppress(psutil.Error):
        for process in psutil.Process(running.pid).children(recursive=True):
            with suppress(psutil.Error):
                process.kill()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    for pipe in (running.stdin, running.stdout, running.stderr):
        if pipe is not None:
            pipe.close()


def _too_much(written: bytes) -> ProgramError:
    if len(written) > MOST_BYTES:
        return _failed("flood", f"it wrote over {MOST_BYTES:,} bytes")
    return _failed("garbage", "it wrote more than one line for each question")


def _failed(kind: str, details: str) -> ProgramError:
    return ProgramError(Fault(kind, details))


def _read(descriptor: int) -> bytes | None:
    """The bytes that can be read; empty at the end, None if none have come yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
