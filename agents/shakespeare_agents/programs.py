"""External programs as agents, which answer questions in lines of JSON under limits.

Programs are started without a shell.
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
import sys
import time
import weakref
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import IO, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field
from pydantic.dataclasses import dataclass as checked_dataclass

from shakespeare_agents.json_input import dump_line, parse_object
from shakespeare_env.checks.values import short_repr
from shakespeare_env.errors import ArenaError, ShakespeareEnvError
from shakespeare_env.extras import requires_extra
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets

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
MOST_FAULTS = 10
"""After so many faults in a row, a program is not asked about the rest of a batch of games.

It loses these games, since waiting for thousands of answers would hold up all other players.
"""


@dataclass(frozen=True)
class Fault:
    """The reason why an agent did not choose a legal move."""

    kind: str  # one of `shakespeare_arena.referee.FAULT_KINDS`
    details: str  # what the agent did


class Answers(NamedTuple):
    """An agent's answers in m games."""

    actions: NDArray[np.integer]  # int[m], -1 where there is a fault
    seconds: NDArray[np.float64] | float  # float64[m], the time for each game, or one for all
    faults: Mapping[int, Fault]  # by index among the m games


@checked_dataclass(frozen=True)
class Limits:
    """The limits of a program, which loses a game in which it exceeds one.

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
    """A running program, until `kill` is called. When the arena ends, its standard input closes.

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
        unasked = _read(self._stdout)
        if unasked:
            raise _too_much(unasked)
        if unasked == b"":
            raise self._ended()

        unsent = memoryview(question)
        answer = b""
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        while b"\n" not in answer:
            # This comes before reading, since the program may answer and then close its input.
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


