"""A running program: one question at a time, and what goes wrong on the way to its answer."""

from __future__ import annotations

import errno
import os
import selectors
import signal
import time
import weakref
from dataclasses import dataclass

from shakespeare_agents.arena.games.referee import Fault
from shakespeare_agents.arena.programs.kept import Kept
from shakespeare_agents.arena.programs.program import Program, environment_of
from shakespeare_env.errors import ShakespeareEnvError

MOST_BYTES = 2**16
"""The most bytes in an answer, and in what a program writes unasked."""
_CHUNK = 2**16
_MOST_CHUNKS = 16
"""Chunks of standard error, which may be endless, read at once."""
_TAIL = 1000
"""The bytes of standard error that are kept, from its end."""
_LOOK = 0.1
"""Seconds between looks at its memory."""
_PATIENCE = 0.2
"""Seconds to wait for the rest of a faulty answer, which decides the kind of fault."""
_ENDING = 1.0
"""Seconds that a program whose pipes are closed has to end and yield an exit code."""
_LEAST = 0.005
"""Seconds between checks whether it has ended."""
_OURS = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
"""Errors in starting a program that are this machine's fault."""


class ProgramError(ShakespeareEnvError, RuntimeError):
    """A program has failed.

    Attributes:
        fault: How.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.kind}: {fault.details}")
        self.fault = fault


@dataclass(frozen=True)
class Deadline:
    """When an answer has to be there, on `time.monotonic`, and which limit that is, in words."""

    at: float
    limit: str


class Process:
    """A program that runs until `kill`, or until the arena ends.

    Raises:
        ProgramError: it cannot be started.
        OSError: this machine has no processes, memory or file descriptors left.
        ValueError: a variable that it is to be given is not set.
    """

    def __init__(self, program: Program) -> None:
        environment = environment_of(program)
        try:
            self._kept = Kept(program, environment)
        except OSError as fault:
            if fault.errno in _OURS:
                raise
            what = f"{program} cannot be started in {program.folder}: {fault.strerror}"
            raise ProgramError(Fault("crash", what)) from fault
        # The finalizer also runs when this object is collected and at the interpreter's end.
        self.kill = weakref.finalize(self, self._kept.end)
        self._most_bytes = program.limits.megabytes * 1e6
        self._next_look = 0.0
        self._tail = b""
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in self._kept.pipes)
        for pipe in self._kept.pipes:
            os.set_blocking(pipe.fileno(), False)
        self._selector = selectors.PollSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)

    def ask(self, question: bytes, deadline: Deadline) -> bytes:
        """Write a line and read one, without its newline; the program is ended if that fails.

        Raises:
            ProgramError: it ended, took more than it may, or wrote more than the line.
        """
        try:
            return self._exchange(question, deadline)
        except ProgramError as error:
            if self.kill.alive:
                self._read_stderr()
                self.kill()
            raise self._with_last_words(error) from error
        except BaseException:
            self.kill()
            raise

    def _exchange(self, question: bytes, deadline: Deadline) -> bytes:
        if (data := _read(self._stdout)) is not None:
            raise self._unasked(len(data)) if data else self._ended()
        unsent, answer = memoryview(question), bytearray()
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        while True:
            wait = max(0.0, min(deadline.at - time.monotonic(), _LOOK))
            ready = {key.fd for key, _ in self._selector.select(wait)}
            if self._stderr in ready:
                self._read_stderr()
            if self._stdout in ready:
                data = _read(self._stdout)
                if data == b"":
                    raise self._ended()
                answer += data or b""
                if b"\n" in answer:
                    break
                if len(answer) > MOST_BYTES:
                    raise _failed("flood", f"it wrote a line of over {MOST_BYTES:,} bytes")
            if self._stdin in ready:
                unsent = unsent[self._write(unsent) :]
                if not unsent:
                    self._selector.unregister(self._stdin)
            self._check_limits(deadline)
        if unsent:
            raise _failed("garbage", "it answered a question that it had not read to its end")
        return self._alone(bytes(answer))

    def _check_limits(self, deadline: Deadline) -> None:
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + _LOOK
            taken = self._kept.resident_bytes()
            if taken > self._most_bytes:
                most = f"{self._most_bytes / 1e6:,.0f} MB"
                raise _failed("memory", f"it took {taken / 1e6:,.0f} MB; it may take {most}")
        if now >= deadline.at:
            raise _failed("time", f"it thought for longer than {deadline.limit}")

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

    def _alone(self, answer: bytes) -> bytes:
        """The answer's one line; more is a fault."""
        line, _, rest = answer.partition(b"\n")
        rest = rest or _read(self._stdout) or b""
        if rest:
            raise self._unasked(len(rest))
        if len(line) > MOST_BYTES:
            raise _failed("flood", f"it wrote a line of over {MOST_BYTES:,} bytes")
        return line

    def _unasked(self, size: int) -> ProgramError:
        """The fault of having written more than an answer; waits to see whether it goes on."""
        until = time.monotonic() + _PATIENCE
        while size <= MOST_BYTES and time.monotonic() < until:
            data = _read(self._stdout)
            if data == b"":
                break
            size += len(data or b"")
            time.sleep(0 if data else 0.01)
        if size > MOST_BYTES:
            return _failed("flood", f"it wrote over {MOST_BYTES:,} bytes unasked")
        return _failed("garbage", f"it wrote {size:,} bytes beyond one line for each question")

    def _ended(self) -> ProgramError:
        until = time.monotonic() + _ENDING
        while (code := self._kept.exit_code(_LEAST)) is None and time.monotonic() < until:
            self._read_stderr()  # it may wait for room to write
        if code is None:
            return _failed("crash", "it closed its standard input or output")
        self._read_stderr()
        self.kill()
        return _failed("crash", f"it ended {_how(code)}")

    def _with_last_words(self, error: ProgramError) -> ProgramError:
        text = self._tail.decode(errors="replace").strip()
        if not text:
            return error
        # Terminal control characters would act on whoever reads a report.
        shown = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
        details = f"{error.fault.details}; standard error ended with:\n{shown}"
        return ProgramError(Fault(error.fault.kind, details))


def _failed(kind: str, details: str) -> ProgramError:
    return ProgramError(Fault(kind, details))


def _how(code: int) -> str:
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def _read(descriptor: int) -> bytes | None:
    """The bytes that can be read; empty at the end, None if none have come yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
