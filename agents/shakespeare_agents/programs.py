"""External programs that play: their commands, their limits, and their running processes.

Programs are started without a shell. A running program reads each question as a line and answers
with a line.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import select
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Annotated

from pydantic import AfterValidator, Field
from pydantic.dataclasses import dataclass as checked_dataclass

from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.extras import requires_extra

Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Texts = Annotated[Sequence[str], AfterValidator(tuple)]
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""Environment variables that every program inherits if they are set. None holds a secret."""
MOST_BYTES = 2**16  # the most bytes in an answer
_CHUNK_BYTES = 2**16
_MOST_CHUNKS = 16  # the most chunks of standard error read at once, since it may be endless
_TAIL_BYTES = 1000  # the number of last bytes of standard error that are kept
_CHECK_EVERY_S = 0.1  # seconds between checks of the program's memory
_ENDING_S = 1.0  # seconds to wait for the exit code of a program that has closed its pipes
_FAULTS_OF_MACHINE = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
"""Errors in starting a program that are this machine's fault, not the program's."""


@dataclass(frozen=True)
class Fault:
    """The reason why an agent did not choose a legal move."""

    kind: str  # one of `shakespeare_arena.games.referee.FAULT_KINDS`
    details: str  # what the agent did


@checked_dataclass(frozen=True)
class Limits:
    """The limits of a program. It loses a game in which it exceeds one of them.

    Raises:
        ValueError: a limit is not above 0.
    """

    seconds_a_move: Amount = 10.0
    """Time for one decision."""
    seconds_a_game: Amount = 600.0
    """Time for all decisions of a game."""
    megabytes: Amount = 1024.0
    """Resident memory of the program and its child processes, checked while it thinks."""
    seconds_to_start: Amount = 10.0
    """Additional time for the first answer after a start. It does not count for the game."""


@checked_dataclass(frozen=True)
class Program:
    """A command that is started without a shell.

    Raises:
        ValueError: the command is empty or mistyped.
    """

    argv: Annotated[Texts, Field(min_length=1)]
    """The program, looked up in PATH if it is a bare name, and its arguments."""
    limits: Limits = Limits()
    folder: Path = Path()
    """The program's working directory."""
    environment: Texts = ()
    """Environment variables besides `INHERITED`: `NAME=VALUE`, or `NAME` to inherit the arena's."""

    def __str__(self) -> str:
        return " ".join(self.argv)


def environment_of(program: Program) -> dict[str, str]:
    """Return the environment variables with which a program is started.

    Raises:
        ValueError: the program inherits a variable that is not set.
    """
    variables = {name: os.environ[name] for name in INHERITED if name in os.environ}
    for text in program.environment:
        name, equals_sign, value = text.partition("=")
        if equals_sign:
            variables[name] = value
        elif name in os.environ:
            variables[name] = os.environ[name]
        else:
            raise ValueError(
                f"{program} needs the environment variable {name}, which is not set; set it, or "
                f"give its value, as in {name}=1"
            )
    return variables


def program_digest(program: Program) -> str:
    """Return the SHA-256 of a program's command, limits, environment and files.

    The files are those that the command names. Files that these read in turn are not covered.
    """
    file_digests = []
    for text in program.argv:
        path = program.folder / text
        is_file = os.path.isfile(path)
        file_digests.append(hashlib.sha256(path.read_bytes()).hexdigest() if is_file else "")
    facts = [program.argv, asdict(program.limits), program.environment, file_digests]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


class ProgramError(ShakespeareEnvError, RuntimeError):
    """An error that is raised when a program fails. Its attribute `fault` says how."""

    def __init__(self, kind: str, details: str) -> None:
        super().__init__(f"{kind}: {details}")
        self.fault = Fault(kind, details)