class ProgramAgent(AbstractContextManager["ProgramAgent"]):
    """An agent that asks a program for its moves.

    The program is started for the first question, and again after every fault. It ends when the
    agent is closed, at the end of a `with` block, or with the interpreter.

    Raises:
        ArenaError: this is Windows.
    """

    def __init__(self, program: Program) -> None:
        if sys.platform == "win32":
            raise ArenaError(f"{program}: programs play on Linux and macOS; on Windows use WSL")
        self.program = program
        self._running: RunningProgram | None = None
        self._game_ids: dict[Hashable, int] = {}
        self._seconds: defaultdict[int, float] = defaultdict(float)  # by game id
        self._unannounced_ends: list[int] = []  # games whose end the program has not been told
        self._question_numbers = count(1)
        self._next_game_ids = count(1)

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ProgramAgent({self.program})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the command. The unpickled copy starts a program of its own."""
        folder = self.program.folder.resolve()
        return ProgramAgent, (replace(self.program, folder=folder),)

    def close(self) -> None:
        """End the program and all processes that it has started."""
        running = self._running
        self._running = None
        self._unannounced_ends.clear()
        if running is not None:
            running.kill()

    def answer(self, games: InformationSets, keys: Sequence[Hashable]) -> Answers:
        """Decide in m games, which m keys identify.

        A fault counts in one game only. The program is started again for the next game.
        """
        actions = np.full(len(keys), -1)
        seconds = np.zeros(len(keys))
        faults: dict[int, Fault] = {}
        faults_in_a_row = 0
        for row, key in enumerate(keys):
            if faults_in_a_row == MOST_FAULTS:
                details = f"it was not asked any more after {MOST_FAULTS} faults in a row"
                faults[row] = Fault(faults[row - 1].kind, details)
                continue
            if key not in self._game_ids:
                self._game_ids[key] = next(self._next_game_ids)
            game_id = self._game_ids[key]
            seconds_before = self._seconds[game_id]
            try:
                actions[row] = self._decide(games, row, game_id)
                faults_in_a_row = 0
            except ProgramError as error:
                faults[row] = error.fault
                faults_in_a_row += 1
                self.close()
            except BaseException:  # a late answer would be taken for that to the next question
                self.close()
                raise
            seconds[row] = self._seconds[game_id] - seconds_before
        return Answers(actions, seconds, faults)

    def end(self, keys: Sequence[Hashable]) -> None:
        """Forget games that are over. The program is told of their end with its next question."""
        game_ids = [self._game_ids.pop(key) for key in keys if key in self._game_ids]
        self._unannounced_ends += game_ids
        for game_id in game_ids:
            del self._seconds[game_id]

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[np.int64]:
        """Return the chosen actions, int64[m], without a referee.

        The program sees each decision as one of a new game.

        Raises:
            ProgramError: the program has failed.
        """
        keys = [object() for _ in range(len(games))]
        answers = self.answer(games, keys)
        self.end(keys)
        for fault in answers.faults.values():
            raise ProgramError(fault.kind, fault.details)
        return answers.actions.astype(np.int64)

    def _decide(self, games: InformationSets, row: int, game_id: int) -> int:
        limits = self.program.limits
        left_of_game = limits.seconds_a_game - self._seconds[game_id]
        left = max(0.0, min(limits.seconds_a_move, left_of_game))
        limit = f"{limits.seconds_a_move:g} s"
        if left < limits.seconds_a_move:
            limit = f"{limits.seconds_a_game:g} s in one game"
        number = next(self._question_numbers)
        question = move_request(games, row, number=number, game_id=game_id, seconds=left)

        began = time.monotonic()
        if self._running is None:
            began += limits.seconds_to_start
            limit += f", and {limits.seconds_to_start:g} s to start"
            self._running = RunningProgram(self.program)
        else:
            question = b"".join(map(end_notice, self._unannounced_ends)) + question
        self._unannounced_ends.clear()
        try:
            line = self._running.ask(question, began + left, limit)
        finally:
            self._seconds[game_id] += max(0.0, time.monotonic() - began)
        return parse_answer(line, number, games.moves(row))


def move_request(
    games: InformationSets, row: int, *, number: int, game_id: int, seconds: float
) -> bytes:
    """Return the line that asks for a move in one game.

    It is made from information sets, which hold nothing that the seat may not know.

    Args:
        games: The games.
        row: The index of the game among them.
        number: The number of the question, which the answer must repeat.
        game_id: The number of the game.
        seconds: The time left for the answer.
    """
    return _line(
        id=number,
        command="move",
        game_id=game_id,
        seat=int(games.seats[row]),
        seconds=round(seconds, 3),
        position=games.seen(row),
        observation=games.observations[row].tolist(),
        moves=list(games.moves(row)),
    )


def end_notice(game_id: int) -> bytes:
    """Return the line that tells a program that a game is over."""
    return _line(command="end", game_id=game_id)


def _line(**fields: Any) -> bytes:
    return f"{dump_line(fields)}\n".encode()


def parse_answer(line: bytes, number: int, moves: Mapping[str, int]) -> int:
    """Return the action that an answer chooses.

    Args:
        line: The answer.
        number: The number of the question.
        moves: The actions of the legal moves, by the moves' text.

    Raises:
        ProgramError: the answer is garbage, or does not name a legal move.
    """
    try:
        answer = parse_object(line)
    except ValueError as fault:
        raise ProgramError("garbage", f"its answer is {fault}") from fault
    if answer.keys() != {"id", "move"}:
        given = short_repr(list(answer))
        raise ProgramError("garbage", f"its answer has the fields {given}; give only id and move")
    identifier = answer["id"]
    if type(identifier) is not int or identifier != number:
        details = f"its answer has id={short_repr(identifier)}; it must repeat id={number}"
        raise ProgramError("garbage", details)
    move = answer["move"]
    if not isinstance(move, str):
        raise ProgramError("garbage", f"its answer has move={short_repr(move)}; give a text")
    if move not in moves:
        raise ProgramError("illegal", f"{short_repr(move)} is not legal; legal: {', '.join(moves)}")
    return moves[move]