class RunningProgram:
    """A program that runs until `kill` is called.

    If the arena's process ends without calling `kill`, the program finds its standard input closed.

    Raises:
        ProgramError: the program cannot be started.
        OSError: this machine has run out of processes, memory or file descriptors.
        ValueError: the program inherits an environment variable that is not set.
    """

    def __init__(self, program: Program) -> None:
        with requires_extra("arena", "external programs need"):
            import psutil  # noqa: F401 - if it is missing, nothing is started
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
            if fault.errno in _FAULTS_OF_MACHINE:
                raise
            details = f"{program} cannot be started in {program.folder}: {fault.strerror}"
            raise ProgramError("crash", details) from fault
        # The finalizer also runs when this object is freed, and when the interpreter exits.
        self.kill = weakref.finalize(self, _kill, self._running, os.getpid())
        self._most_bytes = program.limits.megabytes * 1e6
        self._next_check = 0.0
        self._has_answered = False
        self._stderr_tail = b""
        self._stdin = _descriptor(self._running.stdin)
        self._stdout = _descriptor(self._running.stdout)
        self._stderr = _descriptor(self._running.stderr)
        self._selector = selectors.PollSelector()
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        for descriptor in (self._stdout, self._stderr):
            self._selector.register(descriptor, selectors.EVENT_READ)

    def ask(self, question: bytes, until: float, limit: str) -> bytes:
        """Write a question and read the answer. If that fails, the program is killed.

        Args:
            question: A line, with its newline.
            until: The time by `time.monotonic` at which the answer must have arrived.
            limit: The words for this time limit in error messages.

        Returns:
            The answer, a line without its newline.

        Raises:
            ProgramError: the program ended, exceeded a limit, or wrote more than one line.
        """
        try:
            return self._exchange(question, until, limit)
        except ProgramError as error:
            self._read_stderr()
            self.kill()
            text = self._stderr_tail.decode(errors="replace").strip()
            if not text:
                raise
            # Control characters would change the terminal of a person who reads the report.
            shown = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
            details = f"{error.fault.details}; standard error ended with:\n{shown}"
            raise ProgramError(error.fault.kind, details) from error
        except BaseException:
            self.kill()
            raise

    def _exchange(self, question: bytes, until: float, limit: str) -> bytes:
        # The program must not have written anything before the question is asked. `_read` then
        # returns None.
        unasked = _read(self._stdout)
        if unasked:
            raise _too_much(unasked)
        if unasked == b"":
            raise self._ended()

        unsent = memoryview(question)
        answer = b""
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        while b"\n" not in answer:
            # A program may answer and then close its input. So this is checked before reading: its
            # last answer is still read below, and it counts as ended only if there is none.
            has_closed_input = not unsent and _has_no_reader(self._stdin)
            wait = 0.0
            if not has_closed_input:
                wait = max(0.0, min(until - time.monotonic(), _CHECK_EVERY_S))
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
                try:
                    unsent = unsent[os.write(self._stdin, unsent) :]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    raise self._ended() from None
                if not unsent:
                    self._selector.unregister(self._stdin)
            if b"\n" not in answer:
                if has_closed_input:
                    raise self._ended()
                self._check_limits(until, limit, answer)

        line, _, rest = answer.partition(b"\n")
        # It answered before it had read the whole question, or wrote more than one line.
        if unsent or rest:
            raise _too_much(rest)
        self._has_answered = True
        return line

    def _check_limits(self, until: float, limit: str, answer: bytes) -> None:
        import psutil

        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + _CHECK_EVERY_S
            used_bytes = 0
            with suppress(psutil.NoSuchProcess):
                program = psutil.Process(self._running.pid)
                for process in (program, *program.children(recursive=True)):
                    with suppress(psutil.Error):
                        used_bytes += process.memory_info().rss
            if used_bytes > self._most_bytes:
                used = f"{used_bytes / 1e6:,.0f} MB"
                most = f"{self._most_bytes / 1e6:,.0f} MB"
                raise ProgramError("memory", f"it took {used}; it may take {most}")
        if now >= until:
            details = f"it thought for longer than {limit}"
            if answer:
                details += "; it wrote an answer without the newline at its end"
            elif not self._has_answered:
                details += "; none of its output has arrived: does it flush every answer?"
            raise ProgramError("time", details)

    def _read_stderr(self) -> None:
        for _ in range(_MOST_CHUNKS):
            data = _read(self._stderr)
            if not data:
                break
            self._stderr_tail = (self._stderr_tail + data)[-_TAIL_BYTES:]
        if data == b"" and self._stderr in self._selector.get_map():
            self._selector.unregister(self._stderr)

    def _ended(self) -> ProgramError:
        try:
            code = self._running.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            return ProgramError("crash", "it closed its standard input or output")
        how = f"with exit code {code}" if code >= 0 else f"by {signal.Signals(-code).name}"
        return ProgramError("crash", f"it ended {how}")


def _kill(running: subprocess.Popen[bytes], owner: int) -> None:
    """Kill a program, its process group and its descendants, and close its pipes."""
    if os.getpid() != owner:  # a fork of the arena must not kill the arena's program when it exits
        return
    import psutil

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


def _descriptor(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    return pipe.fileno()


def _too_much(written: bytes) -> ProgramError:
    if len(written) > MOST_BYTES:
        return ProgramError("flood", f"it wrote over {MOST_BYTES:,} bytes")
    return ProgramError("garbage", "it wrote more than one line for each question")


def _read(descriptor: int) -> bytes | None:
    """Return the bytes that have arrived: None if there are none yet, b"" at the end of file."""
    try:
        return os.read(descriptor, _CHUNK_BYTES)
    except BlockingIOError:
        return None


def _has_no_reader(descriptor: int) -> bool:
    """Return whether no process has the reading end of a pipe open."""
    pipe = select.poll()
    pipe.register(descriptor, 0)  # with no events registered, poll still reports a closed end
    return bool(pipe.poll(0))
